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

/** The lines of a head before and after those that differ from request to request. */
export interface PreparedHead {
  status: keyof typeof STATUS_LINES
  before: string
  after: string
}

/** Returns headers as they are in a head. Their values are our own, or were checked. */
export function headerLines(headers: Record<string, string | number>): string {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
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
  const connection = isLast ? '' : stays ? keepAlive(internals._keepAliveTimeout) : 'Connection: close\r\n'
  internals._header = `${STATUS_LINES[status]}${before}${own}${after}Date: ${httpDate()}\r\n${connection}\r\n`
  response.end(body, 'latin1')
}

const keepAliveLines = { milliseconds: 0, text: 'Connection: keep-alive\r\n' }

function keepAlive(milliseconds: number): string {
  if (milliseconds !== keepAliveLines.milliseconds) {
    keepAliveLines.milliseconds = milliseconds
    keepAliveLines.text = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(milliseconds / 1_000)}\r\n`
  }
  return keepAliveLines.text
}

const date = { second: 0, text: '' }

function httpDate(): string {
  const second = Math.floor(Date.now() / 1_000)
  if (second !== date.second) {
    date.second = second
    date.text = new Date(second * 1_000).toUTCString()
  }
  return date.text
}
