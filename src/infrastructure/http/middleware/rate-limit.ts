// Rate limit: how many requests a key, or an address without one, may make. Off unless set. Counted in fixed windows.
// Headers follow the draft "RateLimit header fields for HTTP" (11): the policy by name, what is left and for how long.
import type { RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../../../application/errors.ts'
import { callerAddress, countedAddress } from './client-address.ts'

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

/** What the count says of a request: the headers of its answer, and whether it is one too many. */
export interface Counted {
  headers: Record<string, string>
  refused: boolean
}

/** Counts a request of this key, or of this address where there is none; null where nothing is counted. */
export type CountRequest = (caller: { keyId: string | undefined; address: string }) => Promise<Counted> | Counted | null

export const RATE_LIMITED = new ServiceError('rate_limited', 'Too many requests; retry after Retry-After seconds')

/**
 * Returns what counts requests under `/v1`. `redis` is a connected node-redis client that all processes share; while it
 * is away or slow each counts on its own. Without it this process counts, and does not wait for the count.
 */
export function requestCounter(limit: RateLimit, redis?: object): CountRequest {
  const count = redis ? sharedCount(limit, redis) : ownCount(limit)
  return ({ keyId, address }) => {
    if (keyId !== undefined) return count(`key:${keyId}`)
    // Requests from this machine are not counted.
    const counted = countedAddress(address)
    return counted === null ? null : count(`address:${counted}`)
  }
}

function sharedCount(limit: RateLimit, redis: object): (name: string) => Promise<Counted> {
  const limiter = limiterFor(limit, redis)
  const counted = countedBy(limit)
  return async (name) => counted(await outcome(limiter(name)))
}

function ownCount(limit: RateLimit): (name: string) => Counted {
  const own = new OwnCounter(limit)
  const counted = countedBy(limit)
  return (name) => counted(own.count(name))
}

interface State {
  msBeforeNext: number
  remainingPoints: number
  refused: boolean
}

function countedBy({ requests, seconds }: RateLimit): (state: State) => Counted {
  const policy = `"default";q=${requests};w=${seconds}`
  return ({ msBeforeNext, remainingPoints, refused }) => {
    const reset = Math.max(1, Math.ceil(msBeforeNext / 1000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${remainingPoints};t=${reset}` }
    return refused ? { headers: { ...headers, 'Retry-After': String(reset) }, refused } : { headers, refused }
  }
}

/** Callers that are counted at once; beyond that those are forgotten that have not called for longest. */
const MAX_CALLERS = 100_000

/** Counts in fixed windows, which begin with a caller's first request, as the library does with a promise for each. */
class OwnCounter {
  readonly #limit: RateLimit
  readonly #windows = new LRUCache<string, { count: number; endsAt: number }>({ max: MAX_CALLERS })

  constructor(limit: RateLimit) {
    this.#limit = limit
  }

  count(name: string): State {
    const { requests, seconds } = this.#limit
    const now = Date.now()
    let window = this.#windows.get(name)
    if (window === undefined || window.endsAt <= now) {
      window = { count: 0, endsAt: now + seconds * 1_000 }
      this.#windows.set(name, window)
    }
    window.count += 1
    const refused = window.count > requests
    return { msBeforeNext: window.endsAt - now, remainingPoints: Math.max(0, requests - window.count), refused }
  }
}

/** Refuses with `rate_limited` what `count` finds too much, behind `proxies`. Outside `/v1` nothing is counted. */
export function limitRate(count: CountRequest, proxies: number): RequestHandler {
  return (request, _response, next) => {
    const { keyId, target, headers } = request.context
    const counting = target?.path.startsWith('/v1/') ? count({ keyId, address: callerAddress(request, proxies) }) : null
    if (counting === null) return next()
    const settle = (counted: Counted) => {
      Object.assign(headers, counted.headers)
      if (counted.refused) throw RATE_LIMITED
      next()
    }
    return counting instanceof Promise ? counting.then(settle) : settle(counting)
  }
}

type Limiter = (key: string) => Promise<RateLimiterRes>

function limiterFor({ requests, seconds }: RateLimit, redis: object): Limiter {
  const memory = new RateLimiterMemory({ points: requests, duration: seconds })
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
async function outcome(counting: Promise<RateLimiterRes>): Promise<State> {
  try {
    const { msBeforeNext, remainingPoints } = await counting
    return { msBeforeNext, remainingPoints, refused: false }
  } catch (state) {
    if (!(state instanceof RateLimiterRes)) throw state
    return { msBeforeNext: state.msBeforeNext, remainingPoints: 0, refused: true }
  }
}
