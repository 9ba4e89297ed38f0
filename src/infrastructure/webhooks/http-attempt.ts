// One webhook request. Reads the head of the response and the beginning of its body, and ends at the deadline whatever
// the receiver does.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Request } from 'got'
import type { AttemptOutcome } from '../../domain/alerts/retry-schedule.ts'
import { limitAnswer, maxWireBytes, type ExceededLimit } from '../answer-limits.ts'
import { errorWithCode } from './address-guard.ts'
import { failureReason, isReset } from './failure-reason.ts'

export interface HttpAttempt {
  outcome: AttemptOutcome
  /** The beginning of the body; null if no response head came. */
  answer: Buffer | null
  /**
   * Whether a reused connection was reset before any byte of the response: most likely the receiver had closed it
   * before the request.
   */
  wasStale: boolean
}

const MAX_ANSWER_BYTES = 16 * 1024

/** Follows one request until `milliseconds` have passed. Never rejects. */
export function attemptRequest(stream: Request, milliseconds: number): Promise<HttpAttempt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let request: ClientRequest | null = null
    let bytesBefore = 0
    let head: IncomingMessage | null = null

    const finish = (error: Error | ExceededLimit | null) => {
      clearTimeout(timer)
      const answer = head && Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)
      // The response head decides the outcome: a failure while reading the body changes nothing, and resending would
      // repeat what the receiver already has.
      const wasStale =
        !head && isReset(error) && request !== null && request.reusedSocket && request.socket?.bytesRead === bytesBefore
      resolve({ outcome: head ? answered(head) : { kind: 'failed', error: failureReason(error) }, answer, wasStale })
    }
    const finishEarly = (error: Error | ExceededLimit | null) => {
      finish(error)
      stream.destroy()
    }
    const timer = setTimeout(() => finishEarly(errorWithCode('ETIMEDOUT')), Math.max(1, milliseconds))

    stream.on('request', (sent: ClientRequest) => {
      request = sent
      limitAnswer(sent, maxWireBytes(MAX_ANSWER_BYTES), (exceeded) => {
        // After the head, got has yet to pass on the data of the last read.
        if (head) setImmediate(finishEarly, exceeded)
        else finishEarly(exceeded)
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
        finishEarly(null)
      })
    })
    stream.on('data', (chunk) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) finishEarly(null)
    })
    stream.on('end', () => finish(null))
    stream.on('error', finish)
  })
}

function answered({ statusCode = 0, headers }: IncomingMessage): AttemptOutcome {
  const seconds = retryAfterSeconds(headers['retry-after'], Date.now())
  return { kind: 'answered', status: statusCode, retryAfterSeconds: seconds }
}

/**
 * Returns the whole seconds from `now` (milliseconds since 1970) that Retry-After asks to wait, at least 0; null if the
 * header is neither seconds nor a date.
 */
function retryAfterSeconds(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
