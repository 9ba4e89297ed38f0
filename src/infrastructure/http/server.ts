// The HTTP server: limits of connections, request log and metrics, answers from memory, then the Express application.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express, Request, Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { createApp, loadContract, type LoadedContract } from './app.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import { AnswerMaker } from './cache/keep-answers.ts'
import { cachedAnswers, type ServeCached } from './cache/serve-cached.ts'
import { dashboard } from './controllers/dashboard.ts'
import type { Health } from './controllers/health.ts'
import type { Protocol } from './controllers/mcp.ts'
import { GUIDES_PAGE, reference } from './controllers/reference.ts'
import { Downloads } from './downloads.ts'
import { EventStreams, type StreamLimits } from './event-stream.ts'
import { servedHosts, type ServesHost } from './middleware/host-header.ts'
import { needsKey, needsKeyForExports, type VerifyKey } from './middleware/authentication.ts'
import { httpMetrics, type Metrics } from './middleware/metrics.ts'
import { logRequests } from './middleware/request-log.ts'
import { operationTable, probeOperations, type HandlerDependencies } from './operations.ts'
import { requestCounter, type RateLimit } from './rate-limit/limit-rate.ts'
import { beginRequest } from './request-context.ts'
import { limitConnections } from './server/connection-limit.ts'
import { closer } from './server/graceful-shutdown.ts'
import { applyLimits, creationOptions, lastRequestCheck, LIMITS, type ServerLimits } from './server/limits.ts'
import { answerProtocolFaults, isLastByForm } from './server/malformed-requests.ts'
import { WebFiles } from './web-files.ts'

/** What the server makes itself of what handlers use, or has a default for. */
type Completed = 'stopping' | 'versions' | 'publicUrl' | 'metrics' | 'reference' | 'dashboard'

export interface HttpDependencies extends Omit<HandlerDependencies, Completed> {
  streamLimits?: StreamLimits
  /** Who may get the month files: everyone, the default, or holders of a key. */
  exportsAccess?: 'public' | 'key'
  /** How many exports of the feed are sent at once. */
  exportsAtOnce?: number
  /** The version of the software. */
  version: string
  /** The commit of its image; null, the default, in a checkout. */
  revision?: string | null
  verifyKey: VerifyKey
  log: Logger
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
  /** The cache of answers; absent if they are not cached. */
  cache?: AnswerCache
  /** Loaded now if absent. */
  contract?: LoadedContract
  /** The folder of the pages and clients that the build made; `web/` beside the contract if absent. */
  webFolder?: URL
  /** The address under which readers reach this service, for links; null, as if absent, if it is not configured. */
  publicUrl?: string | null
  /**
   * Names under which it is reached besides those of this machine; it serves no others where it listens on loopback. If
   * absent, any name is served.
   */
  names?: readonly string[]
  /** Whether the page at `/` is served, true if absent. */
  dashboard?: boolean
  /** The Model Context Protocol; absent if it is not served. */
  protocol?: Protocol
}

const STREAM_LIMITS: StreamLimits = { streams: 2_000, perCaller: 10 }
const EXPORTS_AT_ONCE = 4
const EXPORTS_PER_KEY = 2

export interface HttpService {
  server: Server
  /**
   * Reports not ready immediately, and keeps serving for `drainMs`, 0 by default. Once no answer waits to be sent,
   * accepts no new connections and closes idle ones. After `graceMs` in all, cuts those still busy.
   */
  close(graceMs: number, drainMs?: number): Promise<void>
}

export function createHttpServer(deps: HttpDependencies): HttpService {
  const limits = { ...LIMITS, ...deps.limits }
  const { trustProxy = 0, log, cache, exportsAtOnce = EXPORTS_AT_ONCE, streamLimits = STREAM_LIMITS } = deps
  const closing = closer()
  const contract = deps.contract ?? loadContract()
  const { document } = contract
  const metrics = httpMetrics(deps.registry)
  const count = deps.rateLimit && requestCounter(deps.rateLimit, deps.rateLimit.redis)
  const webFiles = new WebFiles(deps.webFolder)
  const hasDashboard = deps.dashboard !== false && webFiles.names.has('index.html')
  const operations = operationTable({
    ...deps,
    publicUrl: deps.publicUrl ?? null,
    versions: { version: deps.version, revision: deps.revision ?? null, contract: String(document.json.info.version) },
    stopping: closing.stopping,
    metrics,
    reference: reference(document, webFiles, deps.protocol !== undefined),
    dashboard: dashboard(webFiles, hasDashboard),
  })
  const app = createApp({
    contract,
    operations,
    count,
    trustProxy,
    hasDashboard,
    hasGuides: webFiles.names.has(GUIDES_PAGE),
    protocol: deps.protocol,
    senders: {
      answers: new AnswerMaker(cache),
      streams: new EventStreams(streamLimits, trustProxy, metrics.registry),
      downloads: new Downloads(
        { atOnce: exportsAtOnce, perKey: EXPORTS_PER_KEY, chunkMs: limits.answerMs },
        metrics.registry,
      ),
    },
    verifyKey: deps.verifyKey,
    needs: deps.exportsAccess === 'key' ? needsKeyForExports : needsKey,
    answerMs: limits.answerMs,
  })
  const serveCached = cache && cachedAnswers({ cache, metrics, count, trustProxy })
  const server = serverOf(app, { limits, log, metrics, trustProxy, serveCached, closing, names: deps.names })
  // Behind proxies all connections come from them; limiting connections per caller is up to the proxies.
  if (!trustProxy) limitConnections(server, limits.connectionsPerAddress, metrics.connectionRefused)
  const close = (graceMs: number, drainMs?: number) => {
    deps.streams.stop()
    return closing.close(server, graceMs, drainMs)
  }
  return { server, close }
}

interface ProbeDependencies {
  health: Health
  /** Shared with the other metrics of the process. */
  registry: Registry
  log: Logger
  /** As of `HttpDependencies`. */
  names?: readonly string[]
}

/** Serves `/healthz`, `/readyz` and `/metrics` alone, for a process that does not serve the API. */
export function createProbeServer({ health, registry, log, names }: ProbeDependencies): HttpService {
  const closing = closer()
  const metrics = httpMetrics(registry)
  const app = createApp({
    contract: loadContract(),
    operations: probeOperations({ health, metrics, stopping: closing.stopping }),
    senders: { answers: new AnswerMaker(undefined) },
    needs: () => false,
    count: undefined,
    trustProxy: 0,
    hasDashboard: true,
    hasGuides: true,
    verifyKey: () => Promise.reject(new Error('no operation here needs a key')),
    answerMs: LIMITS.answerMs,
  })
  const server = serverOf(app, { limits: LIMITS, log, metrics, trustProxy: 0, closing, names })
  return { server, close: (graceMs, drainMs) => closing.close(server, graceMs, drainMs) }
}

interface Listening {
  limits: ServerLimits
  log: Logger
  metrics: Metrics
  trustProxy: number
  closing: ReturnType<typeof closer>
  /** Answers a request from memory, before the application. */
  serveCached?: ServeCached | undefined
  names: readonly string[] | undefined
}

/** Returns a server of the application, within the limits of connections, heads and time. */
function serverOf(app: Express, listening: Listening): Server {
  const { limits, log, metrics, trustProxy, closing, serveCached, names } = listening
  let servesHost: ServesHost | null = null
  const isLastRequest = lastRequestCheck(limits)
  const logged = logRequests(log, trustProxy)
  const listener = (incoming: IncomingMessage, answer: ServerResponse) => {
    // The connection limit has refused this connection and is closing it.
    if (incoming.socket.writableEnded) return
    const isClosing = isLastRequest(incoming.socket) || closing.stopping() || isLastByForm(incoming)
    const context = beginRequest(incoming, servesHost)
    if (isClosing) context.headers.Connection = 'close'
    const [request, response] = [Object.assign(incoming, { context }) as Request, answer as Response]
    // None of these needs Express, so answers from memory bypass it.
    logged(request, response, () => {})
    metrics.observe(request, response, () => {})
    if (!serveCached?.(request, response)) app(request, response)
  }
  const server = createServer(creationOptions(limits), listener)
  // An Expect that is not 100-continue may be ignored (RFC 9110 §10.1.1); node would answer without our headers. For
  // one that is, the body is requested only if it is read.
  server.on('checkExpectation', listener).on('checkContinue', listener)
  server.on('listening', () => {
    const { address } = server.address() as AddressInfo
    servesHost = names === undefined ? null : servedHosts(address, names)
  })
  closing.watch(server)
  applyLimits(server, limits)
  answerProtocolFaults(server)
  return server
}
