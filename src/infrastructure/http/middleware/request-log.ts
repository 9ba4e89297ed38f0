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
  const { errorCode } = request.context
  return requestLine({
    ...request.context,
    operation: request.context.route?.operation?.id ?? null,
    path: request.context.target?.path ?? '',
    query: loggedQuery(request),
    status: response.statusCode,
    address: request.ip ?? request.socket.remoteAddress ?? null,
    userAgent: request.headers['user-agent'],
    errorCode,
    // the caller left, or was cut, before the whole answer was handed over
    isAborted: !response.writableFinished,
  })
}

/** What the line of a request is made from. */
export interface LoggedRequest {
  operation: string | null
  method: string
  path: string
  /** Documented parameters, already without secrets. */
  query: Record<string, string> | undefined
  status: number
  errorCode: string | undefined
  startedAt: number
  bodyBytes: number
  keyId: string | undefined
  address: string | null
  userAgent: string | undefined
  isAborted: boolean
}

/** Returns the fields of the line, in its order. */
export function requestLine(request: LoggedRequest) {
  return {
    operationId: request.operation,
    method: request.method,
    path: blot(request.path),
    query: request.query,
    status: request.status,
    errorCode: request.errorCode,
    durationMs: Math.round((performance.now() - request.startedAt) * 1000) / 1000,
    bytes: request.bodyBytes,
    // the id is no secret, and tells whose request it was
    ...(request.keyId !== undefined && { keyId: request.keyId }),
    address: request.address,
    userAgent: blot(request.userAgent ?? ''),
    ...(request.isAborted ? { aborted: true } : {}),
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
  return Object.fromEntries(known.map(([name, value]) => [name, blot(String(value))]))
}

/** Returns the text with what looks like a key blotted out. */
export function blot(text: string): string {
  return text.includes('_') ? text.replace(SECRET, '$1_***') : text
}
