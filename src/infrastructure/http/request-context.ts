// The context of a request: one typed object on Express's request, which middleware and handlers read and fill.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ServiceError, type ErrorDetail } from '../../application/errors.ts'
import { hostOf, type ServesHost } from './middleware/host-header.ts'
import { authorityOf, parseTarget, type Target } from './openapi/request-target.ts'
import type { DocumentedOperation } from './openapi/document.ts'
import type { Caching } from './response.ts'

export interface RequestContext {
  id: string
  /** As sent. */
  method: string
  /** Null if the target, the version or the Host header is refused; `fault` says why. */
  target: Target | null
  fault: ServiceError | null
  /** Undefined if the contract has none for this path and method. */
  operation: DocumentedOperation | undefined
  /** How the response may be cached. Set from the start, because errors may come before the operation is known. */
  caching: Caching
  /** The id of the caller's key, if it is valid. Requests are then counted per key instead of per address. */
  keyId: string | undefined
  /** Why a required key is invalid; undefined if it is valid or none is required. */
  keyFault: unknown
  /** Headers that the response gets besides its own. */
  headers: Record<string, string>
  /** The valid parameters of the query string; undefined before they are parsed. */
  query: Record<string, unknown> | undefined
  /** What is wrong with the query string, beside what the validator finds. */
  queryFaults: ErrorDetail[]
  startedAt: number
  bodyBytes: number
  /** The code of an error response, for the log. */
  errorCode: string | undefined
  /** What was thrown, if the answer is a 5xx or was cut; for the log. */
  failure?: unknown
  /** Whether the log line of the request is written. */
  isLogged: boolean
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext
  }
}

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Makes the context and simplifies the request for what comes after: path and query only, no Content-Type if there is
 * no body to describe. Without `servesHost` requests for any host are served.
 */
export function beginRequest(request: IncomingMessage, servesHost: ServesHost | null): RequestContext {
  const method = request.method ?? 'GET'
  // The validator caches a compiled schema for each Content-Type without a limit, so callers could fill the memory.
  if (method !== 'POST' && method !== 'PUT') delete request.headers['content-type']
  const fault = headFault(request, servesHost)
  const target = fault === null ? parseTarget(request.url ?? '') : null
  request.url = target === null ? '/' : target.query === null ? target.path : `${target.path}?${target.query}`
  return {
    id: requestId(request.headers['x-request-id']),
    method,
    target,
    fault: target ? null : (fault ?? malformed('request target', { path: 'path', message: 'is not a plain path' })),
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
    isLogged: false,
  }
}

/** Returns whether it is HTTP/1.0 or 1.1. Node's parser takes 0.9 and 2.0 too, and reads them as 1.1. */
export const isSupportedVersion = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor === 1

function headFault(request: IncomingMessage, servesHost: ServesHost | null): ServiceError | null {
  if (!isSupportedVersion(request)) return malformed('HTTP version', { path: 'version', message: 'is not 1.1 or 1.0' })
  const found = hostOf(request)
  if ('fault' in found) return malformed('Host header', { path: 'header.host', message: found.fault })
  if (servesHost === null) return null
  const hosts = [found.host ?? '', authorityOf(request.url ?? '') ?? '']
  return hosts.every(servesHost) ? null : new ServiceError('misdirected_request', MISDIRECTED)
}

const MISDIRECTED =
  'This service listens on loopback and answers requests only for localhost and the host of PUBLIC_URL: ' +
  'set PUBLIC_URL to the address that readers use, such as https://insider.example.com, ' +
  'or let the proxy in front send Host: localhost'

function malformed(what: string, detail: ErrorDetail): ServiceError {
  return new ServiceError('invalid_parameter', `The ${what} is malformed`, [detail])
}

/** Returns the caller's X-Request-Id if it is well-formed, else a new one. */
function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && WELL_FORMED_ID.test(sent) ? sent : randomUUID()
}
