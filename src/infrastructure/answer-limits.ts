// Bounds what a server may send in answer to a request. Node bounds a single head; without this file a server may send
// informational (1xx) answers without end before it, and extensions of chunks without end after it.
import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/** Servers send one 100, or a few 102 or 103. */
const MAX_INFORMATIONAL = 16
/** Twice what Node lets a head have. */
const MAX_BYTES_BEFORE_BODY = 32 * 1024
/**
 * Before the body the parser gets this many bytes at a time, since it can't be stopped within what it was given: a read
 * of 64 KiB holds 2,600 informational answers, which take 15 ms.
 */
const PIECE_BYTES = 1024

export const TOO_MANY_INFORMATIONAL = 'TOO_MANY_INFORMATIONAL'
export const TOO_LONG_BEFORE_BODY = 'TOO_LONG_BEFORE_BODY'
const TOO_LONG_BODY = 'TOO_LONG_BODY'

/** Not an Error: at thousands of answers to cut, stack traces alone would cost more than all else. */
export interface ExceededLimit {
  code: string
  message: string
}

/** What the request that has the connection now may still receive. */
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

/** Returns what a body of `bytes` may take with the sizes and extensions of its chunks and with trailers. */
export const mostWireBytes = (bytes: number): number => bytes + Math.max(4096, Math.floor(bytes / 16))

/**
 * Ends the request with one of the three codes when its answer is longer than allowed: destroys it with an error, or does
 * what `end` does. `bodyBytes` counts everything after the head, as it comes over the connection.
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

/** Counts what comes on the socket before the parser gets it. */
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
