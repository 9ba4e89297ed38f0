// The error handler, which answers every error in the contract's envelope. A new error code does not compile without
// its status in this table.
import type { ErrorRequestHandler } from 'express'
import { ServiceError, type ErrorCode } from '../../../application/errors.ts'
import type { components } from '../../../contract.ts'
import { invalidRequest } from '../invalid-request.ts'
import { faultsOfValidator } from '../openapi/validation-messages.ts'
import { send } from '../response.ts'
import { logFailure } from './request-log.ts'

type ErrorEnvelope = components['schemas']['Error']

export const STATUS: Record<ErrorCode, number> = {
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_body: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  unknown_ticker: 404,
  unknown_insider: 404,
  unknown_signal: 404,
  unknown_filing: 404,
  unknown_notice: 404,
  unknown_dataset: 404,
  unknown_delivery: 404,
  unknown_alert: 404,
  not_on_watchlist: 404,
  not_found: 404,
  method_not_allowed: 405,
  watchlist_full: 409,
  alerts_full: 409,
  no_webhook_address: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  misdirected_request: 421,
  webhook_url_refused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
}

// The message of a 5xx that is not written for callers: a store's message may name hosts, queries or data.
const PUBLIC_MESSAGE: Partial<Record<ErrorCode, string>> = {
  internal_error: 'Internal server error',
  unavailable: 'The service is temporarily unavailable; try again',
}

const RETRY_AFTER_SECONDS = '5'

/** Turns whatever was thrown into the response. Causes of a 5xx, and of answers that are cut, go to the log. */
export function errorResponder(): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const error = toServiceError(thrown)
    const status = STATUS[error.code]
    if (status >= 500 || response.headersSent) logFailure(request, thrown)
    // A failure after the head was sent can't be reported any more, except by cutting the connection.
    if (response.headersSent) return void response.destroy()
    request.context.errorCode = error.code
    addHeaders(error, request.context.headers)
    const bytes = Buffer.from(JSON.stringify(envelope(error, request.context.id)))
    response.statusCode = status
    send(response, request.context.caching, { type: 'application/json', bytes })
  }
}

export function envelope(error: ServiceError, requestId: string): ErrorEnvelope {
  const { code, details, isForCallers } = error
  const message = (isForCallers ? undefined : PUBLIC_MESSAGE[code]) ?? error.message
  return { success: false, error: { code, message, ...(details?.length ? { details } : {}), requestId } }
}

function addHeaders({ code, retryAfterSeconds }: ServiceError, headers: Record<string, string>) {
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds)
  if (STATUS[code] === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (code === 'unavailable') headers['Retry-After'] ??= RETRY_AFTER_SECONDS
}

const NOT_JSON = 'The body must be application/json'

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  const faults = faultsOfValidator(thrown)
  if (faults) return invalidRequest(faults, thrown)
  const { status } = (thrown ?? {}) as { status?: number }
  if (status === 415) return new ServiceError('unsupported_media_type', NOT_JSON, undefined, { cause: thrown })
  return new ServiceError('internal_error', 'unexpected', undefined, { cause: thrown })
}
