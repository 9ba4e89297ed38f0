// Heads of responses as text. node's writeHead checks, compares and joins every header of every response, although most
// are the same in all.
import { STATUS_CODES, type ServerResponse } from 'node:http'

export type Headers = Readonly<Record<string, string | number>>

/** What writeHead sets of node's response, beside its public properties. */
interface Internals {
  _header: string
  _headerSent: boolean
  _hasBody: boolean
  _last: boolean
  readonly _keepAliveTimeout: number
}

export const internalsOf = (response: ServerResponse): Internals => response as unknown as Internals

const INVALID = /[^\t\x20-\x7e\x80-\xff]/

/** Returns headers as they are in a head. Throws where a value has what no header may have, such as a line break. */
export function headerLines(headers: Headers): string {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]!
    if (typeof value === 'string' && INVALID.test(value)) throw new TypeError(`invalid character in ${name}`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

export function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
}

/**
 * Returns the text as one piece. V8 keeps what was added up as a tree of its parts, which is gone through again each
 * time that it becomes part of another text.
 */
export function flat(text: string): string {
  return Buffer.from(text).toString()
}

/** What a head says of the connection: nothing as it was said before, that it closes, or how long it is kept. */
type Connection = 'said' | 'close' | number

const ends = { second: 0, texts: new Map<Connection, string>() }

/**
 * Returns the last lines of a head, which stay the same for a second, and has node end the connection where they say
 * so. `isLast`: it ends, and the lines before say so already; else it stays or ends as the caller asked.
 */
export function endOfHead(response: ServerResponse, hasLength: boolean, isLast: boolean): string {
  const internals = internalsOf(response)
  // HTTP/1.0 has no length for a response without one.
  const stays = response.shouldKeepAlive && (hasLength || response.useChunkedEncodingByDefault)
  if (isLast || !stays) internals._last = true
  return endLines(isLast ? 'said' : stays ? internals._keepAliveTimeout : 'close')
}

/** Returns the last lines of the head of a response after which the connection is kept, for that many milliseconds. */
export const endOfKept = (milliseconds: number): string => endLines(milliseconds)

function endLines(connection: Connection): string {
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
