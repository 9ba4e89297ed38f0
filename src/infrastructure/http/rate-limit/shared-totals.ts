// How many requests each caller made of all processes together: totals in Redis.
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** How many requests a caller made in its window, and the milliseconds until that ends. */
export interface Total {
  total: number
  msBeforeEnd: number
}

/** Adds so many requests of a caller. Rejects with an Error where that could not be done. */
export type AddToTotal = (name: string, requests: number) => Promise<Total>

/** Returns what adds to the totals in `redis`, a connected node-redis client; a window is that many seconds long. */
export function sharedTotals({ requests, seconds }: { requests: number; seconds: number }, redis: object): AddToTotal {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: 'rate',
    points: requests,
    duration: seconds,
  })
  const consume = (name: string, added: number) =>
    // The library rejects with its result if the limit is exceeded, and with an Error if it could not count.
    limiter.consume(name, added).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error
      throw error
    })
  return async (name, added) => {
    let result = await consume(name, added)
    // Redis ends windows by the time of day: one that ends later than a window lasts began when that was ahead.
    if (result.msBeforeNext > seconds * 1_000) {
      await limiter.delete(name)
      result = await consume(name, added)
    }
    return { total: result.consumedPoints, msBeforeEnd: result.msBeforeNext }
  }
}
