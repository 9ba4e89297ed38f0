// The request log: one wide line per request, after it, with everything to search by. Secrets never get there: no
// Authorization header, no query value except those of documented parameters, and whatever looks like a key is masked.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { pinoHttp } from 'pino-http'
import { callerAddress } from './client-address.ts'

const SECRET = /(itd|whsec)_[A-Za-z0-9_+/=-]+/g
const PROBES = new Set(['getHealth', 'getReadiness', 'getMetrics'])

/**
 * Logs through pino-http. Nothing of a request but its one line is written, and the line is written by the logger of
 * all requests with the id among its fields: a logger of its own for each request would take 15 us more. `proxies` in
 * front add to X-Forwarded-For.
 */
export function logRequests(log: Logger, proxies: number): RequestHandler {
  const lineOf = (request: Request, response: Response) => line(request, response, proxies)
  return pinoHttp<Request, Response>({
    logger: log,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined },
    genReqId: (request) => request.context.id,
    customLogLevel: levelOf,
    customSuccessObject: lineOf,
    customErrorObject: lineOf,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  })
}

function levelOf({ context }: Request) {
  if (context.failure !== undefined) return 'error'
  return PROBES.has(context.route?.operation?.id ?? '') ? 'debug' : 'info'
}

/** Returns the fields of the line, in its order. */
function line(request: Request, response: Response, proxies: number) {
  const { context } = request
  return {
    requestId: context.id,
    operationId: context.route?.operation?.id ?? null,
    method: context.method,
    path: blot(context.target?.path ?? ''),
    query: loggedQuery(request),
    status: response.statusCode,
    errorCode: context.errorCode,
    durationMs: Math.round((performance.now() - context.startedAt) * 1000) / 1000,
    bytes: context.bodyBytes,
    // the id is no secret, and tells whose request it was
    ...(context.keyId !== undefined && { keyId: context.keyId }),
    address: callerAddress(request, proxies) || null,
    userAgent: blot(request.headers['user-agent'] ?? ''),
    // the caller left, or was cut, before the whole answer was handed over
    ...(response.writableFinished ? {} : { aborted: true }),
    ...(context.failure !== undefined && { err: context.failure }),
  }
}

/**
 * Returns only what passed as documented parameters; of the rest not even the names, which may be a key pasted in the
 * wrong place.
 */
export function loggedQuery({
  query,
  context: { route, target },
}: Pick<Request, 'query' | 'context'>): Record<string, string> | undefined {
  if (!target?.query || !route?.operation) return undefined
  const known = Object.entries(query).filter(([name]) => route.operation?.query.has(name))
  return Object.fromEntries(
    known.map(([name, value]) => [name, blot(typeof value === 'string' ? value : JSON.stringify(value))]),
  )
}

/** Returns the text with what looks like a key blotted out. */
export function blot(text: string): string {
  return text.includes('_') ? text.replace(SECRET, '$1_***') : text
}
