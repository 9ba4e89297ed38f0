// The request log: one line for each request, once it is answered, and one more for a failure after that. No secret
// gets into it: the line has no Authorization header, values of documented parameters only, and masks whatever looks
// like a key.
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { pinoHttp } from 'pino-http'
import { redactSecrets } from '../redact-secrets.ts'
import { callerAddress } from './client-address.ts'

const PROBES = new Set(['getHealth', 'getReadiness', 'getMetrics'])

/** Logs through pino-http. `proxies` in front add to X-Forwarded-For. */
export function logRequests(log: Logger, proxies: number): RequestHandler {
  const fields = (request: Request, response: Response) => {
    request.context.isLogged = true
    return fieldsOf(request, response, proxies)
  }
  return pinoHttp<Request, Response>({
    logger: log,
    // Only our own fields are written, nothing else of request and response.
    serializers: { req: () => undefined },
    wrapSerializers: false,
    customLogLevel: levelOf,
    customSuccessObject: fields,
    customErrorObject: fields,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  })
}

/**
 * Keeps what was thrown for the line of its request. If that is written already, because the caller has left, it gets a
 * line of its own.
 */
export function logFailure({ context, log }: Request, thrown: unknown): void {
  context.failure = thrown
  if (context.isLogged) log.error({ requestId: context.id, err: thrown }, 'request failed after its end')
}

function levelOf({ context }: Request) {
  if (context.failure !== undefined) return 'error'
  return PROBES.has(context.operation?.id ?? '') ? 'debug' : 'info'
}

/** Keys in callers' text are masked here; the log's stream escapes control characters. */
function fieldsOf(request: Request, response: Response, proxies: number) {
  const { id, method, operation, target, errorCode, startedAt, bodyBytes, keyId, failure } = request.context
  return {
    requestId: id,
    operationId: operation?.id ?? null,
    method,
    path: redactSecrets(target?.path ?? ''),
    query: loggedQuery(request.context),
    status: response.statusCode,
    errorCode,
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    bytes: bodyBytes,
    // The id of the key, which is no secret.
    ...(keyId !== undefined && { keyId }),
    // Null if the connection has ended.
    address: callerAddress(request, proxies) || null,
    userAgent: redactSecrets(request.headers['user-agent'] ?? ''),
    // The connection ended before the whole answer was sent.
    ...(response.writableFinished ? {} : { aborted: true }),
    ...(failure !== undefined && { err: failure }),
  }
}

/**
 * Returns the documented parameters only, without the names of others: such a name may be a key that was pasted in the
 * wrong place.
 */
function loggedQuery({ target, query }: Request['context']): Record<string, string> | undefined {
  if (!target?.query || !query) return undefined
  const texts = Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : String(value)])
  return Object.fromEntries(texts.map(([name, text]) => [name, redactSecrets(text!)]))
}
