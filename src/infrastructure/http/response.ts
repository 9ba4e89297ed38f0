// Sends responses: headers that answers share, ETags and 304, the compressed body, and the end of a connection whose
// request was not read.
import { hash } from 'node:crypto'
import type { Request, Response } from 'express'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { gzipEtag, type Variant } from './cache/compression.ts'
import { endAfterBody, leavesUnread } from './server/unread-body.ts'

export type Headers = Readonly<Record<string, string | number>>

/** Headers of one answer, beside those that all share. */
export type AnswerHeaders = Readonly<Record<string, string>>

export type Caching =
  /** Stored by any cache, revalidated before each use by its ETag, readable by any web page. */
  | 'revalidate'
  /** Not to be cached, and only for the holder of the key. */
  | 'private'
  /** Not to be cached. */
  | 'none'
  /** Not to be cached, readable by any web page. */
  | 'public-no-store'

/** A body that is not the contract's JSON: a page, a script, metrics. */
export interface Content {
  type: string
  bytes: Buffer
  /** Computed from the bytes if absent. */
  etag?: string
  headers?: AnswerHeaders
  /** The bytes compressed by gzip, if the caller accepts that. */
  gzip?: Variant | null
}

// Static, so cheaper than a middleware that sets them one by one.
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
const CACHE_CONTROL: Record<Caching | 'error', string> = {
  error: 'no-store',
  revalidate: 'public, max-age=0, must-revalidate',
  private: 'private, no-store',
  none: 'no-store',
  'public-no-store': 'no-store',
}
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Unknown-Tickers',
}

const SHARED_HEADERS = {
  error: { ...SECURITY_HEADERS, ...CORS_HEADERS, 'Cache-Control': CACHE_CONTROL.error },
  revalidate: { ...SECURITY_HEADERS, ...CORS_HEADERS, 'Cache-Control': CACHE_CONTROL.revalidate },
  private: { ...SECURITY_HEADERS, 'Cache-Control': CACHE_CONTROL.private },
  none: { ...SECURITY_HEADERS, 'Cache-Control': CACHE_CONTROL.none },
  'public-no-store': { ...SECURITY_HEADERS, ...CORS_HEADERS, 'Cache-Control': CACHE_CONTROL['public-no-store'] },
}

/** Returns the headers that answers of this kind share, with those of one answer. */
export function headersOf(caching: Caching | 'error', own: Headers): Headers {
  return { ...SHARED_HEADERS[caching], ...own }
}

/**
 * Sends `content` with the status that the response has. Caches may store successes only: an error has a request id,
 * and may be gone with the next request.
 */
export function send(response: Response, caching: Caching, content: Content): void {
  const { context } = response.req
  const kept = caching === 'revalidate' && response.statusCode === 200
  const headers: Record<string, string | number> = {
    'X-Request-Id': context.id,
    ...context.headers,
    ...content.headers,
  }
  if (content.type === 'application/json' && caching !== 'none') headers.Vary = 'Accept-Encoding'
  const kind = caching === 'revalidate' && !kept ? 'error' : caching
  let { bytes } = content
  if (kept) {
    const etag = content.etag ?? etagOf(bytes)
    headers.ETag = content.gzip?.etag ?? etag
    // The ETag of the compressed variant names the same content. Cache-Control is left out: `fetch` adds no-cache to
    // each request that names an ETag itself.
    const condition = { 'if-none-match': response.req.headers['if-none-match'] }
    if ([etag, gzipEtag(etag)].some((known) => fresh(condition, { etag: known })))
      return end(response, 304, headersOf(kind, headers))
  }
  if (content.gzip && (kept || caching === 'public-no-store')) {
    headers['Content-Encoding'] = 'gzip'
    bytes = content.gzip.bytes
  }
  headers['Content-Type'] = content.type
  headers['Content-Length'] = bytes.length
  context.bodyBytes = context.method === 'HEAD' ? 0 : bytes.length
  end(response, response.statusCode, headersOf(kind, headers), bytes)
}

/** Sends a response with these headers alone, and ends it. */
export function end(response: Response, status: number, headers: Headers, bytes?: Buffer): void {
  const isUnread = leavesUnread(response.req)
  response.writeHead(status, isUnread ? { ...headers, Connection: 'close' } : headers)
  if (isUnread) endAfterBody(response.req, response, bytes)
  else response.end(bytes)
}

/** Returns a strong ETag: equal only for equal bytes. A part of the SHA-256 is enough, and keeps the header short. */
export function etagOf(bytes: Buffer): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`
}

/** Returns whether Accept-Encoding allows gzip. */
export const acceptsGzip = ({ headers }: Pick<Request, 'headers'>): boolean =>
  new Negotiator({ headers }).encodings(['gzip']).length > 0
