// The role that answers: the HTTP server with all that stands behind its operations.
import type { Config } from '../../config.ts'
import type { Container } from '../../container/container.ts'
import { resolve } from '../../container/named.ts'
import { TYPES } from '../../container/tokens.ts'
import { createHttpServer, type HttpService } from '../../infrastructure/http/server.ts'
import { rateLimitOf } from '../settings.ts'

/** Makes the server, which does not listen yet. */
export function createApiServer(config: Config, container: Container): HttpService {
  const { redis, keyVerifier, ...deps } = resolve(container, {
    queries: TYPES.servedQueries,
    rules: TYPES.rules,
    keyQueries: TYPES.keyQueries,
    watchlist: TYPES.watchlist,
    keyVerifier: TYPES.keyVerifier,
    health: TYPES.health,
    log: TYPES.log,
    registry: TYPES.registry,
    redis: TYPES.redis,
  })
  const rateLimit = rateLimitOf(config)
  return createHttpServer({
    ...deps,
    verifyKey: keyVerifier.verify,
    validateResponses: false,
    ...(rateLimit && { rateLimit: { ...rateLimit, redis } }),
    limits: { connectionsPerAddress: config.connectionsPerAddress },
    ...(config.trustProxy !== false && { trustProxy: config.trustProxy }),
  })
}
