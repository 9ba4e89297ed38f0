// Answers from memory, before Express: a request target that went through the whole chain once is answered from the
// cache while that answer is current. The request is logged, measured, limited and named like any other.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { callerAddress } from '../middleware/client-address.ts'
import { envelope } from '../middleware/error-handler.ts'
import { hostFault } from '../middleware/host-header.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { RATE_LIMITED, type Counted, type CountRequest } from '../middleware/rate-limit.ts'
import { requestId } from '../request-context.ts'
import { acceptsGzip, headersOf, matches } from '../response.ts'
import { HitLog } from './hit-log.ts'
import type { AnswerCache, CachedAnswer, Variant } from './answer-cache.ts'

export interface CachedService {
  cache: AnswerCache
  log: Logger
  metrics: Metrics
  /** Undefined where requests are not limited. */
  count: CountRequest | undefined
  /** How many proxies in front add to X-Forwarded-For. */
  trustProxy: number
}

/** What a hit is answered with. */
interface Hit {
  answer: CachedAnswer
  variant: Variant
  address: string
  startedAt: number
  isLast: boolean
}

type Serve = (request: IncomingMessage, response: ServerResponse, isLast: boolean) => boolean

/** Returns a function that answers a request from the cache, or returns false and leaves it as it is. */
export function serveCached(options: CachedService): Serve {
  const service = { ...options, hits: new HitLog(options.log) }
  const { cache, count, trustProxy } = service
  return (request, response, isLast) => {
    const startedAt = performance.now()
    const answer = cache.find(request.url ?? '')
    if (answer === undefined || !isPlain(request, count !== undefined)) return false
    const wantsGzip = acceptsGzip(request.headers['accept-encoding'])
    // The first request that asks for it compresses, and goes through the chain.
    if (wantsGzip && answer.gzip === undefined) return false
    const variant = (wantsGzip && answer.gzip) || answer.plain
    const hit = { answer, variant, address: callerAddress(request, trustProxy), startedAt, isLast }
    const counting = answer.path.startsWith('/v1/') ? count?.({ keyId: undefined, address: hit.address }) : null
    if (!counting) respond(service, request, response, hit)
    else
      counting.then(
        (counted) => respond(service, request, response, hit, counted),
        // Neither Redis nor this process could count it: it is let through, as in the chain.
        () => respond(service, request, response, hit),
      )
    return true
  }
}

/** Whether nothing about the request asks for more than the answer: no body, no key to find out about, a good Host. */
function isPlain(request: IncomingMessage, isCounted: boolean): boolean {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false
  if (headers.expect !== undefined || (isCounted && headers.authorization !== undefined)) return false
  return hostFault(request) === null
}

function respond(
  service: CachedService & { hits: HitLog },
  request: IncomingMessage,
  response: ServerResponse,
  hit: Hit,
  counted?: Counted,
): void {
  const id = requestId(request.headers['x-request-id'])
  const { answer, variant } = hit
  const own: Record<string, string> = { 'X-Request-Id': id, ...counted?.headers }
  if (hit.isLast) own.Connection = 'close'
  let status: 200 | 304 | 429 = 200
  let bytes: Buffer | undefined = variant.bytes
  if (counted?.refused) {
    status = 429
    bytes = Buffer.from(JSON.stringify(envelope(RATE_LIMITED, id)))
    response.writeHead(status, { ...headersOf('error', own), ...jsonHeaders(bytes) })
  } else if (matches(request.headers['if-none-match'], answer.plain.etag)) {
    status = 304
    bytes = undefined
    response.writeHead(status, { ...headersOf('revalidate', own), ETag: variant.etag, Vary: 'Accept-Encoding' })
  } else {
    const encoding = variant === answer.plain ? undefined : { 'Content-Encoding': 'gzip' }
    response.writeHead(status, {
      ...headersOf('revalidate', own),
      ETag: variant.etag,
      ...jsonHeaders(bytes),
      ...encoding,
    })
  }
  response.end(bytes)
  record(service, request, { ...hit, id, status, bytes: request.method === 'HEAD' ? 0 : (bytes?.length ?? 0) })
}

const jsonHeaders = (bytes: Buffer) => ({
  Vary: 'Accept-Encoding',
  'Content-Type': 'application/json',
  'Content-Length': bytes.length,
})

function record(
  { hits, metrics }: CachedService & { hits: HitLog },
  { method, headers }: IncomingMessage,
  { answer, address, startedAt, id, status, bytes }: Hit & { id: string; status: 200 | 304 | 429; bytes: number },
): void {
  const durationMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000
  metrics.observeCached(answer.operation, status === 200 ? '2xx' : status === 304 ? '3xx' : '4xx', durationMs)
  hits.write({
    requestId: id,
    method: method!,
    status,
    errorCode: status === 429 ? RATE_LIMITED.code : undefined,
    durationMs,
    bytes,
    address,
    userAgent: headers['user-agent'] ?? '',
    answer: answer.inLog,
  })
}
