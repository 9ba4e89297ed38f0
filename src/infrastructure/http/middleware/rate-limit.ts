// Rate limit: how many requests a key, or an address without one, may make. Off unless set. Counted in fixed windows.
// Headers follow the draft "RateLimit header fields for HTTP" (11): the policy by name, what is left and for how long.
import type { Request, RequestHandler } from 'express'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../../../application/errors.ts'
import { countedAddress } from './client-address.ts'

export interface RateLimit {
  requests: number
  seconds: number
}

const FORM = /^([1-9][0-9]{0,8})\/(s(?:ec(?:ond)?)?|m(?:in(?:ute)?)?|h(?:r|our)?)$/
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 }

/** Parses `600/min` and the like (s, sec, second, m, min, minute, h, hr, hour). Null for anything else. */
export function parseRateLimit(text: string): RateLimit | null {
  const match = FORM.exec(text.trim().toLowerCase())
  const seconds = match && SECONDS[match[2]!.charAt(0)]
  return match && seconds ? { requests: Number(match[1]), seconds } : null
}

/**
 * Refuses with `rate_limited`. `redis` is a connected node-redis client that all processes share; while it is away or
 * slow each counts on its own.
 */
export function limitRate({ requests, seconds }: RateLimit, redis?: object): RequestHandler {
  const limiter = limiterFor({ requests, seconds }, redis)
  const policy = `"default";q=${requests};w=${seconds}`
  return async (request, _response, next) => {
    const counted = countedAs(request)
    if (counted === null) return next()
    const { headers } = request.context
    const state = await outcome(limiter(counted))
    const reset = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
    headers['RateLimit-Policy'] = policy
    headers.RateLimit = `"default";r=${state.remainingPoints};t=${reset}`
    if (!state.refused) return next()
    headers['Retry-After'] = String(reset)
    throw new ServiceError('rate_limited', 'Too many requests; retry after Retry-After seconds')
  }
}

type Limiter = (key: string) => Promise<RateLimiterRes>

function limiterFor({ requests, seconds }: RateLimit, redis?: object): Limiter {
  const memory = new RateLimiterMemory({ points: requests, duration: seconds })
  if (!redis) return (key) => memory.consume(key)
  const shared = new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: 'rate',
    points: requests,
    duration: seconds,
    // A caller far over the limit costs Redis nothing more until its window ends.
    inMemoryBlockOnConsumed: requests + 1,
    insuranceLimiter: memory,
  })
  return inTime(
    (key) => shared.consume(key),
    (key) => memory.consume(key),
  )
}

/** The longest wait for a count; then `otherwise` counts, for a second without trying again. */
const MAX_MS = 100
const APART_MS = 1_000

function inTime(limiter: Limiter, otherwise: Limiter): Limiter {
  let apartUntil = 0
  return (key) => {
    if (performance.now() < apartUntil) return otherwise(key)
    const { promise, resolve, reject } = Promise.withResolvers<RateLimiterRes>()
    // After a pause of this process timers run before sockets are read: an answer that lies there by then was in time.
    const timer = setTimeout(
      () =>
        setImmediate(() => {
          if (isOver) return
          apartUntil = performance.now() + APART_MS
          resolve(otherwise(key))
        }),
      MAX_MS,
    )
    let isOver = false
    limiter(key)
      .then(resolve, reject)
      .finally(() => {
        isOver = true
        clearTimeout(timer)
      })
    return promise
  }
}

/**
 * Converts the library's result: it rejects with its state if the limit is exceeded, and with an Error if it could not
 * count.
 */
async function outcome(counting: Promise<RateLimiterRes>) {
  try {
    const { msBeforeNext, remainingPoints } = await counting
    return { msBeforeNext, remainingPoints, refused: false }
  } catch (state) {
    if (!(state instanceof RateLimiterRes)) throw state
    return { msBeforeNext: state.msBeforeNext, remainingPoints: 0, refused: true }
  }
}

/** Returns null if nothing is counted: outside `/v1`, and from this machine. */
function countedAs(request: Request): string | null {
  const { keyId, target } = request.context
  if (!target?.path.startsWith('/v1/')) return null
  if (keyId !== undefined) return `key:${keyId}`
  const address = countedAddress(request.ip ?? '')
  return address === null ? null : `address:${address}`
}
