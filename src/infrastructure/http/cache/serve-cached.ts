// Answers requests from the cache, before Express. These requests are logged, measured and rate-limited like all others.
import type { Request, Response } from 'express'
import { errorResponder } from '../middleware/error-handler.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { limitRate, type CountRequest } from '../rate-limit/limit-rate.ts'
import { acceptsGzip, send } from '../response.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { CachedAnswer } from './cached-answer.ts'

interface CachedService {
  cache: AnswerCache
  metrics: Metrics
  /** Undefined if requests are not limited. */
  count: CountRequest | undefined
  /** How many proxies in front add to X-Forwarded-For. */
  trustProxy: number
}

/** Answers a request from the cache, or returns false and leaves it as it is. */
export type ServeCached = (request: Request, response: Response) => boolean

/** Returns the function that answers from the cache. */
export function cachedAnswers({ cache, metrics, count, trustProxy }: CachedService): ServeCached {
  const limit = count && limitRate(count, trustProxy)
  const fail = errorResponder()
  return (request, response) => {
    const answer = isPlain(request, count !== undefined) ? cache.find(request.url) : undefined
    if (answer === undefined) return false
    const isCompressed = acceptsGzip(request.headers['accept-encoding'])
    // The first request that accepts gzip goes through Express, which compresses the answer.
    if (isCompressed && answer.gzip === undefined) return false
    Object.assign(request.context, { operation: answer.operation, query: answer.query })
    metrics.answeredFromMemory()
    const respond = () => sendKept(response, answer, isCompressed)
    if (limit)
      Promise.resolve(limit(request, response, respond)).catch((fault) => fail(fault, request, response, () => {}))
    else respond()
    return true
  }
}

function sendKept(response: Response, { content, gzip }: CachedAnswer, isCompressed: boolean): void {
  send(response, 'revalidate', isCompressed && gzip ? { ...content, gzip } : content)
}

/** Returns whether the answer can be sent as it is: the request has no body, and no key for the rate limit to verify. */
function isPlain({ context, headers }: Request, isCounted: boolean): boolean {
  if (context.target === null || (context.method !== 'GET' && context.method !== 'HEAD')) return false
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
  return headers.expect === undefined && !(isCounted && headers.authorization !== undefined)
}
