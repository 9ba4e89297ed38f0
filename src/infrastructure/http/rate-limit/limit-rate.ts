// Rate limit: how many requests a key, or an address without one, may make. Off unless set. Counted in fixed windows.
// Headers follow the draft "RateLimit header fields for HTTP" (11): the policy by name, what is left and for how long.
import type { RequestHandler } from 'express'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible'
import { ServiceError } from '../../../application/errors.ts'
import { PROTOCOL_PATH } from '../openapi/document.ts'
import { countedCaller } from '../middleware/client-address.ts'

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

/** The result of counting a request: the headers of its answer, and whether it is one too many. */
interface Counted {
  headers: Record<string, string>
  refused: boolean
}

/**
 * Counts a request by its key, or without one by `countedCaller`. Returns null if the request is not counted.
 */
export type CountRequest = (caller: { keyId: string | undefined; address: string | null }) => Promise<Counted> | null

const RATE_LIMITED = new ServiceError('rate_limited', 'Too many requests; try again after the seconds in Retry-After')

/** How long one request waits for Redis. */
const MAX_WAIT_MS = 100

/**
 * Returns the function that counts requests. With `redis`, a connected node-redis client, processes share one count; a
 * request that Redis does not count within `maxWaitMs` is counted by this process alone.
 */
export function requestCounter(limit: RateLimit, redis?: object, maxWaitMs = MAX_WAIT_MS): CountRequest {
  const limiter = limiterOf(limit, redis, maxWaitMs)
  const policy = `"default";q=${limit.requests};w=${limit.seconds}`
  const consume = async (name: string): Promise<{ result: RateLimiterRes; refused: boolean }> => {
    try {
      return { result: await limiter.consume(name), refused: false }
    } catch (error) {
      // The library rejects with its result if the limit is exceeded.
      if (error instanceof RateLimiterRes) return { result: error, refused: true }
      throw error
    }
  }
  const count = async (name: string): Promise<Counted> => {
    let { result, refused } = await consume(name)
    // A window that ends later than a new one would began before the clock was set back.
    if (result.msBeforeNext > limit.seconds * 1_000) {
      await limiter.delete(name)
      ;({ result, refused } = await consume(name))
    }
    const reset = Math.max(1, Math.ceil(result.msBeforeNext / 1_000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${result.remainingPoints};t=${reset}` }
    return refused ? { headers: { ...headers, 'Retry-After': String(reset) }, refused } : { headers, refused }
  }
  return ({ keyId, address }) => {
    if (keyId !== undefined) return count(`key:${keyId}`)
    return address === null ? null : count(`address:${address}`)
  }
}

function limiterOf({ requests, seconds }: RateLimit, redis: object | undefined, maxWaitMs: number) {
  const options = { keyPrefix: 'rate', points: requests, duration: seconds }
  const alone = new RateLimiterMemory(options)
  if (redis === undefined) return alone
  const together = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // Once a caller is above its limit, Redis is not queried again until the window ends.
    inMemoryBlockOnConsumed: requests,
  })
  return new RLWrapperTimeouts({ limiter: together, timeoutMs: maxWaitMs, insuranceLimiter: alone })
}

/** Refuses requests beyond the limit with `rate_limited`. Requests outside `/v1` and `/mcp` are not counted. */
export function limitRate(count: CountRequest, proxies: number): RequestHandler {
  return async (request, _response, next) => {
    const { keyId, target, headers } = request.context
    if (target?.path.startsWith('/v1/') || target?.path === PROTOCOL_PATH) {
      const counted = await count({ keyId, address: countedCaller(request, proxies) })
      if (counted) Object.assign(headers, counted.headers)
      if (counted?.refused) throw RATE_LIMITED
    }
    next()
  }
}
