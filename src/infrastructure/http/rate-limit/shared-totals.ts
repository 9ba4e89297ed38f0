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
  return async (name, added) => {
    // The library rejects with its result if the limit is exceeded, and with an Error if it could not count.
    const result = await limiter.consume(name, added).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error
      throw error
    })
    return { total: result.consumedPoints, msBeforeEnd: result.msBeforeNext }
  }
}
