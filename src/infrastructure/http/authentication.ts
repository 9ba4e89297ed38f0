// Who may use a route with a key. Our own, and before everything else that looks at the request: a validator can be
// walked around by an odd request target, and nobody without a key should learn what else is wrong with a request.
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { ServiceError } from '../../application/errors.ts'

const KEYED = /^\/v1\/watchlist(\/|$)/
// RFC 6750 §2.1; the scheme is case-insensitive by RFC 9110 §11.1.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Also for paths below the watchlist that do not exist: what is there is only for those with a key to see. */
export function needsKey(path: string): boolean {
  return KEYED.test(path)
}

/** Refuses what brings no key. A key in the query string counts as none: it would stand in logs and histories. */
export function requireKey(): RequestHandler {
  return (request, _response, next) => {
    const { target } = request.exchange
    if (target && needsKey(target.path)) readBearer(request)
    next()
  }
}

/** The bearer token. Throws `missing_api_key` or `invalid_api_key`. */
export function readBearer(request: IncomingMessage): string {
  const header = request.headers.authorization
  if (header === undefined) {
    throw new ServiceError('missing_api_key', 'Send your API key as Authorization: Bearer <API_KEY>')
  }
  const token = BEARER.exec(header)?.[1]
  // node keeps the first of several and drops the rest, so it must be counted in the raw list
  if (token === undefined || countHeader(request, 'authorization') > 1) {
    throw new ServiceError('invalid_api_key', 'The Authorization header is not of the form Bearer <API_KEY>')
  }
  return token
}

function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((text, place) => place % 2 === 0 && text.toLowerCase() === name).length
}
