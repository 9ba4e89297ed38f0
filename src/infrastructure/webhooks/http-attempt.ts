// One request to a receiver, of whose response the head and the first 16 KiB of the body are read. Whatever the
// receiver does, the attempt ends at the deadline.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { AttemptOutcome } from '../../domain/alerts/retry-schedule.ts'
import { limitAnswer, maxWireBytes, type ExceededLimit } from '../answer-limits.ts'
import { failureReason, isReset } from './failure-reason.ts'

export interface HttpAttempt {
  outcome: AttemptOutcome
  /** Null if no response head came. */
  answer: Buffer | null
  /**
   * A kept connection was reset before any response byte: most likely the receiver had closed it before the request.
   */
  wasStale: boolean
}

/** The part of got's request stream that is used. */
interface RequestStream {
  on(event: 'request', listener: (request: ClientRequest) => void): unknown
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  destroy(): unknown
}

const MAX_ANSWER_BYTES = 16 * 1024

/** Follows one request until `milliseconds` have passed. Never rejects. */
export function attemptRequest(stream: RequestStream, milliseconds: number): Promise<HttpAttempt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let request: ClientRequest | null = null
    let bytesBefore = 0
    let head: IncomingMessage | null = null

    const settle = (error: Error | ExceededLimit | null) => {
      clearTimeout(timer)
      const answer = head && Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)
      // The response head decides the outcome: a failure while reading the body changes nothing, and resending would
      // repeat what the receiver already has.
      const wasStale =
        !head && isReset(error) && request !== null && request.reusedSocket && request.socket?.bytesRead === bytesBefore
      resolve({ outcome: head ? answered(head) : { kind: 'failed', error: failureReason(error) }, answer, wasStale })
    }
    const cut = (error: Error | ExceededLimit | null) => {
      settle(error)
      stream.destroy()
    }
    const late = () => cut(Object.assign(new Error('deadline'), { code: 'ETIMEDOUT' }))
    const timer = setTimeout(late, Math.max(1, milliseconds))

    stream.on('request', (sent) => {
      request = sent
      // Data of the last read is still on its way through got.
      limitAnswer(sent, maxWireBytes(MAX_ANSWER_BYTES), (exceeded) => {
        if (head) setImmediate(cut, exceeded)
        else cut(exceeded)
      })
      sent.once('socket', (socket) => {
        bytesBefore = socket.bytesRead
      })
      // got's own event comes later, and not at all if the connection is reset right after the head.
      sent.once('response', (response) => {
        head = response
      })
      // got listens for 101, which would keep the connection open for as long as the receiver likes.
      sent.once('upgrade', (response, socket) => {
        head = response
        socket.destroy()
        cut(null)
      })
    })
    stream.on('data', (chunk) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) cut(null)
    })
    stream.on('end', () => settle(null))
    stream.on('error', settle)
  })
}

function answered({ statusCode = 0, headers }: IncomingMessage): AttemptOutcome {
  const seconds = retryAfterSeconds(headers['retry-after'], Date.now())
  return { kind: 'answered', status: statusCode, retryAfterSeconds: seconds }
}

/**
 * Returns the header's whole seconds from `now` (milliseconds since 1970), at least 0; null if it is neither seconds
 * nor a date.
 */
function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
