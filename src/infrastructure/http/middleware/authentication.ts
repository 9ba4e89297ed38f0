// Authentication by API key. It does not use the validator's security, and comes before the body and validation: an odd
// request target could get around a validator, and a caller without a key should not learn what else is wrong.
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import { PROTOCOL_PATH } from '../openapi/document.ts'

const KEYED = /^\/v1\/((watchlist|alerts)(\/|$)|feed\/export$)/
const EXPORTS = /^\/v1\/exports(\/|$)/
// RFC 6750 §2.1; the scheme is case-insensitive by RFC 9110 §11.1.
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Includes unknown paths below the watchlist and the alerts, so that only callers with a key learn which exist. */
export function needsKey(path: string): boolean {
  return KEYED.test(path)
}

/** Whether a path needs a key. */
export type NeedsKey = (path: string) => boolean

/** Like `needsKey`, for a service that serves month files to holders of a key only. */
export const needsKeyForExports: NeedsKey = (path) => needsKey(path) || EXPORTS.test(path)

/** Returns the key's id. Throws `invalid_api_key` or `unavailable`. */
export type VerifyKey = (token: string) => Promise<string>

/**
 * Identifies the key before requests are counted, so that they are counted by key. An invalid key is refused later,
 * because failed attempts count towards the rate limit. With `onPublicRoutes`, keys are identified there too, where
 * invalid ones are ignored. The protocol for language models needs no key, but refuses an invalid one.
 */
export function identify(verify: VerifyKey, onPublicRoutes: boolean, needs: NeedsKey): RequestHandler {
  const find = async (request: Request, isNeeded: boolean, next: NextFunction) => {
    const { context } = request
    try {
      const verified = verify(readBearer(request))
      context.keyId = await (isNeeded ? verified : Promise.race([verified, sleep(MAX_MS, undefined, { ref: false })]))
    } catch (fault) {
      if (isNeeded) context.keyFault = fault
    }
    next()
  }
  // Most requests have no key, and need no promise.
  return (request, _response, next) => {
    const path = request.context.target?.path
    if (path === undefined) return next()
    const isNeeded = needs(path) || (path === PROTOCOL_PATH && request.headers.authorization !== undefined)
    const isOffered = onPublicRoutes && path.startsWith('/v1/') && request.headers.authorization !== undefined
    return isNeeded || isOffered ? find(request, isNeeded, next) : next()
  }
}

/** How long a public route waits to identify the key; then the request counts as one of its address. */
const MAX_MS = 300

/**
 * Refuses requests without a valid key. A key in the query string counts as none: it would appear in logs and
 * histories.
 */
export function requireKey(needs: NeedsKey): RequestHandler {
  return ({ context: { target, keyId, keyFault } }, _response, next) => {
    if (keyFault !== undefined) throw keyFault
    if (target && needs(target.path) && keyId === undefined) throw new Error('authentication middleware did not run')
    next()
  }
}

/** Returns the bearer token. Throws `missing_api_key` or `invalid_api_key`. */
function readBearer(request: IncomingMessage): string {
  const header = request.headers.authorization
  if (header === undefined) {
    throw new ServiceError('missing_api_key', 'Send your API key as Authorization: Bearer <API_KEY>')
  }
  const token = BEARER.exec(header)?.[1]
  // `headers` has only the first of several Authorization headers.
  if (token === undefined || request.headersDistinct.authorization!.length > 1) {
    throw new ServiceError('invalid_api_key', 'The Authorization header must be Bearer <API_KEY>')
  }
  return token
}
