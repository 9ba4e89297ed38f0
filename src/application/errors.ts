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

export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined

  /** For `rate_limited` by another limit than that of all requests. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details?: ErrorDetail[],
    { retryAfterSeconds, ...options }: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.code = code
    this.details = details
  }
}

/**
 * The data, stored or to be stored, is at fault, such as text that the store can't hold, and not the store: trying
 * again fails again.
 */
export class UnstorableError extends Error {}
