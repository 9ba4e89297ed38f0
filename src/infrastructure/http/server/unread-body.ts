// Responses that are sent before the whole request was received, such as an error by its Content-Length. A connection
// that is closed while bytes lie unread in it is reset, and a reset can discard the response before the caller has read
// it. So the response is sent at once, what still comes is read and thrown away for a while, and then the connection
// ends.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { awaitsContinue } from '../middleware/json-body.ts'
import { BODY_BYTES } from './limits.ts'

const MAX_MS = 5_000
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Returns whether the connection must end with this response: more of the body may come than is worth reading to keep
 * it, or it is unknown whether any comes at all.
 */
export function leavesUnread(request: IncomingMessage): boolean {
  const { complete, headers } = request
  if (complete) return false
  const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES
  return isLong || awaitsContinue(request)
}

/**
 * Sends `bytes`, which must be as many as Content-Length says, and ends when the body was received or has taken too
 * long.
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
  // A reader that met its limit has paused it.
  request.resume()
}
