// Methods that a path does not have, CORS preflights, and redirects. Web pages may read what is public. A preflight
// carries no key, so on a keyed route it is refused before it gets here, and browsers send no key there.
import type { RequestHandler } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import type { DocumentedPath } from '../openapi/document.ts'
import type { NeedsKey } from './authentication.ts'
import { CORS_HEADERS, end } from '../response.ts'

/** Answers OPTIONS, and refuses every other method that the path does not have. Comes after its handlers. */
export function handleMethod({ operations }: DocumentedPath, needs: NeedsKey): RequestHandler {
  const heads = operations.has('GET') ? ['HEAD'] : []
  const allowed = [...operations.keys(), ...heads, 'OPTIONS'].join(', ')
  return (request, response) => {
    const { target, headers, method, id } = request.context
    headers.Allow = allowed
    if (method !== 'OPTIONS') throw new ServiceError('method_not_allowed', 'Method not allowed')
    const cors = needs(target!.path) ? {} : { ...CORS_HEADERS, ...PREFLIGHT }
    end(response, 204, { ...headers, ...cors, 'X-Request-Id': id })
  }
}

/** Redirects people who type a short address, by a relative one. */
export function redirect(address: string): RequestHandler {
  return ({ context: { id } }, response) =>
    end(response, 302, { 'Content-Length': 0, 'Cache-Control': 'no-store', Location: address, 'X-Request-Id': id })
}

// Clients that send their key or a Content-Type with every request may do so where neither is needed.
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, If-None-Match, If-Range, Last-Event-ID, Range, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}
