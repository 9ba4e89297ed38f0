// What is known of one request while it is answered. One plain object on the request, typed, instead of loose
// properties.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../application/errors.ts'
import { hostFault } from './middleware/host-header.ts'
import { parseTarget, type Target } from './openapi/request-target.ts'
import type { Route } from './openapi/routes.ts'

export interface RequestContext {
  id: string
  /** As sent; the request itself says GET for a HEAD. */
  method: string
  /** Null where the head of the request is unusable; `fault` says why. */
  target: Target | null
  fault: ServiceError | null
  route: Route | null
  /** Where the caller's key is known to be good: its id. Counts requests per key instead of per address. */
  keyId: string | undefined
  /** Why the key that was asked for is none; undefined where it is good or none is needed. */
  keyFault: unknown
  /** Headers that the answer gets besides its own. */
  headers: Record<string, string>
  startedAt: number
  bodyBytes: number
  /** Of a refusal, for the log. */
  errorCode: string | undefined
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext
  }
}

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Begins a request and makes the request plain for what comes after: path and query only, GET for HEAD (node
 * withholds the body all the same, as it looked at the method before), no Content-Type where there is no body to
 * describe.
 */
export function beginRequest(request: IncomingMessage): RequestContext {
  const method = request.method ?? 'GET'
  if (method === 'HEAD') request.method = 'GET'
  // The validator keeps a compiled schema for every Content-Type it ever met, about 12 kB each.
  if (method !== 'POST') delete request.headers['content-type']
  const fault = hostFault(request)
  const target = fault === null ? parseTarget(request.url ?? '') : null
  request.url = target === null ? '/' : target.query === null ? target.path : `${target.path}?${target.query}`
  return {
    id: requestId(request.headers['x-request-id']),
    method,
    target,
    fault: target ? null : unusable(fault),
    route: null,
    keyId: undefined,
    keyFault: undefined,
    headers: {},
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

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && WELL_FORMED_ID.test(sent) ? sent : randomUUID()
}
