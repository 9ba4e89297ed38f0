// The role api: creates the HTTP server from the services in the container and the settings.
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Container } from '../../container/container.ts'
import { resolve } from '../../container/named.ts'
import { TYPES } from '../../container/tokens.ts'
import { AnswerCache } from '../../infrastructure/http/cache/answer-cache.ts'
import type { LoadedContract } from '../../infrastructure/http/app.ts'
import { createHttpServer, type HttpService } from '../../infrastructure/http/server.ts'
import type { AnswerProtocol } from '../../infrastructure/mcp/http.ts'
import { ownNames, rateLimitOf } from '../settings.ts'
import { serviceRevision, serviceVersion } from '../version.ts'

/** Returns the handler of the Model Context Protocol, which is loaded with the first request to it. */
function protocolOf(config: Config, log: Logger) {
  let loading: Promise<AnswerProtocol> | undefined
  const load = async () => {
    const { protocolAnswers } = await import('../../infrastructure/mcp/http.ts')
    return protocolAnswers({
      version: serviceVersion(),
      hosts: ownNames(config),
      origins: config.mcpOrigins,
      onFailure: (err) => log.error({ err }, 'a tool of the Model Context Protocol failed'),
    })
  }
  return { load: () => (loading ??= load()) }
}

/** Creates the server, which does not listen yet. */
export function createApiServer(config: Config, container: Container, contract: LoadedContract): HttpService {
  const { redis, keyVerifier, changes, clock, isUpToDate, ...deps } = resolve(container, {
    queries: TYPES.servedQueries,
    rules: TYPES.rules,
    changeQueries: TYPES.changeQueries,
    exportQueries: TYPES.exportQueries,
    streams: TYPES.streams,
    statusQueries: TYPES.statusQueries,
    keyQueries: TYPES.keyQueries,
    findMatches: TYPES.findMatches,
    watchlist: TYPES.watchlist,
    alertRules: TYPES.alertRules,
    sends: TYPES.sends,
    keyVerifier: TYPES.keyVerifier,
    health: TYPES.health,
    log: TYPES.log,
    registry: TYPES.registry,
    redis: TYPES.redis,
    changes: TYPES.changes,
    isUpToDate: TYPES.isUpToDate,
    clock: TYPES.clock,
  })
  const rateLimit = rateLimitOf(config)
  return createHttpServer({
    ...deps,
    contract,
    version: serviceVersion(),
    revision: serviceRevision(),
    verifyKey: keyVerifier.verify,
    // No other process counts in the embedded Redis, so requests are counted in memory then.
    ...(rateLimit && { rateLimit: { ...rateLimit, ...(config.redisUrl !== null && { redis }) } }),
    ...(config.cacheMemory > 0 && {
      cache: new AnswerCache({ maxBytes: config.cacheMemory, changes, clock, isUpToDate }),
    }),
    dashboard: config.dashboard,
    publicUrl: config.publicUrl,
    names: ownNames(config),
    ...(config.mcp && { protocol: protocolOf(config, deps.log) }),
    streamLimits: { streams: config.streams, perCaller: config.streamsPerCaller },
    exportsAccess: config.exportsAccess,
    exportsAtOnce: config.exportsAtOnce,
    limits: { connectionsPerAddress: config.connectionsPerAddress },
    ...(config.trustProxy !== false && { trustProxy: config.trustProxy }),
  })
}
