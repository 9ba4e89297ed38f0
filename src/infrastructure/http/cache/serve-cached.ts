// Answers from memory, before Express: a request target that went through the whole chain once is answered from the
// cache while that answer is current. The request is logged, measured, limited and named like any other.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { callerAddress, countedCaller } from '../middleware/client-address.ts'
import { envelope } from '../middleware/error-handler.ts'
import { hostFault } from '../middleware/host-header.ts'
import type { Metrics } from '../middleware/metrics.ts'
import { RATE_LIMITED, type Counted, type CountRequest } from '../rate-limit/limit-rate.ts'
import { blot, RequestLines } from '../middleware/request-lines.ts'
import { requestId } from '../request-context.ts'
import { headerLines } from '../response-head.ts'
import type { KnownRequest } from '../server/repeated-requests.ts'
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
  /** How long an idle connection is kept. */
  keepAliveMs: number
}

/** An answer that is in memory, for one request. */
interface Found {
  answer: CachedAnswer
  variant: PreparedAnswer
  address: string
  startedAt: number
}

/** The same with what its head depends on. */
interface Hit extends Found {
  isLast: boolean
  counted: Counted | undefined
}

/** What it was answered with. */
interface Sent {
  id: string
  status: 200 | 304 | 429
  bytes: number
}

/** What an answer depends on. */
type Asked = KnownRequest & { socket: Socket }

type Count = ReturnType<CountRequest>

export interface CachedAnswers {
  /** Answers a request from the cache, or returns false and leaves it as it is. */
  serve(request: IncomingMessage, response: ServerResponse, isLast: boolean): boolean
  /**
   * Answers a known request on a connection where no answer is under way. Returns false where it can't; then `serve` is
   * to be called for it before anything else happens, and does not count it again.
   */
  repeat(request: KnownRequest, socket: Socket): boolean
}

/** Returns what answers from the cache. */
export function cachedAnswers(options: CachedService): CachedAnswers {
  const service = { ...options, lines: new RequestLines(options.log) }
  const { cache, count, trustProxy, keepAliveMs } = service
  /** Hits that `repeat` has counted and left to `serve`. */
  const passedOn = new WeakMap<Socket, { hit: Found; counting: Count }>()

  const hitOf = (asked: Asked): Found | null => {
    const startedAt = performance.now()
    const answer = cache.find(asked.url ?? '')
    if (answer === undefined) return null
    const wantsGzip = acceptsGzip(asked.headers['accept-encoding'])
    // The first request that asks for it compresses, and goes through the chain.
    if (wantsGzip && answer.gzip === undefined) return null
    const variant = (wantsGzip && answer.gzip) || answer.plain
    return { answer, variant, address: callerAddress(asked, trustProxy), startedAt }
  }
  const countOf = ({ answer }: Found, asked: Asked): Count =>
    answer.path.startsWith('/v1/') && count !== undefined
      ? count({ keyId: undefined, address: countedCaller(asked, trustProxy) })
      : null

  return {
    serve: (request, response, isLast) => {
      const passed = passedOn.get(request.socket)
      if (passed !== undefined) passedOn.delete(request.socket)
      const hit = passed?.hit ?? hitOf(request)
      if (hit === null || !isPlain(request, count !== undefined)) return false
      const counting = passed?.counting ?? countOf(hit, request)
      if (counting instanceof Promise)
        void counting.then((counted) => respond(service, request, response, { ...hit, isLast, counted }))
      else respond(service, request, response, { ...hit, isLast, counted: counting ?? undefined })
      return true
    },
    repeat: ({ method, url, headers }, socket) => {
      const asked = { method, url, headers, socket }
      const hit = hitOf(asked)
      if (hit === null) return false
      const counted = countOf(hit, asked)
      if (counted instanceof Promise || counted?.refused) {
        passedOn.set(socket, { hit, counting: counted })
        return false
      }
      const { prepared, sent, own } = chosen(asked, { ...hit, isLast: false, counted: counted ?? undefined })
      prepared.write(socket, method === 'HEAD', { own, keepAliveMs })
      record(service, asked, hit, sent)
      return true
    },
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
  const { isLast, counted } = hit
  if (counted?.refused) {
    const id = requestId(request.headers['x-request-id'])
    return record(service, request, hit, { id, status: 429, bytes: refuse(response, id, counted, isLast) })
  }
  const { prepared, sent, own } = chosen(request, hit)
  prepared.send(response, request.method === 'HEAD', { own, isLast })
  record(service, request, hit, sent)
}

/** Returns what a hit is answered with, and the lines of its head that are its own. */
function chosen({ headers }: KnownRequest, { answer, variant, isLast, counted }: Hit) {
  const id = requestId(headers['x-request-id'])
  const isKnown = matches(headers['if-none-match'], answer.plain.etag)
  const prepared = isKnown ? variant.notModified : variant.ok
  const lines = `X-Request-Id: ${id}\r\n${isLast ? 'Connection: close\r\n' : ''}`
  const sent: Sent = { id, status: isKnown ? 304 : 200, bytes: prepared.bodyLength }
  return { prepared, sent, own: counted === undefined ? lines : lines + headerLines(counted.headers) }
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
  { method, headers }: KnownRequest,
  { answer, address, startedAt }: Found,
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
