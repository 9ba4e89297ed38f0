// The HTTP server: the order of everything that happens to a request, in one screen.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { KeyQueries } from '../../application/queries/key-queries.ts'
import type { Queries } from '../../application/queries/queries.ts'
import type { Watchlist } from '../../application/commands/watchlist.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { inTime, withDeadline } from '../deadline.ts'
import { identify, needsKey, requireKey, type VerifyKey } from './middleware/authentication.ts'
import { readBody } from './middleware/json-body.ts'
import { closer } from './server/graceful-shutdown.ts'
import { limitConnections } from './server/connection-limit.ts'
import type { Health } from './controllers/health.ts'
import { reference } from './controllers/reference.ts'
import { loadDocument, type ApiDocument, type OperationId } from './openapi/document.ts'
import { errorResponder } from './middleware/error-handler.ts'
import { beginRequest } from './request-context.ts'
import { applyLimits, creationOptions, lastOnConnection, LIMITS, type ServerLimits } from './server/limits.ts'
import { settleMethod } from './middleware/method-not-allowed.ts'
import { httpMetrics, type Metrics } from './middleware/metrics.ts'
import { operationTable, type Operation, type Operations } from './operations.ts'
import { answerProtocolFaults } from './server/malformed-requests.ts'
import { limitRate, type RateLimit } from './middleware/rate-limit.ts'
import { logRequests } from './middleware/request-log.ts'
import { installJson, send, type Caching } from './response.ts'
import { routesOf } from './openapi/routes.ts'
import { validate } from './middleware/openapi-validation.ts'

export interface HttpDependencies {
  queries: Queries
  /** The thresholds that signals are detected by. */
  rules: SignalRules
  keyQueries: KeyQueries
  watchlist: Watchlist
  verifyKey: VerifyKey
  health: Health
  log: Logger
  /** Responses that break the contract become 500. For tests; about 1 us otherwise. */
  validateResponses: boolean
  /** Shared with the other metrics of the process. */
  registry?: Registry
  /**
   * `redis`: a connected node-redis client, so that several processes share one limit. Without it each counts on its
   * own.
   */
  rateLimit?: RateLimit & { redis?: object }
  /** How many proxies in front add to X-Forwarded-For; 0, the default, trusts none. */
  trustProxy?: number
  limits?: Partial<ServerLimits>
}

export interface HttpService {
  server: Server
  /**
   * Is not ready at once; after `drainMs`, 0 by default, accepts no new connections and closes idle ones; requests
   * still being answered have the rest of `graceMs`, then their connections are cut.
   */
  close(graceMs: number, drainMs?: number): Promise<void>
}

export function createHttpServer(deps: HttpDependencies): HttpService {
  const limits = { ...LIMITS, ...deps.limits }
  const closing = closer()
  const isLast = lastOnConnection(limits)
  const document = loadDocument()
  const metrics = httpMetrics(deps.registry)
  const app = application(deps, document, metrics, closing.stopping)
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // Of a connection that was refused and is being closed.
    if (request.socket.writableEnded) return
    const context = beginRequest(request)
    if (isLast(request.socket) || closing.stopping()) context.headers.Connection = 'close'
    const answer = () => {
      app(Object.assign(request, { context }) as Request, response as Response)
    }
    // Probes and metrics query the stores within limits of their own.
    if (context.target?.path.startsWith('/v1/')) withDeadline(limits.answerMs, answer)
    else answer()
  }
  const server = createServer(creationOptions(limits), listener)
  // An Expect that is not 100-continue may be ignored (RFC 9110 §10.1.1); node would answer without our headers. For
  // one that is, the body is requested only where it is read.
  server.on('checkExpectation', listener).on('checkContinue', listener)
  applyLimits(server, limits)
  answerProtocolFaults(server)
  // Behind proxies all connections are theirs, and how many of them one caller gets is up to the proxies.
  if (!deps.trustProxy) limitConnections(server, limits.connectionsPerAddress, metrics.connectionRefused)
  return { server, close: (graceMs, drainMs) => closing.close(server, graceMs, drainMs) }
}

function application(
  deps: HttpDependencies,
  document: ApiDocument,
  metrics: Metrics,
  stopping: () => boolean,
): Express {
  const operations = operationTable({ ...deps, stopping, metrics, reference: reference(document) })
  const app = configured(express(), deps.trustProxy ?? 0)
  installJson(app, (response) => cachingOf(operations, response))
  app.use(findRoute(document))
  app.use(logRequests(deps.log))
  app.use(metrics.observe)
  app.use(identify(deps.verifyKey, deps.rateLimit !== undefined))
  if (deps.rateLimit) app.use(limitRate(deps.rateLimit, deps.rateLimit.redis))
  app.use(requireKey())
  app.use(settleMethod())
  app.use(readBody())
  app.use(validate(document, deps.validateResponses))
  app.use(dispatch(operations))
  app.use(errorResponder())
  return app
}

function configured(app: Express, trustProxy: number): Express {
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.set('query parser', false)
  app.set('trust proxy', trustProxy)
  return app
}

function findRoute(document: ApiDocument): RequestHandler {
  const find = routesOf(document)
  return ({ method, context }, _response, next) => {
    if (context.target) context.route = find(context.target.path, method)
    next()
  }
}

function dispatch(operations: Operations): RequestHandler {
  return async (request, response) => {
    const { route, keyId } = request.context
    const id = route?.operation?.id
    // Only requests that passed the validator are answered; it and our routing must have found the same operation.
    const { openapi } = request as { openapi?: { schema: { operationId?: string } } }
    if (!id || openapi?.schema.operationId !== id) throw new Error(`not validated: ${id}`)
    const { handler, caching } = operations[id] as Operation<OperationId>
    const asked = { path: route.params, query: request.query, body: request.body, keyId } as never
    const answer = await inTime(Promise.resolve(handler(asked)))
    response.status(answer.status)
    if ('content' in answer) send(response, caching, answer.content)
    else response.json(answer.json)
  }
}

/** Used for errors too, which may come before there is a route. */
function cachingOf(operations: Operations, { req: { context } }: Response): Caching {
  const id: OperationId | undefined = context.route?.operation?.id
  if (id) return operations[id].caching
  // Errors are not cached anyway, and any page may read them.
  return context.target && needsKey(context.target.path) ? 'private' : 'revalidate'
}
