// Errors that callers can meet, by the contract's codes. The HTTP layer decides the status of each.
import type { components } from '../contract.ts'

export type ErrorCode = components['schemas']['ErrorCode']
export type ErrorDetail = components['schemas']['ErrorDetail']

interface ServiceErrorOptions extends ErrorOptions {
  /** For `rate_limited` by another limit than that of all requests. */
  retryAfterSeconds?: number
  /** Of `unavailable`: the message is written for callers, who otherwise are told no more than the code says. */
  isForCallers?: boolean
}

export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined

  readonly retryAfterSeconds: number | undefined
  readonly isForCallers: boolean

  constructor(
    code: ErrorCode,
    message: string,
    details?: ErrorDetail[],
    { retryAfterSeconds, isForCallers = false, ...options }: ServiceErrorOptions = {},
  ) {
    super(message, options)
    this.isForCallers = isForCallers
    this.retryAfterSeconds = retryAfterSeconds
    this.code = code
    this.details = details
  }
}

/** Symbols that the message names; the details have all. */
const MAX_NAMED = 3

/** Returns the error for symbols and CIKs that lead to no company; `path` is the parameter that names them. */
export function unknownCompanies(names: readonly string[], path?: string): ServiceError {
  const messages = names.map((name) => `No company has the ${/^(CIK)?\d+$/i.test(name) ? 'CIK' : 'symbol'} ${name}`)
  const left = messages.length - MAX_NAMED
  const message = [...messages.slice(0, MAX_NAMED), ...(left > 0 ? [`and ${left} more, see details`] : [])].join('; ')
  const details = path === undefined ? undefined : messages.map((each) => ({ path, message: each }))
  return new ServiceError('unknown_ticker', message, details)
}

/**
 * The data, stored or to be stored, is at fault, such as text that the store can't hold, and not the store: trying
 * again fails again.
 */
export class UnstorableError extends Error {}
