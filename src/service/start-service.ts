// The service, in one process or in several by roles: `api` answers questions, `ingest` takes filings in, `deliver` sends
// webhooks.
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { collectDefaultMetrics, register } from 'prom-client'
import { ServiceError } from '../application/errors.ts'
import { createContainer, type Container } from '../container/container.ts'
import { TYPES } from '../container/tokens.ts'
import { describeConfig, type Config } from '../config.ts'
import { rulesVersion, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { hasSignalsOfOtherRules } from '../infrastructure/clickhouse/queries/signal.ts'
import { createOperationsServer } from '../infrastructure/http/server/probe-server.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import type { LeaderLock } from '../infrastructure/postgres/coordination/leader-lock.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../infrastructure/redis/client.ts'
import { dataPaths } from '../infrastructure/embedded/data-dir.ts'
import { ensureStores, type Stores } from '../infrastructure/embedded/stores.ts'
import { openAddressGuard } from '../infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../infrastructure/webhooks/sender.ts'
import { createApiServer } from './roles/api-role.ts'
import { serviceVersion } from './version.ts'
import { startDelivering } from './roles/deliver-role.ts'
import { acquireAnalytics, openAnalyticsAccess, signalRules } from './analytics-access.ts'
import { startIngesting } from './roles/ingest-role.ts'
import { keepLogSmall, openLog } from './logger.ts'
import { registerIngestionMetrics } from './metrics/ingestion.ts'
import { readiness } from './readiness.ts'
import { registerReadinessMetrics, registerStoreMetrics } from './metrics/stores.ts'
import { LOST_KEY_LINE, useSecretsKey } from './secrets-key.ts'
import { settingsPrint } from './settings.ts'
import { addressOf, claimService, unclaimService } from './service-record.ts'

// Another command may be at work on the same data; it tells its own progress.
const WAIT_FOR_STORE_MS = 10 * 60_000
const GRACE_MS = 20_000
const POOLS_END_MS = 2_000
const STORE_COMES_MS = 60_000

export const ROLES = ['api', 'ingest', 'deliver'] as const
export type Role = (typeof ROLES)[number]

/** Runs the service until SIGTERM or SIGINT. Calls `note` for each store that is waited for. */
export async function runService(config: Config, roles: Set<Role>, note: (text: string) => void): Promise<void> {
  const log = openLog(config.logLevel)
  keepLogSmall(dataPaths(config.dataDir).serviceLog)
  // Before anything is started that a fault in it would stop again.
  const rules = signalRules(config)
  const isWhole = roles.size === ROLES.length
  if (isWhole) await claimService(config.dataDir, { ...config, settings: settingsPrint(config) })
  // PostgreSQL is waited for below, and Redis is not needed.
  const stores = await ensureStores(config, { note, probe: [] })
  try {
    await serve(config, roles, stores, rules, log)
  } finally {
    await stores.release()
    if (isWhole) unclaimService(config.dataDir)
  }
}

interface Part {
  stop(): Promise<unknown>
}

async function serve(config: Config, roles: Set<Role>, stores: Stores, rules: SignalRules, log: Logger): Promise<void> {
  const { databaseUrl, redisUrl } = stores
  log.info({ roles: [...roles], ...describeConfig(config) }, 'starting')
  const pools = openPools(databaseUrl, (error) => log.warn({ err: error }, 'postgres connection lost'))
  const redis = openRedis(redisUrl, (error) => log.warn({ err: error }, 'redis'))
  // Ended together, then the stores they stand on; also where the start failed on its way.
  const parts: Part[] = []
  let opened: Opened | undefined
  try {
    await patiently(log, () => migratePostgres(pools.work))
    opened = await patiently(log, () => openStore(config, roles, databaseUrl, pools))
    const failed = Promise.withResolvers<never>()
    failed.promise.catch(() => {})
    await start({ config, roles, stores, rules, log, pools, redis, opened, fail: failed.reject }, parts)
    await Promise.race([stopSignal(), failed.promise])
    log.info('stopping')
  } finally {
    setTimeout(() => process.exit(1), GRACE_MS + 4_000).unref()
    await Promise.all(parts.map((part) => part.stop()))
    await opened?.close()
    redis.destroy()
    // The end of a connection waits for an answer, which one that was cut never gives.
    await Promise.race([
      Promise.all(Object.values(pools).map((pool) => pool.end())),
      sleep(POOLS_END_MS, undefined, { ref: false }),
    ])
    log.info('stopped')
  }
}

/** A store that is not there yet is waited for: all may be starting at once, say after the machine did. */
async function patiently<T>(log: Logger, act: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + STORE_COMES_MS; ;) {
    try {
      return await act()
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === 'unavailable'
      if (!isAway || performance.now() > end) throw error
      log.warn({ reason: error.message }, 'waiting for a store')
      await sleep(1_000)
    }
  }
}

type Pools = Record<'work' | 'delivery' | 'callers', Pool>

/** One for each kind of time limit, so that none waits for connections of another. Unused ones have no connection. */
function openPools(url: string, onError: (error: Error) => void): Pools {
  const pool = (limits: keyof Pools) => openPool({ url, name: `service ${limits}`, limits, onError })
  return { work: pool('work'), delivery: pool('delivery'), callers: pool('callers') }
}

interface Starting {
  config: Config
  roles: Set<Role>
  stores: Stores
  rules: SignalRules
  log: Logger
  pools: Pools
  redis: Redis
  opened: Opened
  /** Ends all, as where the start itself failed. */
  fail(error: unknown): void
}

/** `parts` are what was started so far, whatever becomes of the rest. */
async function start(
  { config, roles, stores, rules, log, pools, redis, opened, fail }: Starting,
  parts: Part[],
): Promise<void> {
  const { databaseUrl } = stores
  const { container, lock } = opened
  const secretsKey = await patiently(log, () => secretsKeyOf(config, roles, pools.work, log))
  container.bind(TYPES.secretsKey).toConstantValue(secretsKey)
  const follows = config.edgarUserAgent !== null
  collectDefaultMetrics({ register })
  registerIngestionMetrics(register, pools.callers, follows)
  if (roles.has('ingest')) {
    const ingesting = startIngesting(config, databaseUrl, container, log, lock, fail)
    parts.push(ingesting)
    // An emptied store takes long to fill; whoever waits for us is told so meanwhile.
    if (lock && (await container.get(TYPES.isPopulated)())) await ingesting.ready
  }
  const store = roles.has('api') || roles.has('ingest') ? container.get(TYPES.clickHouse) : null
  if (store && (await hasSignalsOfOtherRules(store, rulesVersion(rules)))) {
    log.warn('the rules of signals have changed: make rebuild recomputes them')
  }
  const projection = roles.has('ingest') ? container.get(TYPES.analytics) : null
  registerStoreMetrics(register, pools, store, projection, { version: serviceVersion(), roles: [...roles].join(',') })
  const isPopulated = roles.has('api') ? container.get(TYPES.isPopulated) : null
  // Once it is known that it is, no request asks any more.
  await isPopulated?.()
  const health = {
    ready: readiness({ store, pool: pools.callers, redis: roles.has('deliver') ? redis : null, isPopulated }, follows),
  }
  registerReadinessMetrics(register, health)
  const guard = openAddressGuard({ allowHttp: config.webhookAllowHttp, allowHosts: config.webhookAllowHosts })
  const http = roles.has('api')
    ? createApiServer(config, { container, rules, health, log, guard, redis })
    : createOperationsServer(health, register)
  await listening(http.server, config)
  parts.push({ stop: () => http.close(GRACE_MS, config.drainSeconds * 1_000) })
  log.info({ address: addressOf(config.host, config.port) }, 'listening')
  if (roles.has('api')) parts.push(keepUses(container, log))
  if (roles.has('deliver')) {
    const sender = new HttpWebhookSender({ guard, version: serviceVersion() })
    const secretBox = container.get(TYPES.secretBox)
    const decrypt = (keyId: string, sealed: Buffer) => secretBox.decrypt(keyId, sealed)
    const { delivery: pool, callers: countsPool } = pools
    parts.push(startDelivering({ databaseUrl, pool, countsPool, redis, sender, decrypt, log, registry: register }))
  }
}

/** Null for a process that neither issues keys nor signs. */
async function secretsKeyOf(config: Config, roles: Set<Role>, pool: Pool, log: Logger): Promise<Buffer | null> {
  if (!roles.has('api') && !roles.has('deliver')) return null
  const { key, disabled } = await useSecretsKey(config, pool)
  if (disabled > 0) log.warn({ addresses: disabled }, LOST_KEY_LINE)
  return key
}

interface Opened {
  container: Container
  lock: LeaderLock | null
  close(): Promise<void>
}

/** The embedded engine may be opened only by whoever has the right to write; a server by all. */
async function openStore(config: Config, roles: Set<Role>, databaseUrl: string, pools: Pools): Promise<Opened> {
  const { work: pool, callers: callersPool } = pools
  if (!roles.has('api') && !roles.has('ingest'))
    return { container: createContainer({ pool, callersPool }), lock: null, close: async () => {} }
  if (config.clickhouseUrl !== null)
    return { ...(await openAnalyticsAccess(config, pool, { callersPool })), lock: null }
  const lease = await acquireAnalytics(config, databaseUrl, pool, WAIT_FOR_STORE_MS, { callersPool })
  if (!lease) throw new Error(`another command works on ${config.dataDir} and did not end within 10 minutes`)
  return lease
}

function listening(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

/** When keys were last used goes to PostgreSQL until stopped, and what is left then. */
function keepUses(container: Container, log: Logger): Part {
  const stop = new AbortController()
  const failed = (error: Error) => log.warn({ err: error }, 'when keys were last used was not written, and will be')
  const running = container.get(TYPES.keyVerifier).writeUses(stop.signal, failed)
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
        // A second one means now.
        process.once(signal, () => process.exit(1))
      })
    }
  })
}
