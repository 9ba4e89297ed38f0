// Answers from memory, before Express: a request target that went through the whole chain once is answered from the
// cache while that answer is current. The request is logged, measured, limited and named like any other.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { callerAddress } from '../middleware/client-address.ts'
import { envelope } from '../middleware/error-handler.ts'
import { hostFault } from '../middleware/host-header.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { RATE_LIMITED, type Counted, type CountRequest } from '../rate-limit/limit-rate.ts'
import { blot, RequestLines } from '../middleware/request-lines.ts'
import { requestId } from '../request-context.ts'
import { headerLines } from '../response-head.ts'
import { acceptsGzip, headersOf, matches } from '../response.ts'
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

/** What a hit is answered with. */
interface Hit {
  answer: CachedAnswer
  variant: PreparedAnswer
  address: string
  startedAt: number
  isLast: boolean
  counted: Counted | undefined
}

/** What it was answered with. */
interface Sent {
  id: string
  status: 200 | 304 | 429
  bytes: number
}

type Serve = (request: IncomingMessage, response: ServerResponse, isLast: boolean) => boolean

/** Returns a function that answers a request from the cache, or returns false and leaves it as it is. */
export function serveCached(options: CachedService): Serve {
  const service = { ...options, lines: new RequestLines(options.log) }
  const { cache, count, trustProxy } = service
  return (request, response, isLast) => {
    const startedAt = performance.now()
    const answer = cache.find(request.url ?? '')
    if (answer === undefined || !isPlain(request, count !== undefined)) return false
    const wantsGzip = acceptsGzip(request.headers['accept-encoding'])
    // The first request that asks for it compresses, and goes through the chain.
    if (wantsGzip && answer.gzip === undefined) return false
    const variant = (wantsGzip && answer.gzip) || answer.plain
    const address = callerAddress(request, trustProxy)
    const counting = answer.path.startsWith('/v1/') ? count?.({ keyId: undefined, address }) : null
    const isAwaited = counting instanceof Promise
    const counted = isAwaited ? undefined : (counting ?? undefined)
    const hit: Hit = { answer, variant, address, startedAt, isLast, counted }
    if (!isAwaited) respond(service, request, response, hit)
    else void counting.then((counted) => respond(service, request, response, { ...hit, counted }))
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
  service: CachedService & { lines: RequestLines },
  request: IncomingMessage,
  response: ServerResponse,
  hit: Hit,
): void {
  const id = requestId(request.headers['x-request-id'])
  const { answer, variant, isLast, counted } = hit
  if (counted?.refused)
    return record(service, request, hit, { id, status: 429, bytes: refuse(response, id, counted, isLast) })
  const isKnown = matches(request.headers['if-none-match'], answer.plain.etag)
  const own = `X-Request-Id: ${id}\r\n${isLast ? 'Connection: close\r\n' : ''}`
  const lines = counted === undefined ? own : own + headerLines(counted.headers)
  const prepared = isKnown ? variant.notModified : variant.ok
  prepared.send(response, request.method === 'HEAD', { own: lines, isLast })
  record(service, request, hit, { id, status: isKnown ? 304 : 200, bytes: prepared.bodyLength })
}

/** Answers 429 as the chain does. Returns the length of the body. */
function refuse(response: ServerResponse, id: string, { headers }: Counted, isLast: boolean): number {
  const bytes = Buffer.from(JSON.stringify(envelope(RATE_LIMITED, id)))
  const own: Record<string, string> = { 'X-Request-Id': id, ...(isLast && { Connection: 'close' }), ...headers }
  response.writeHead(429, {
    ...headersOf('error', { ...own, Vary: 'Accept-Encoding' }),
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
  })
  response.end(bytes)
  return bytes.length
}

function record(
  { lines, metrics }: CachedService & { lines: RequestLines },
  { method, headers }: IncomingMessage,
  { answer, address, startedAt }: Hit,
  { id, status, bytes }: Sent,
): void {
  const durationMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000
  metrics.observeCached(answer.operation, status === 200 ? '2xx' : status === 304 ? '3xx' : '4xx', durationMs)
  if (!lines.isEnabled()) return
  const errorCode = status === 429 ? RATE_LIMITED.code : undefined
  lines.write(answer.inLog.facts({ requestId: id, method: method!, status, errorCode }), {
    durationMs,
    bytes: method === 'HEAD' ? 0 : bytes,
    address: address || null,
    userAgent: blot(headers['user-agent'] ?? ''),
  })
}
