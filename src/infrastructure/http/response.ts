// Responses: one head, one buffer. `response.json` ends here too, so that validated and unvalidated responses take one
// way. One writeHead with all headers and an end with a Buffer costs 8 to 16 us less than Express's own json and send.
import { hash } from 'node:crypto'
import type { Express, Response } from 'express'
import { endAfterBody, leavesUnread } from './server/unread-body.ts'

export type Caching =
  /** Stored by any cache, revalidated before each use by its ETag, readable by any web page. */
  | 'revalidate'
  /** For the holder of one key. */
  | 'private'
  /** Not to be cached. */
  | 'none'

/** A body that is not the contract's JSON: a page, a script, metrics. */
export interface Content {
  type: string
  bytes: Buffer
  /** Computed from the bytes if absent. */
  etag?: string
  headers?: Record<string, string>
}

type Headers = Record<string, string | number>

// Static, so cheaper than a middleware that sets them one by one.
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
const CACHE_CONTROL: Record<Caching, string> = {
  revalidate: 'public, max-age=0, must-revalidate',
  private: 'private, no-store',
  none: 'no-store',
}
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
}

/** Makes `response.json` of this application use `send`. The validator of responses wraps what it finds there. */
export function installJson(app: Express, cachingOf: (response: Response) => Caching) {
  app.response.json = function json(this: Response, body: unknown) {
    send(this, cachingOf(this), { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) })
    return this
  }
}

/**
 * Sends `content` with the status that the response has. Errors are never cached: they carry a request id and are
 * momentary.
 */
export function send(response: Response, caching: Caching, content: Content): void {
  const { context } = response.req
  const kept = caching === 'revalidate' && response.statusCode === 200
  const headers: Record<string, string | number> = {
    ...SECURITY_HEADERS,
    ...(caching === 'revalidate' ? CORS_HEADERS : {}),
    'Cache-Control': caching === 'revalidate' && !kept ? CACHE_CONTROL.none : CACHE_CONTROL[caching],
    'X-Request-Id': context.id,
    ...context.headers,
    ...content.headers,
  }
  if (kept) {
    headers.ETag = content.etag ?? etagOf(content.bytes)
    if (matches(response.req.headers['if-none-match'], headers.ETag)) return end(response, 304, headers)
  }
  headers['Content-Type'] = content.type
  headers['Content-Length'] = content.bytes.length
  context.bodyBytes = context.method === 'HEAD' ? 0 : content.bytes.length
  end(response, response.statusCode, headers, content.bytes)
}

export function end(response: Response, status: number, headers: Headers, bytes?: Buffer): void {
  const isUnread = leavesUnread(response.req)
  response.writeHead(status, isUnread ? { ...headers, Connection: 'close' } : headers)
  if (isUnread) endAfterBody(response.req, response, bytes)
  else response.end(bytes)
}

/** Returns a strong ETag: equal only for equal bytes. 162 bits of SHA-256 are plenty and keep the header short. */
export function etagOf(bytes: Buffer): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`
}

/** Evaluates If-None-Match by RFC 9110 §13.1.2: `*`, or a list compared weakly, so `W/"x"` matches `"x"`. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  for (const [, tag] of ifNoneMatch.matchAll(/(?:^|[\s,])(?:W\/)?("[^"]*")/g)) {
    if (tag === etag) return true
  }
  return false
}
