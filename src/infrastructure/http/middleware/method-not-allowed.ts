// Methods and CORS. Web pages may read what is public. Preflights are answered here; a watchlist route never gets this
// far without a key, which a preflight does not carry, so browsers refuse to send one there.
import type { RequestHandler } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import type { NeedsKey } from './authentication.ts'
import { CORS_HEADERS, end } from '../response.ts'
import type { Route } from '../openapi/routes.ts'

/**
 * Refuses unusable targets, unknown paths and unsupported methods; answers OPTIONS, and redirects to the
 * reference, also from `/` where there is no dashboard. What passes has an operation.
 */
export function settleMethod(hasDashboard: boolean, needs: NeedsKey): RequestHandler {
  return (request, response, next) => {
    const { target, fault, route, headers, method, id } = request.context
    if (!target) throw fault
    const page = request.method === 'GET' && !(hasDashboard && route) ? PAGES.get(target.path) : undefined
    if (page !== undefined) return end(response, 302, { ...REDIRECTION, Location: page, 'X-Request-Id': id })
    if (!route) throw new ServiceError('not_found', 'There is nothing at this path')
    if (route.operation) return next()
    headers.Allow = allowed(route)
    if (method !== 'OPTIONS') throw new ServiceError('method_not_allowed', 'Method not allowed')
    const cors = needs(target.path) ? {} : { ...CORS_HEADERS, ...PREFLIGHT }
    end(response, 204, { ...headers, ...cors, 'X-Request-Id': id })
  }
}

// Where people who type an address want to go. Relative, so that it also works below a prefix that a proxy removes.
const PAGES = new Map([
  ['/', 'docs'],
  ['/docs/', '../docs'],
])
const REDIRECTION = { 'Content-Length': 0, 'Cache-Control': 'no-store' }

// Clients that send their key or a Content-Type with every request may do so where neither is needed.
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, If-None-Match, If-Range, Last-Event-ID, Range, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

function allowed({ methods }: Route): string {
  const heads = methods.includes('GET') ? ['HEAD'] : []
  return [...methods, ...heads, 'OPTIONS'].join(', ')
}
