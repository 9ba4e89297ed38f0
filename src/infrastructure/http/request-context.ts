// The context of one request: what is known of it while it is answered. One plain object on the request, typed, instead
// of loose properties.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError, type ErrorDetail } from '../../application/errors.ts'
import { hostFault } from './middleware/host-header.ts'
import { parseTarget, type Target } from './openapi/request-target.ts'
import type { DocumentedOperation } from './openapi/document.ts'
import type { Caching } from './response.ts'

export interface RequestContext {
  id: string
  /** As sent. */
  method: string
  /** Null where the head of the request is unusable; `fault` says why. */
  target: Target | null
  fault: ServiceError | null
  /** Undefined where the contract has none for this path and method. */
  operation: DocumentedOperation | undefined
  /** How the response may be cached; of an error too, which may come before the operation is known. */
  caching: Caching
  /** The id of the caller's key, if it is valid. Requests are then counted per key instead of per address. */
  keyId: string | undefined
  /** Why a required key is invalid; undefined if it is valid or none is required. */
  keyFault: unknown
  /** Headers that the response gets besides its own. */
  headers: Record<string, string>
  /** Its parameters that the operation has; undefined before they are read. */
  query: Record<string, unknown> | undefined
  /** What is wrong with its query, beside what the validator finds. */
  queryFaults: ErrorDetail[]
  startedAt: number
  bodyBytes: number
  /** Of an error response, for the log. */
  errorCode: string | undefined
  /** What was thrown, where the answer is a 5xx; for the log. */
  failure?: unknown
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext
  }
}

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Makes the context and simplifies the request for what comes after: path and query only, no Content-Type if there is
 * no body to describe.
 */
export function beginRequest(request: IncomingMessage): RequestContext {
  const method = request.method ?? 'GET'
  // The validator keeps a compiled schema for every Content-Type it ever saw, about 12 kB each.
  if (method !== 'POST' && method !== 'PUT') delete request.headers['content-type']
  const fault = hostFault(request)
  const target = fault === null ? parseTarget(request.url ?? '') : null
  request.url = target === null ? '/' : target.query === null ? target.path : `${target.path}?${target.query}`
  return {
    id: requestId(request.headers['x-request-id']),
    method,
    target,
    fault: target ? null : unusable(fault),
    operation: undefined,
    caching: 'revalidate',
    keyId: undefined,
    keyFault: undefined,
    headers: {},
    query: undefined,
    queryFaults: [],
    startedAt: performance.now(),
    bodyBytes: 0,
    errorCode: undefined,
  }
}

function unusable(hostFault: string | null): ServiceError {
  const [what, path, message] =
    hostFault === null ? ['request target', 'path', 'is not a plain path'] : ['Host header', 'header.host', hostFault]
  return new ServiceError('invalid_parameter', `The ${what} is malformed`, [{ path, message }])
}

/** Returns the caller's X-Request-Id where it is well-formed, else a new one. */
function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && WELL_FORMED_ID.test(sent) ? sent : randomUUID()
}
