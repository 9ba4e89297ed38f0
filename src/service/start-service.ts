// Starts the service with some or all of its roles: `api` answers requests, `ingest` records and projects filings,
// `deliver` sends webhooks. Roles may run in one process or in several.
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { collectDefaultMetrics, register } from 'prom-client'
import type { KeyVerifier } from '../application/commands/authenticate-key.ts'
import { bindOwned, closeContainer, createContainer, type Container } from '../container/container.ts'
import { resolve } from '../container/named.ts'
import { TYPES } from '../container/tokens.ts'
import { describeConfig, type Config } from '../config.ts'
import { rulesVersion, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { hasSignalsOfOtherRules } from '../infrastructure/clickhouse/queries/signal.ts'
import { loadContract, type LoadedContract } from '../infrastructure/http/app.ts'
import { createProbeServer } from '../infrastructure/http/server.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import type { LeaderLock } from '../infrastructure/postgres/coordination/leader-lock.ts'
import { CHANGES_CHANNEL } from '../infrastructure/postgres/changes/log-statement.ts'
import { listenFor } from '../infrastructure/postgres/coordination/notifications.ts'
import { ChangeFollower } from '../infrastructure/postgres/changes/change-follower.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../infrastructure/redis/client.ts'
import { dataPaths } from '../infrastructure/embedded/data-dir.ts'
import { ensureStores, type Stores } from '../infrastructure/embedded/stores.ts'
import { superviseStores } from '../infrastructure/embedded/supervisor.ts'
import { createApiServer } from './roles/api-role.ts'
import { serviceRevision, serviceVersion } from './version.ts'
import { startDelivering } from './roles/deliver-role.ts'
import { openRoleStore, signalRules } from './analytics-access.ts'
import { startIngesting } from './roles/ingest-role.ts'
import { keepLogSmall, openLog } from './logger.ts'
import { endPools, openPools, retryUntilAvailable, type Pools } from './pools.ts'
import { registerIngestionMetrics } from './metrics/ingestion.ts'
import { readiness } from './readiness.ts'
import { registerReadinessMetrics, registerStoreMetrics } from './metrics/stores.ts'
import { LOST_KEY_LINE, useSecretsKey } from './secrets-key.ts'
import { ownNames, settingsPrint } from './settings.ts'
import { addressOf, claimService, unclaimService } from './service-record.ts'

const GRACE_MS = 20_000

export const ROLES = ['api', 'ingest', 'deliver'] as const
export type Role = (typeof ROLES)[number]

/** Runs the service until SIGTERM or SIGINT. Calls `note` for each store that is waited for. */
export async function runService(config: Config, roles: Set<Role>, note: (text: string) => void): Promise<void> {
  // Files of this process, including those of the embedded engine, are readable by its user only.
  process.umask(0o077)
  const log = openLog(config.logLevel)
  keepLogSmall(dataPaths(config.dataDir).serviceLog)
  // Read before anything is started, since a fault in the file ends the start.
  const rules = signalRules(config)
  const hasAllRoles = roles.size === ROLES.length
  if (hasAllRoles) await claimService(config.dataDir, { ...config, settings: settingsPrint(config) })
  // Not probed here: PostgreSQL is waited for below, and Redis is not needed to start.
  const stores = await ensureStores(config, { note, probe: [] })
  try {
    await serve({ config, roles, stores, rules, log })
  } finally {
    await stores.release()
    if (hasAllRoles) unclaimService(config.dataDir)
  }
}

interface Part {
  stop(): Promise<unknown>
}

interface ServiceParts {
  config: Config
  roles: Set<Role>
  stores: Stores
  rules: SignalRules
  log: Logger
}

async function serve({ config, roles, stores, rules, log }: ServiceParts): Promise<void> {
  const { databaseUrl } = stores
  log.info({ roles: [...roles], ...describeConfig(config) }, 'starting')
  const { container, pools, redis } = openContainer(config, stores, log)
  // Stopped together, before their dependencies are closed; also if the start fails part-way.
  const parts: Part[] = [superviseStores(config, log)]
  try {
    await retryUntilAvailable(log, () => migratePostgres(pools.work))
    const place = { config, databaseUrl, pool: pools.work }
    const opening = hasAnalytics(roles) ? retryUntilAvailable(log, () => openRoleStore(place, container)) : null
    const loading = Promise.try(() => (roles.has('api') ? loadContract() : null))
    // Waits for both even if one fails: ClickHouse can be closed only once it is open.
    await Promise.allSettled([opening, loading])
    const [lock, contract] = await Promise.all([opening, loading])
    const failed = Promise.withResolvers<never>()
    failed.promise.catch(() => {})
    await start(
      { config, roles, databaseUrl, rules, log, pools, redis, container, contract, lock, fail: failed.reject },
      parts,
    )
    await Promise.race([stopSignal(), failed.promise])
    log.info('stopping')
  } finally {
    setTimeout(() => process.exit(1), GRACE_MS + 4_000).unref()
    await Promise.all(parts.map((part) => part.stop()))
    await closeContainer(container)
    log.info('stopped')
  }
}

/** Returns the container with the values that every role needs. Nothing is connected yet. */
function openContainer(config: Config, { databaseUrl, redisUrl }: Stores, log: Logger) {
  const pools = openPools(databaseUrl, (error) => log.warn({ err: error }, 'postgres connection lost'))
  const redis = openRedis(redisUrl, (error) => log.warn({ err: error }, 'Redis connection failed'))
  const container = createContainer({
    pool: pools.work,
    callersPool: pools.callers,
    publicUrl: config.publicUrl,
  })
  bindOwned(container, TYPES.pools, pools, endPools)
  container.bind(TYPES.databaseUrl).toConstantValue(databaseUrl)
  container.bind(TYPES.deliveryPool).toConstantValue(pools.delivery)
  bindOwned(container, TYPES.redis, redis, (client) => client.destroy())
  container.bind(TYPES.log).toConstantValue(log)
  container.bind(TYPES.registry).toConstantValue(register)
  container.bind(TYPES.webhookSettings).toConstantValue({
    allowHttp: config.webhookAllowHttp,
    allowHosts: config.webhookAllowHosts,
    version: serviceVersion(),
  })
  return { container, pools, redis }
}

interface Starting {
  config: Config
  roles: Set<Role>
  databaseUrl: string
  rules: SignalRules
  log: Logger
  pools: Pools
  redis: Redis
  container: Container
  /** Null if no API is served. */
  contract: LoadedContract | null
  /** Required by the embedded engine; null for a server. */
  lock: LeaderLock | null
  /** Stops the service with this error. */
  fail(error: unknown): void
}

/** Starts the roles. Adds each to `parts` at once, so that the caller can stop them if a later one fails. */
async function start(starting: Starting, parts: Part[]): Promise<void> {
  const { config, roles, rules, log, pools, redis, container, contract } = starting
  const secretsKey = await retryUntilAvailable(log, () => secretsKeyOf(config, roles, pools.work, log))
  container.bind(TYPES.secretsKey).toConstantValue(secretsKey)
  const follows = config.edgarUserAgent !== null
  collectDefaultMetrics({ register })
  registerIngestionMetrics(register, pools.callers, follows)
  const store = hasAnalytics(roles) ? resolve(container, ANALYTICS) : null
  if (roles.has('ingest')) {
    const ready = beginIngesting(starting, parts)
    // Filling an empty store takes long; probes are answered with "being filled" meanwhile.
    if (config.clickhouseUrl === null && (await store?.isPopulated())) await ready
  }
  if (store && (await store.isPopulated()) && (await hasSignalsOfOtherRules(store.clickHouse, rulesVersion(rules)))) {
    log.warn('the signal rules have changed: make rebuild recomputes all signals')
  }
  registerStoreMetrics(
    register,
    {
      pools,
      store: store?.clickHouse ?? null,
      projection: roles.has('ingest') ? store!.analytics : null,
    },
    { version: serviceVersion(), revision: serviceRevision() ?? '', roles: [...roles].join(',') },
  )
  const isPopulated = roles.has('api') ? store!.isPopulated : null
  // A positive answer is cached, so that requests do not ask again.
  await isPopulated?.()
  const needs = {
    store: store?.clickHouse ?? null,
    pool: pools.callers,
    redis: roles.has('deliver') ? redis : null,
    isPopulated,
  }
  const health = { ready: readiness(needs, follows) }
  container.bind(TYPES.health).toConstantValue(health)
  registerReadinessMetrics(register, health)
  if (roles.has('api')) followChanges(starting)
  // Has to come before the server listens: a browser's EventSource gives up on a 503 when it reconnects.
  if (roles.has('api')) parts.push(await feedStreams(starting))
  const http = contract
    ? createApiServer(config, container, contract)
    : createProbeServer({ health, registry: register, log, names: ownNames(config) })
  await listening(http.server, config)
  bindOwned(container, TYPES.httpServer, http, () => http.close(GRACE_MS, config.drainSeconds * 1_000))
  parts.push({ stop: () => container.unbindAsync(TYPES.httpServer) })
  log.info({ address: addressOf(config.host, config.port) }, 'listening')
  if (roles.has('api')) parts.push(recordUses(resolve(container, { keyVerifier: TYPES.keyVerifier }).keyVerifier, log))
  if (roles.has('deliver')) parts.push(startDelivering(container))
}

/** Begins to ingest. Resolves once ClickHouse can be queried. */
function beginIngesting({ config, databaseUrl, container, log, lock, fail }: Starting, parts: Part[]) {
  const ingesting = startIngesting({ config, databaseUrl, container, log, first: lock, fail })
  parts.push(ingesting)
  return ingesting.ready
}

/** Follows the changes of other processes, so that answers in memory are dropped when their data changes. */
function followChanges({ config, container, databaseUrl, log }: Starting): void {
  // Only this process writes to the embedded engine.
  if (config.clickhouseUrl === null) return
  const { changes } = resolve(container, { changes: TYPES.changes })
  const onError = (error: Error) =>
    log.warn({ err: error }, 'cannot read the log of changes: answering from the stores')
  const follower = new ChangeFollower({ databaseUrl, changes, onError })
  bindOwned(container, TYPES.changeFollower, follower, (following) => following.close())
}

const STREAM_POLL_MS = 1_000

/** Starts reading the log of changes for streams; resolves after the first attempt. */
async function feedStreams({ container, databaseUrl, log }: Starting): Promise<Part> {
  const { streams } = resolve(container, { streams: TYPES.streams })
  const stop = new AbortController()
  const failed = (error: unknown) => log.warn({ err: error }, 'cannot read the log of changes: streams are delayed')
  const wakeUps = listenFor(databaseUrl, CHANGES_CHANNEL, failed)
  const begun = Promise.withResolvers<void>()
  const wait = () => {
    begun.resolve()
    return wakeUps.next(STREAM_POLL_MS, stop.signal)
  }
  const running = streams.run(wait, failed, stop.signal)
  await begun.promise
  return {
    stop: async () => {
      stop.abort()
      await Promise.all([running, wakeUps.close()])
    },
  }
}

const ANALYTICS = { clickHouse: TYPES.clickHouse, analytics: TYPES.analytics, isPopulated: TYPES.isPopulated }

const hasAnalytics = (roles: Set<Role>): boolean => roles.has('api') || roles.has('ingest')

/** Returns null for a process that neither issues keys nor signs. */
async function secretsKeyOf(config: Config, roles: Set<Role>, pool: Pool, log: Logger): Promise<Buffer | null> {
  if (!roles.has('api') && !roles.has('deliver')) return null
  const { key, disabled } = await useSecretsKey(config, pool)
  if (disabled > 0) log.warn({ addresses: disabled }, LOST_KEY_LINE)
  return key
}

function listening(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

/** Starts writing to PostgreSQL when keys were last used. Stopping it writes the rest. */
function recordUses(keyVerifier: KeyVerifier, log: Logger): Part {
  const stop = new AbortController()
  const failed = (error: Error) => log.warn({ err: error }, 'could not record API key usage; will retry')
  const running = keyVerifier.writeUses(stop.signal, failed)
  return {
    stop: () => {
      stop.abort()
      return running
    },
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve()
        // A second signal ends the process at once.
        process.once(signal, () => process.exit(1))
      })
    }
  })
}
