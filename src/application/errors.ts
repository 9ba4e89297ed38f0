// Errors that callers can meet, by the contract's codes. The HTTP layer decides the status of each.
export type ErrorCode =
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'cursor_expired'
  | 'invalid_body'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'unknown_ticker'
  | 'unknown_insider'
  | 'unknown_signal'
  | 'unknown_filing'
  | 'unknown_notice'
  | 'unknown_dataset'
  | 'unknown_delivery'
  | 'unknown_alert'
  | 'not_on_watchlist'
  | 'not_found'
  | 'method_not_allowed'
  | 'watchlist_full'
  | 'alerts_full'
  | 'no_webhook_address'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'webhook_url_refused'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'

export interface ErrorDetail {
  /** Such as `query.limit`, `path.ticker`, `body.webhookUrl`. */
  path: string
  message: string
  /** Why a well-formed webhook address can't be used. */
  code?: 'address_not_public' | 'name_not_resolved'
}

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
