// Limits on what a server can send in response to a request. Node limits a single head; without this file a server
// could send informational (1xx) responses endlessly before it, and chunk extensions endlessly after it.
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** Servers send one 100, or a few 102 or 103. */
const MAX_INFORMATIONAL = 16
/** Twice what Node allows for a head. */
const MAX_BYTES_BEFORE_BODY = 32 * 1024
/**
 * Before the body the parser gets this many bytes at a time, since it can't be stopped within what it was given, and
 * one read of a socket can hold thousands of informational responses.
 */
const PIECE_BYTES = 1024

export const TOO_MANY_INFORMATIONAL = 'TOO_MANY_INFORMATIONAL'
export const TOO_LONG_BEFORE_BODY = 'TOO_LONG_BEFORE_BODY'
const TOO_LONG_BODY = 'TOO_LONG_BODY'

/** Not an Error: with thousands of responses to end, stack traces alone would cost more than everything else. */
export interface ExceededLimit {
  code: string
  message: string
}

/** What the request that now has the connection can still receive. */
interface Allowance {
  bytes: number
  pieceBytes: number
  exceeded: () => void
}

const INFORMATIONAL: ExceededLimit = {
  code: TOO_MANY_INFORMATIONAL,
  message: `more than ${MAX_INFORMATIONAL} 1xx answers`,
}
const BEFORE_BODY: ExceededLimit = {
  code: TOO_LONG_BEFORE_BODY,
  message: `more than ${MAX_BYTES_BEFORE_BODY} bytes before the body`,
}

const allowances = new WeakMap<Socket, Allowance>()

/** Returns the bytes on the wire that a body of `bytes` can take with chunk sizes, extensions and trailers. */
export const maxWireBytes = (bytes: number): number => bytes + Math.max(4096, Math.floor(bytes / 16))

/**
 * Ends the request with one of the three codes if its response is longer than allowed: destroys it with an error, or
 * calls `end`. `bodyBytes` counts everything after the head, as received over the connection.
 */
export function limitAnswer(
  request: ClientRequest,
  bodyBytes: number,
  end: (exceeded: ExceededLimit) => void = destroying(request),
): void {
  let informational = 0
  const allowance: Allowance = {
    bytes: MAX_BYTES_BEFORE_BODY,
    pieceBytes: PIECE_BYTES,
    exceeded: () => end(BEFORE_BODY),
  }
  request.once('socket', (socket) => {
    if (!allowances.has(socket)) meter(socket)
    allowances.set(socket, allowance)
  })
  request.on('information', () => {
    informational += 1
    if (informational === MAX_INFORMATIONAL + 1) end(INFORMATIONAL)
  })
  request.once('response', () => {
    allowance.bytes = bodyBytes
    allowance.pieceBytes = Infinity
    allowance.exceeded = () => end({ code: TOO_LONG_BODY, message: `more than ${bodyBytes} bytes after the head` })
  })
}

const destroying =
  (request: ClientRequest) =>
  ({ code, message }: ExceededLimit) =>
    void request.destroy(Object.assign(new Error(message), { code }))

/** Counts the bytes of a socket before the parser gets them. */
function meter(socket: Socket): void {
  const push = socket.push.bind(socket)
  socket.push = (chunk: Buffer | null, encoding) => {
    const allowance = allowances.get(socket)
    if (chunk === null || !allowance) return push(chunk, encoding)
    let wantsMore = true
    for (let at = 0; at < chunk.length && !socket.destroyed;) {
      if (allowance.bytes === 0) {
        allowance.exceeded()
        return false
      }
      const piece = chunk.subarray(at, at + Math.min(allowance.pieceBytes, allowance.bytes))
      at += piece.length
      allowance.bytes -= piece.length
      wantsMore = push(piece, encoding)
    }
    return wantsMore
  }
}
