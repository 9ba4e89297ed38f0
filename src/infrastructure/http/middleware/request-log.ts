// The request log: one wide line per request, after it, with everything to search by. Secrets never get there: no
// Authorization header, no query value except those of documented parameters, and whatever looks like a key is masked.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { pinoHttp } from 'pino-http'

const SECRET = /(itd|whsec)_[A-Za-z0-9_+/=-]+/g
const PROBES = new Set(['getHealth', 'getReadiness', 'getMetrics'])

export function logRequests(log: Logger): RequestHandler {
  return pinoHttp<Request, Response>({
    logger: log,
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'requestId' },
    // The line says everything; the request itself is not written out as well.
    serializers: { req: () => undefined },
    genReqId: (request) => request.context.id,
    customLogLevel: (request, response) => level(request, response),
    customSuccessObject: (request, response) => line(request, response),
    customErrorObject: (request, response, err) => ({ ...line(request, response), ...(response.err ? { err } : {}) }),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  })
}

function level(request: Request, response: Response) {
  if (response.err) return 'error'
  return PROBES.has(request.context.route?.operation?.id ?? '') ? 'debug' : 'info'
}

function line(request: Request, response: Response) {
  const { method, target, route, keyId, startedAt, bodyBytes, errorCode } = request.context
  return {
    operationId: route?.operation?.id ?? null,
    method,
    path: blot(target?.path ?? ''),
    query: loggedQuery(request),
    status: response.statusCode,
    errorCode,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    bytes: bodyBytes,
    // the id is not secret, and shows whose request it was
    ...(keyId !== undefined && { keyId }),
    address: request.ip ?? request.socket.remoteAddress ?? null,
    userAgent: blot(request.headers['user-agent'] ?? ''),
    // the caller left, or was cut off, before the whole response was handed over
    ...(response.writableFinished ? {} : { aborted: true }),
  }
}

/**
 * Returns only values that passed as documented parameters; of the rest not even the names, which may be a key pasted
 * in the wrong place.
 */
function loggedQuery({ query, context: { route, target } }: Request) {
  if (!target?.query || !route?.operation) return undefined
  const known = Object.entries(query).filter(([name]) => route.operation?.query.has(name))
  return Object.fromEntries(known.map(([name, value]) => [name, blot(String(value))]))
}

function blot(text: string): string {
  return text.replace(SECRET, '$1_***')
}
