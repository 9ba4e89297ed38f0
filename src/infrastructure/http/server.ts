// The HTTP server: the order of everything that happens to a request, in one screen.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ChangeStreams } from '../../application/changes/change-streams.ts'
import type { ChangeQueries } from '../../application/queries/change-queries.ts'
import type { ExportQueries } from '../../application/queries/export-queries.ts'
import type { KeyQueries } from '../../application/queries/key-queries.ts'
import type { Queries } from '../../application/queries/queries.ts'
import type { StatusQueries } from '../../application/queries/service-status.ts'
import type { SendOnRequest } from '../../application/commands/send-on-request.ts'
import type { Watchlist } from '../../application/commands/watchlist.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { inTime, withDeadline } from '../deadline.ts'
import { identify, needsKey, needsKeyForExports, requireKey } from './middleware/authentication.ts'
import type { NeedsKey, VerifyKey } from './middleware/authentication.ts'
import { readBody } from './middleware/json-body.ts'
import { closer } from './server/graceful-shutdown.ts'
import { limitConnections } from './server/connection-limit.ts'
import type { Health } from './controllers/health.ts'
import { dashboard } from './controllers/dashboard.ts'
import { reference } from './controllers/reference.ts'
import { loadDocument, type ApiDocument, type OperationId } from './openapi/document.ts'
import { Downloads } from './downloads.ts'
import { EventStreams, type StreamLimits } from './event-stream.ts'
import { sendFile } from './files/send-file.ts'
import { errorResponder } from './middleware/error-handler.ts'
import { beginRequest } from './request-context.ts'
import { applyLimits, connectionRequests, creationOptions, LIMITS, type ServerLimits } from './server/limits.ts'
import { settleMethod } from './middleware/method-not-allowed.ts'
import { httpMetrics, type Metrics } from './middleware/metrics.ts'
import { inOrder } from './in-order.ts'
import { operationTable, type Operation, type Operations } from './operations.ts'
import { answerProtocolFaults, asksForUpgrade } from './server/malformed-requests.ts'
import { limitRate, requestCounter, type CountRequest, type RateLimit } from './rate-limit/limit-rate.ts'
import { logRequests } from './middleware/request-log.ts'
import { installJson, send, type Caching } from './response.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import { AnswerMaker, type Answer, type AnswerInBytes } from './cache/keep-answers.ts'
import { cachedAnswers } from './cache/serve-cached.ts'
import { routesOf } from './openapi/routes.ts'
import { validate } from './middleware/openapi-validation.ts'
import { WebFiles } from './web-files.ts'

export interface HttpDependencies {
  queries: Queries
  /** The thresholds that signals are detected by. */
  rules: SignalRules
  changeQueries: ChangeQueries
  streams: ChangeStreams
  streamLimits?: StreamLimits
  exportQueries: ExportQueries
  /** Whether the month files are for all, the default, or for holders of a key. */
  exportsAccess?: 'public' | 'key'
  /** Exports that are sent at once, 4 if absent. */
  exportsAtOnce?: number
  statusQueries: StatusQueries
  /** Of the software. */
  version: string
  keyQueries: KeyQueries
  watchlist: Watchlist
  sends: SendOnRequest
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
  /** Answers kept in memory; absent where none are. */
  cache?: AnswerCache
  /** Loaded now if absent. */
  contract?: LoadedContract
  /** What the build made for readers; beside the contract if absent. */
  webFolder?: URL
  /** Whether the page at `/` is served, true if absent. */
  dashboard?: boolean
}

const STREAM_LIMITS: StreamLimits = { streams: 2_000, perCaller: 10 }
const EXPORTS_AT_ONCE = 4
const EXPORTS_PER_KEY = 2

export interface HttpService {
  server: Server
  /**
   * Is not ready at once; after `drainMs`, 0 by default, accepts no new connections and closes idle ones; requests
   * still being answered have the rest of `graceMs`, then their connections are cut.
   */
  close(graceMs: number, drainMs?: number): Promise<void>
}

/** The contract, and the validation of requests by it. */
export interface LoadedContract {
  document: ApiDocument
  validation: RequestHandler
}

/**
 * Loads the contract, that of the project by default. Preparing the validation takes half a second of a core, most of
 * it after this has returned, so that a start can load it while it waits for stores.
 */
export function loadContract(validateResponses: boolean, document = loadDocument()): LoadedContract {
  return { document, validation: validate(document, validateResponses) }
}

export function createHttpServer(deps: HttpDependencies): HttpService {
  const limits = { ...LIMITS, ...deps.limits }
  const closing = closer()
  const requests = connectionRequests(limits)
  const contract = deps.contract ?? loadContract(deps.validateResponses)
  const metrics = httpMetrics(deps.registry)
  const count = deps.rateLimit && requestCounter(deps.rateLimit, deps.rateLimit.redis)
  const { answerMs } = limits
  const app = application(deps, { contract, metrics, stopping: closing.stopping, count, answerMs })
  const { trustProxy = 0, log } = deps
  const serveCached = deps.cache && cachedAnswers({ cache: deps.cache, log, metrics, count, trustProxy })
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // Of a connection that was refused and is being closed.
    if (request.socket.writableEnded) return
    const isClosing = requests.add(request.socket) || closing.stopping() || asksForUpgrade(request)
    if (serveCached?.(request, response, isClosing)) return
    const context = beginRequest(request)
    if (isClosing) context.headers.Connection = 'close'
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
  const close = (graceMs: number, drainMs?: number) => {
    deps.streams.stop()
    return closing.close(server, graceMs, drainMs)
  }
  return { server, close }
}

interface Parts {
  contract: LoadedContract
  metrics: Metrics
  stopping: () => boolean
  /** Undefined where requests are not limited. */
  count: CountRequest | undefined
  /** Limits all reading for one request; of a download, the reading of each chunk. */
  answerMs: number
}

function application(deps: HttpDependencies, { contract, metrics, stopping, count, answerMs }: Parts): Express {
  const { document, validation } = contract
  const versions = { version: deps.version, contract: String(document.json.info.version) }
  const webFiles = new WebFiles(deps.webFolder)
  const hasDashboard = deps.dashboard !== false && webFiles.has('index.html')
  const pages = { reference: reference(document, webFiles), dashboard: dashboard(webFiles, hasDashboard) }
  const made = { ...deps, versions, stopping, metrics, ...pages }
  const operations = operationTable(made)
  const app = configured(express(), deps.trustProxy ?? 0)
  installJson(app, (response) => cachingOf(operations, response.req, needs))
  const needs = deps.exportsAccess === 'key' ? needsKeyForExports : needsKey
  const streams = new EventStreams(deps.streamLimits ?? STREAM_LIMITS, deps.trustProxy ?? 0, metrics.registry)
  const downloads = new Downloads(
    { atOnce: deps.exportsAtOnce ?? EXPORTS_AT_ONCE, perKey: EXPORTS_PER_KEY, chunkMs: answerMs },
    metrics.registry,
  )
  const handlers = [
    findRoute(document),
    logRequests(deps.log, deps.trustProxy ?? 0),
    metrics.observe,
    identify(deps.verifyKey, count !== undefined, needs),
    ...(count ? [limitRate(count, deps.trustProxy ?? 0)] : []),
    requireKey(needs),
    settleMethod(hasDashboard, needs),
    readBody(),
    validation,
    dispatch(operations, deps, { streams, downloads, needs }),
  ]
  app.use(inOrder(handlers))
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

function dispatch(
  operations: Operations,
  { cache, validateResponses: validatesResponses }: HttpDependencies,
  { streams, downloads, needs }: { streams: EventStreams; downloads: Downloads; needs: NeedsKey },
): RequestHandler {
  const answers = new AnswerMaker(cache)
  return async (request, response) => {
    const { context } = request
    const id = context.route?.operation?.id
    // Only what the validator let through is answered; it and our routing must have found the same operation.
    const { openapi } = request as { openapi?: { schema: { operationId?: string } } }
    if (!id || openapi?.schema.operationId !== id) throw new Error(`not validated: ${id}`)
    const { handler } = operations[id] as Operation<OperationId>
    const caching = cachingOf(operations, request, needs)
    const asked = {
      path: context.route!.params,
      query: request.query,
      body: request.body,
      headers: request.headers,
      keyId: context.keyId,
    } as never
    const make = async () => handler(asked)
    const inBytes = () => (caching === 'momentary' ? answers.once(request, make) : answers.answer(request, id, make))
    const isInBytes = (caching === 'revalidate' && id !== 'getExportFile') || caching === 'momentary'
    const answer = await inTime<AnswerInBytes | Answer>(isInBytes ? inBytes() : make())
    if ('stream' in answer) return streams.send(request, response, answer)
    if ('download' in answer) return downloads.send(request, response, answer)
    if ('file' in answer) return sendFile(request, response, caching, answer)
    response.status(answer.status)
    const json = 'json' in answer ? answer.json : undefined
    const content = 'content' in answer ? answer.content : undefined
    if (content && !(validatesResponses && json)) return send(response, caching, content)
    // Sent as it is where it is in bytes already; `json` is what the validator of answers looks at.
    context.content = content
    response.json(typeof json === 'function' ? json() : json)
  }
}

/** Used for errors too, which may come before there is a route. */
function cachingOf(operations: Operations, { context }: Request, needs: NeedsKey): Caching {
  const id: OperationId | undefined = context.route?.operation?.id
  const isKeyed = context.target !== null && needs(context.target.path)
  if (id) return isKeyed ? 'private' : operations[id].caching
  // Errors are not cached anyway, and any page may read them.
  return isKeyed ? 'private' : 'revalidate'
}
