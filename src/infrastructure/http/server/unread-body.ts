// Ends connections whose response is sent before the whole request was received, such as an error for a body that is
// too long. Closing a connection with unread bytes resets it, and a reset can discard the response before the caller
// has read it. So the response is sent first, and the rest of the body is discarded for a while before closing.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { awaitsContinue } from '../middleware/json-body.ts'
import { BODY_BYTES } from './limits.ts'

const MAX_MS = 5_000
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Returns whether the connection must end with this response: the rest of the body may be too long to read, or it is
 * unknown whether a body comes at all.
 */
export function leavesUnread(request: IncomingMessage): boolean {
  const { complete, headers } = request
  if (complete) return false
  const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES
  return isLong || awaitsContinue(request)
}

/**
 * Sends `bytes`, which must match Content-Length, and ends the response when the body was received or takes too long.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse, bytes: Buffer | undefined): void {
  response.flushHeaders()
  if (bytes) response.write(bytes)
  let left = MAX_BYTES
  const end = () => {
    clearTimeout(timer)
    if (!response.writableEnded) response.end()
  }
  const timer = setTimeout(end, MAX_MS)
  request.once('end', end).once('close', end)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
  })
  // `raw-body` has paused the request if the body was longer than its limit.
  request.resume()
}
