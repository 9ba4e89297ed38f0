// The error of failed calls: one class, whose `code` tells the cases apart.
import type { components } from '../contract.ts'

type Schemas = components['schemas']

/** The contract's codes, and codes of calls that the service did not answer. */
export type InsiderErrorCode = Schemas['ErrorCode'] | 'connection_failed' | 'timed_out' | 'unexpected_answer'

interface Facts {
  code: InsiderErrorCode
  /** HTTP status, 0 where there was no answer. */
  status: number
  requestId?: string | undefined
  details?: readonly Schemas['ErrorDetail'][] | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** A call that failed, after all its attempts. Decide by `code`; `message` is for people. */
export class InsiderApiError extends Error {
  override readonly name = 'InsiderApiError'
  readonly code: InsiderErrorCode
  readonly status: number
  readonly requestId: string | undefined
  readonly details: readonly Schemas['ErrorDetail'][]
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { code, status, requestId, details = [], retryAfterSeconds, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns the error in a response. Its code is `unexpected_answer` if the body is not an error of the contract. */
export async function errorOf(response: Response): Promise<InsiderApiError> {
  const body = (await response.json().catch(() => null)) as Partial<Schemas['Error']> | null
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  const facts = { status, requestId, retryAfterSeconds: retryAfter(headers.get('retry-after')) }
  if (typeof body?.error?.code !== 'string') {
    return new InsiderApiError(`The answer has status ${status} and is not one of this service`, {
      ...facts,
      code: 'unexpected_answer',
    })
  }
  const { code, message, details } = body.error
  return new InsiderApiError(withDetails(message, details), { ...facts, code, details })
}

/** Adds what the message leaves out: it names the first faults of a request. */
function withDetails(message: string, details: Facts['details'] = []): string {
  const others = details.filter((detail) => !message.includes(detail.message))
  return [message, ...others.map(textOf)].join('; ')
}

/** Names the parameter, unless the message does. */
const textOf = ({ path, message }: Schemas['ErrorDetail']) =>
  /^(is|must|element) /.test(message) ? `${path} ${message}` : message

/** Returns seconds, also where a proxy sends a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
