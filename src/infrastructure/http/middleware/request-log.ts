// The request log: one wide line per request, after it, with everything to search by. Secrets never get there: no
// Authorization header, no query value except those of documented parameters, and whatever looks like a key is masked.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { pinoHttp } from 'pino-http'
import { callerAddress } from './client-address.ts'
import { blot, factsText, RequestLines, type RequestFacts, type RequestMeasures } from './request-lines.ts'

const PROBES = new Set(['getHealth', 'getReadiness', 'getMetrics'])

/** What pino-http hands over. */
interface Exchange {
  request: Request
  response: Response
}

/**
 * Logs through pino-http. Nothing of a request but its one line is written, and the line is written by the logger of
 * all requests with the id among its fields: a logger of its own for each request would take 15 us more. `proxies` in
 * front add to X-Forwarded-For.
 */
export function logRequests(log: Logger, proxies: number): RequestHandler {
  const exchange = (request: Request, response: Response): Exchange => ({ request, response })
  return pinoHttp<Request, Response>({
    logger: lineWriter(log, proxies) as unknown as Logger,
    quietResLogger: true,
    wrapSerializers: false,
    genReqId: (request) => request.context.id,
    customLogLevel: levelOf,
    customSuccessObject: exchange,
    customErrorObject: exchange,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  })
}

/** Returns what pino-http uses of a logger. Only lines with more than the usual fields are made by pino. */
function lineWriter(log: Logger, proxies: number) {
  const lines = new RequestLines(log)
  const fields = ({ request, response }: Exchange) => ({
    ...factsOf(request, response),
    ...measuresOf(request, proxies),
    // The caller left, or was cut, before the whole answer was handed over.
    ...(response.writableFinished ? {} : { aborted: true }),
    ...(request.context.failure !== undefined && { err: request.context.failure }),
  })
  const writer = {
    levels: log.levels,
    child: () => writer,
    debug: (exchange: Exchange, message: string) => {
      if (log.isLevelEnabled('debug')) log.debug(fields(exchange), message)
    },
    info: (exchange: Exchange, message: string) => {
      const { request, response } = exchange
      if (!response.writableFinished) return log.info(fields(exchange), message)
      if (lines.isEnabled()) lines.write(factsText(factsOf(request, response)), measuresOf(request, proxies))
    },
    error: (exchange: Exchange, message: string) => log.error(fields(exchange), message),
  }
  return writer
}

function levelOf({ context }: Request) {
  if (context.failure !== undefined) return 'error'
  return PROBES.has(context.route?.operation?.id ?? '') ? 'debug' : 'info'
}

/** Returns the fields up to the duration, in the order of the line. */
function factsOf(request: Request, { statusCode }: Response): RequestFacts {
  const { id, method, route, target, errorCode } = request.context
  return {
    requestId: id,
    operationId: route?.operation?.id ?? null,
    method,
    path: blot(target?.path ?? ''),
    query: loggedQuery(request),
    status: statusCode,
    errorCode,
  }
}

/** Returns the others. */
function measuresOf(request: Request, proxies: number): RequestMeasures {
  const { startedAt, bodyBytes, keyId } = request.context
  return {
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    bytes: bodyBytes,
    // The id is no secret, and tells whose request it was.
    ...(keyId !== undefined && { keyId }),
    address: callerAddress(request, proxies) || null,
    userAgent: blot(request.headers['user-agent'] ?? ''),
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
  const known: Record<string, string> = {}
  for (const name of Object.keys(query)) {
    const value = query[name]
    if (route.operation.query.has(name)) known[name] = blot(typeof value === 'string' ? value : JSON.stringify(value))
  }
  return known
}
