// Answers requests from the cache, before Express. These requests are logged, measured and rate-limited like all
// others.
import type { Request, Response } from 'express'
import { errorResponder } from '../middleware/error-handler.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { limitRate, type CountRequest } from '../rate-limit/limit-rate.ts'
import { acceptsGzip, send } from '../response.ts'
import type { AnswerCache } from './answer-cache.ts'

interface CachedService {
  cache: AnswerCache
  metrics: Metrics
  /** Undefined if requests are not limited. */
  count: CountRequest | undefined
  /** How many proxies in front add to X-Forwarded-For. */
  trustProxy: number
}

/** Answers a request from the cache, or returns false and leaves it untouched. */
export type ServeCached = (request: Request, response: Response) => boolean

export function cachedAnswers({ cache, metrics, count, trustProxy }: CachedService): ServeCached {
  const limit = count && limitRate(count, trustProxy)
  const fail = errorResponder()
  return (request, response) => {
    const answer = isCacheable(request, count !== undefined) ? cache.find(request.url) : undefined
    if (answer === undefined) return false
    const isCompressed = acceptsGzip(request)
    // The first request that accepts gzip goes through Express, which compresses the answer.
    if (isCompressed && answer.gzip === undefined) return false
    Object.assign(request.context, { operation: answer.operation, query: answer.query })
    metrics.answeredFromMemory()
    const { content, gzip } = answer
    const respond = () => send(response, 'revalidate', isCompressed && gzip ? { ...content, gzip } : content)
    if (limit)
      Promise.resolve(limit(request, response, respond)).catch((fault) => fail(fault, request, response, () => {}))
    else respond()
    return true
  }
}

/** Returns whether the cache may answer the request: it has no body, and no key for the rate limit to verify. */
function isCacheable({ context, headers }: Request, isCounted: boolean): boolean {
  if (context.target === null || (context.method !== 'GET' && context.method !== 'HEAD')) return false
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
  return headers.expect === undefined && !(isCounted && headers.authorization !== undefined)
}
