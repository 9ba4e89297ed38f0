// The role that answers: the HTTP server with all that stands behind its operations.
import type { Logger } from 'pino'
import { register } from 'prom-client'
import { requirePopulated } from '../../application/queries/analytics-ready.ts'
import { makeWatchlist } from '../../application/commands/watchlist.ts'
import type { Config } from '../../config.ts'
import type { Container } from '../../container/container.ts'
import { TYPES } from '../../container/tokens.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { Health } from '../../infrastructure/http/controllers/health.ts'
import { createHttpServer, type HttpDependencies, type HttpService } from '../../infrastructure/http/server.ts'
import type { Redis } from '../../infrastructure/redis/client.ts'
import type { AddressGuard } from '../../infrastructure/webhooks/address-guard.ts'
import { rateLimitOf } from '../settings.ts'

export interface ApiRole {
  container: Container
  rules: SignalRules
  health: Health
  log: Logger
  guard: AddressGuard
  redis: Redis
}

export function createApiServer(config: Config, { container, rules, health, log, guard, redis }: ApiRole): HttpService {
  const rateLimit = rateLimitOf(config)
  const deps: HttpDependencies = {
    queries: requirePopulated(container.get(TYPES.queries), container.get(TYPES.isPopulated)),
    rules,
    watchlist: makeWatchlist(container.get(TYPES.watchlists), (text) => guard.checkAddress(guard.checkUrl(text))),
    verifyKey: container.get(TYPES.keyVerifier).verify,
    health,
    log,
    validateResponses: false,
    registry: register,
    ...(rateLimit && { rateLimit: { ...rateLimit, redis } }),
    limits: { connectionsPerAddress: config.connectionsPerAddress },
    ...(config.trustProxy !== false && { trustProxy: config.trustProxy }),
  }
  return createHttpServer(deps)
}
