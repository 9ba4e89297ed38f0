// The refusals a caller can meet, by the contract's names. What status each has is the HTTP layer's business.
export type ErrorCode =
  | 'invalid_parameter'
  | 'invalid_cursor'
  | 'invalid_body'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'unknown_ticker'
  | 'unknown_insider'
  | 'unknown_signal'
  | 'not_on_watchlist'
  | 'not_found'
  | 'method_not_allowed'
  | 'watchlist_full'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'webhook_url_refused'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'

export interface ErrorDetail {
  /** Where: `query.limit`, `path.ticker`, `body.webhookUrl`. */
  path: string
  message: string
  /** Of a webhook address whose form is good: why it can't be used all the same. */
  code?: 'address_not_public' | 'name_not_resolved'
}

export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined

  constructor(code: ErrorCode, message: string, details?: ErrorDetail[], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }
}

/**
 * What is stored, or was to be, is at fault, such as text that the store can't hold, and not the store: it fails again
 * with the same.
 */
export class UnstorableError extends Error {}
