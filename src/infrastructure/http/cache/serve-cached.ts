// Answers from memory, before Express: a request target that went through the whole chain once is answered from the
// cache while that answer is current. The request is logged, measured, limited and named like any other.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { callerAddress, countedCaller } from '../middleware/client-address.ts'
import { envelope } from '../middleware/error-handler.ts'
import { hostFault } from '../middleware/host-header.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { RATE_LIMITED, type Counted, type CountRequest } from '../rate-limit/limit-rate.ts'
import { blot, type RequestFields } from '../middleware/request-log.ts'
import { requestId } from '../request-context.ts'
import { acceptsGzip, headersOf, matches, type Headers } from '../response.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { CachedAnswer } from './cached-answer.ts'
import type { PreparedAnswer } from './prepared-answer.ts'

export interface CachedService {
  cache: AnswerCache
  log: Logger
  metrics: Metrics
  /** Undefined where requests are not limited. */
  count: CountRequest | undefined
  /** How many proxies in front add to X-Forwarded-For. */
  trustProxy: number
}

/** An answer that is in memory, for one request. */
interface Hit {
  answer: CachedAnswer
  variant: PreparedAnswer
  startedAt: number
  /** The connection ends with this response. */
  isLast: boolean
}

/** Answers a request from the cache, or returns false and leaves it as it is. */
export type ServeCached = (request: IncomingMessage, response: ServerResponse, isLast: boolean) => boolean

/** Returns what answers from the cache. */
export function cachedAnswers(service: CachedService): ServeCached {
  const { cache, count, trustProxy } = service
  return (request, response, isLast) => {
    const startedAt = performance.now()
    const answer = cache.find(request.url ?? '')
    if (answer === undefined || !isPlain(request, count !== undefined)) return false
    const wantsGzip = acceptsGzip(request.headers['accept-encoding'])
    // The first request that asks for it compresses, and goes through the chain.
    if (wantsGzip && answer.gzip === undefined) return false
    const hit = { answer, variant: (wantsGzip && answer.gzip) || answer.plain, startedAt, isLast }
    const isCounted = count !== undefined && answer.path.startsWith('/v1/')
    const counting = isCounted ? count({ keyId: undefined, address: countedCaller(request, trustProxy) }) : null
    const answerBy = (counted: Counted | null) => respond(service, request, response, { ...hit, counted })
    if (counting === null) answerBy(null)
    else void counting.then(answerBy)
    return true
  }
}

/**
 * Returns whether nothing about the request asks for more than the answer: no body, no key to find out about, a good
 * Host.
 */
function isPlain(request: IncomingMessage, isCounted: boolean): boolean {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
  if (headers.expect !== undefined || (isCounted && headers.authorization !== undefined)) return false
  return hostFault(request) === null
}

function respond(
  service: CachedService,
  request: IncomingMessage,
  response: ServerResponse,
  hit: Hit & { counted: Counted | null },
): void {
  const { answer, variant, isLast, counted } = hit
  const id = requestId(request.headers['x-request-id'])
  const own = { 'X-Request-Id': id, ...(isLast && { Connection: 'close' }), ...counted?.headers }
  const send = (status: 200 | 304 | 429, headers: Headers, bytes?: Buffer) => {
    response.writeHead(status, headersOf(status === 429 ? 'error' : 'revalidate', { ...own, ...headers })).end(bytes)
    record(service, request, hit, { id, status, bytes: bytes?.length ?? 0 })
  }
  if (counted?.refused) {
    const bytes = Buffer.from(JSON.stringify(envelope(RATE_LIMITED, id)))
    const content = { 'Content-Type': 'application/json', 'Content-Length': bytes.length }
    send(429, { Vary: 'Accept-Encoding', ...content }, bytes)
  } else if (matches(request.headers['if-none-match'], answer.plain.etag)) send(304, variant.notModified)
  else send(200, variant.ok, variant.bytes)
}

function record(
  { log, metrics, trustProxy }: CachedService,
  request: IncomingMessage,
  { answer, startedAt }: Hit,
  { id, status, bytes }: { id: string; status: 200 | 304 | 429; bytes: number },
): void {
  const { method, headers } = request
  const durationMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000
  metrics.observeCached(answer.operation, status === 200 ? '2xx' : status === 304 ? '3xx' : '4xx', durationMs)
  const fields: RequestFields = {
    requestId: id,
    operationId: answer.operation,
    method: method!,
    path: blot(answer.path),
    query: answer.query,
    status,
    errorCode: status === 429 ? RATE_LIMITED.code : undefined,
    durationMs,
    bytes: method === 'HEAD' ? 0 : bytes,
    address: callerAddress(request, trustProxy) || null,
    userAgent: blot(headers['user-agent'] ?? ''),
  }
  log.info(fields, 'request')
}
