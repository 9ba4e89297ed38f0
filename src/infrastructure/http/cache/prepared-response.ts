// Responses whose head is text already. node's writeHead checks, compares and joins every header of every response, and
// writes head and body as two pieces. A head that was made once stays right, and with the body as text in Latin-1, a
// character for each byte, both are one write.
//
// All else is left to node: the order of pipelined responses, back pressure, HEAD, the end of the connection.
import type { ServerResponse } from 'node:http'

/** What writeHead sets of node's response, beside its public properties. */
interface Internals {
  _header: string
  _hasBody: boolean
  _last: boolean
  readonly _keepAliveTimeout: number
}

const STATUS_LINES = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' }

/** A head in text: the lines before and after those that differ from request to request. */
export interface PreparedHead {
  status: keyof typeof STATUS_LINES
  before: string
  after: string
}

/** Prepares a head of these lines, which stand before and after those of a request. */
export function prepareHead(status: keyof typeof STATUS_LINES, before: string, after: string): PreparedHead {
  return { status, before: flat(STATUS_LINES[status] + before), after: flat(after) }
}

/** Returns headers as they are in a head. Their values are our own, or were checked. */
export function headerLines(headers: Record<string, string | number>): string {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
}

/**
 * Returns the text as one piece. V8 keeps what was added up as a tree of its parts, which would be gone through again
 * each time that it becomes part of a head.
 */
export function flat(text: string): string {
  return Buffer.from(text).toString()
}

/**
 * Sends a response whose body, text in Latin-1, is as long as its head says. `own` are the lines of this request.
 * `isLast`: the connection ends with it, and `own` says so; else it stays or ends as the caller asked.
 */
export function sendPrepared(
  response: ServerResponse,
  { status, before, after }: PreparedHead,
  { own, body, isLast }: { own: string; body: string | undefined; isLast: boolean },
): void {
  const internals = response as unknown as Internals
  // HTTP/1.0 has no length for a response without one.
  const stays = response.shouldKeepAlive && (status === 200 || response.useChunkedEncodingByDefault)
  response.statusCode = status
  if (status === 304) internals._hasBody = false
  if (isLast || !stays) internals._last = true
  const end = endOfHead(isLast ? 'said' : stays ? internals._keepAliveTimeout : 'close')
  internals._header = before + own + after + end
  response.end(body, 'latin1')
}

/** What a head says of the connection: nothing as it was said before, that it closes, or how long it is kept. */
type Connection = 'said' | 'close' | number

const ends = { second: 0, texts: new Map<Connection, string>() }

/** Returns the last lines of a head, which stay the same for a second. */
function endOfHead(connection: Connection): string {
  const second = Math.floor(Date.now() / 1_000)
  if (second !== ends.second) {
    ends.second = second
    ends.texts.clear()
  }
  const known = ends.texts.get(connection)
  if (known !== undefined) return known
  const text = flat(`Date: ${new Date(second * 1_000).toUTCString()}\r\n${connectionLines(connection)}\r\n`)
  ends.texts.set(connection, text)
  return text
}

function connectionLines(connection: Connection): string {
  if (connection === 'said') return ''
  if (connection === 'close') return 'Connection: close\r\n'
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(connection / 1_000)}\r\n`
}
