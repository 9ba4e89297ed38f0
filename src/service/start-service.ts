// The service, in one process or in several by roles: `api` answers questions, `ingest` takes filings in, `deliver` sends
// webhooks.
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { collectDefaultMetrics, register } from 'prom-client'
import { ServiceError } from '../application/errors.ts'
import { bindKeys, ledgerContainer, the, type Container } from '../container/container.ts'
import { describeConfig, type Config } from '../config.ts'
import { rulesVersion, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { hasSignalsOfOtherRules } from '../infrastructure/clickhouse/queries/signal.ts'
import { createOperationsServer } from '../infrastructure/http/server/probe-server.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import type { Holder } from '../infrastructure/postgres/coordination/leader-lock.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../infrastructure/redis/client.ts'
import { dataPaths } from '../infrastructure/embedded/data-dir.ts'
import { ensureStores, type Stores } from '../infrastructure/embedded/stores.ts'
import { openAddressGuard } from '../infrastructure/webhooks/address-guard.ts'
import { openWebhookSender } from '../infrastructure/webhooks/sender.ts'
import { answeringServer } from './api-role.ts'
import { serviceVersion } from '../cli/bootstrap/checkout.ts'
import { startDelivering } from './deliver-role.ts'
import { holdStore, openAnalyticsStore, signalRules } from './analytics-access.ts'
import { startIngesting } from './ingest-role.ts'
import { keepLogSmall, openLog } from './logger.ts'
import { registerIngestionMetrics } from './metrics/ingestion.ts'
import { usageError, type Output } from '../cli/output.ts'
import { readiness } from './readiness.ts'
import { registerReadinessMetrics, registerStoreMetrics } from './metrics/stores.ts'
import { LOST_KEY_LINE, useSecretsKey } from './secrets-key.ts'
import { settingsPrint } from '../cli/stack/settings-checks.ts'
import { addressOf, claimService, unclaimService } from './service-record.ts'

// Another command may be at work on the same data; it tells its own progress.
const WAIT_FOR_STORE_MS = 10 * 60_000
const GRACE_MS = 20_000
const POOLS_END_MS = 2_000
const STORE_COMES_MS = 60_000

const ROLES = ['api', 'ingest', 'deliver'] as const
type Role = (typeof ROLES)[number]

export const help = `serve [--roles api,ingest,deliver] [--proxies 0]: run the service in the foreground; make up runs it in the background

  api       answers HTTP; any number of processes
  ingest    takes filings in and judges them; one process is active, further ones stand by and take over within 15 s
  deliver   sends webhooks; any number of processes
  --proxies says how many proxies of the stack's own stand in front, besides those that TRUST_PROXY tells of.
  Every process answers /healthz, /readyz and /metrics on PORT. In several processes the stores must be servers
  (CLICKHOUSE_URL, DATABASE_URL, REDIS_URL), and api and deliver must have the same SECRETS_KEY.

  PORT, HOST, DATA_DIR   as for up
  LOG_LEVEL              fatal to trace (info)
  SIGNAL_RULES           a JSON file with thresholds of signals that differ from the defaults
  SECRETS_KEY            encrypts webhook secrets in PostgreSQL (the file DATA_DIR/secrets.key)
                         it and the addresses of servers may lie in files: SECRETS_KEY_FILE, DATABASE_URL_FILE ...
  WEBHOOK_ALLOW_HTTP     1: alerts may go to http addresses too (https only)
  WEBHOOK_ALLOW_HOSTS    hosts that alerts may go to though not public (none)
  ALERT_WINDOW_HOURS     filings accepted longer ago raise no alert (72)
  DRAIN_SECONDS          told to stop, answer for so long as not ready before refusing requests (0)
  RATE_LIMIT             requests per key or address, such as 600/min (no limit)
  TRUST_PROXY            how many proxies stand in front (none)
  CONNECTIONS_PER_ADDRESS  connections that one address may have open (1000)`

export async function run(given: Config, args: string[], out: Output): Promise<void> {
  const { roles, proxies } = wordsOf(given, args)
  const config = { ...given, trustProxy: Number(given.trustProxy) + proxies || false as const }
  const log = openLog(config.logLevel)
  keepLogSmall(dataPaths(config.dataDir).serviceLog)
  // Before anything is started that a fault in it would stop again.
  const rules = signalRules(config)
  const isWhole = roles.size === ROLES.length
  if (isWhole) await claimService(config.dataDir, { ...config, settings: settingsPrint(config) })
  // PostgreSQL is waited for below, and Redis is not needed.
  const stores = await ensureStores(config, { note: out.note, probe: [] })
  try {
    await serve(config, roles, stores, rules, log)
  } finally {
    await stores.release()
    if (isWhole) unclaimService(config.dataDir)
  }
}

function wordsOf(config: Config, args: string[]): { roles: Set<Role>; proxies: number } {
  const options = { roles: { type: 'string', default: ROLES.join(',') }, proxies: { type: 'string', default: '0' } } as const
  const { values } = parseArgs({ args, options })
  if (!/^\d$/.test(values.proxies)) throw usageError(`--proxies takes a number from 0 to 9, not "${values.proxies}"`)
  const named = values.roles.split(',').map((role) => role.trim())
  const unknown = named.find((role) => !ROLES.includes(role as Role))
  if (unknown !== undefined) throw usageError(`--roles takes some of ${ROLES.join(', ')}, not "${unknown}"`)
  const roles = new Set(named as Role[])
  const missing = (['clickhouseUrl', 'databaseUrl', 'redisUrl'] as const).some((store) => config[store] === null)
  if (roles.size < ROLES.length && missing) {
    throw usageError('embedded stores are for one process with all roles: set CLICKHOUSE_URL, DATABASE_URL and REDIS_URL')
  }
  return { roles, proxies: Number(values.proxies) }
}

interface Part { stop(): Promise<unknown> }

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
    opened = await patiently(log, () => openStore(config, roles, databaseUrl, pools.work))
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
    await Promise.race([Promise.all(Object.values(pools).map((pool) => pool.end())), sleep(POOLS_END_MS, undefined, { ref: false })])
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
async function start({ config, roles, stores, rules, log, pools, redis, opened, fail }: Starting, parts: Part[]): Promise<void> {
  const { databaseUrl } = stores
  const { container, holder } = opened
  bindKeys(container, await patiently(log, () => secretsKeyOf(config, roles, pools.work, log)), pools.callers)
  const follows = config.edgarUserAgent !== null
  collectDefaultMetrics({ register })
  registerIngestionMetrics(register, pools.callers, follows)
  if (roles.has('ingest')) {
    const ingesting = startIngesting(config, databaseUrl, container, log, holder, fail)
    parts.push(ingesting)
    // An emptied store takes long to fill; whoever waits for us is told so meanwhile.
    if (holder && await container.get(the.isFilled)()) await ingesting.ready
  }
  const store = roles.has('api') || roles.has('ingest') ? container.get(the.clickHouse) : null
  if (store && await hasSignalsOfOtherRules(store, rulesVersion(rules))) {
    log.warn('the rules of signals have changed: make rebuild recomputes them')
  }
  const projection = roles.has('ingest') ? container.get(the.analytics) : null
  registerStoreMetrics(register, pools, store, projection, { version: serviceVersion(), roles: [...roles].join(',') })
  const isFilled = roles.has('api') ? container.get(the.isFilled) : null
  // Once it is known that it is, no request asks any more.
  await isFilled?.()
  const health = { ready: readiness({ store, pool: pools.callers, redis: roles.has('deliver') ? redis : null, isFilled }, follows) }
  registerReadinessMetrics(register, health)
  const guard = openAddressGuard({ allowHttp: config.webhookAllowHttp, allowHosts: config.webhookAllowHosts })
  const http = roles.has('api') ? answeringServer(config, { container, rules, health, log, guard, redis })
    : createOperationsServer(health, register)
  await listening(http.server, config)
  parts.push({ stop: () => http.close(GRACE_MS, config.drainSeconds * 1_000) })
  log.info({ address: addressOf(config.host, config.port) }, 'listening')
  if (roles.has('api')) parts.push(keepUses(container, log))
  if (roles.has('deliver')) {
    const sender = openWebhookSender({ guard, version: serviceVersion() })
    const { unseal } = container.get(the.sealing)
    const { delivery: pool, callers: countsPool } = pools
    parts.push(startDelivering({ databaseUrl, pool, countsPool, redis, sender, unseal, log, registry: register }))
  }
}

/** Null for a process that neither issues keys nor signs. */
async function secretsKeyOf(config: Config, roles: Set<Role>, pool: Pool, log: Logger): Promise<Buffer | null> {
  if (!roles.has('api') && !roles.has('deliver')) return null
  const { key, disabled } = await useSecretsKey(config, pool)
  if (disabled > 0) log.warn({ addresses: disabled }, LOST_KEY_LINE)
  return key
}

interface Opened { container: Container; holder: Holder | null; close(): Promise<void> }

/** The embedded engine may be opened only by whoever has the right to write; a server by all. */
async function openStore(config: Config, roles: Set<Role>, databaseUrl: string, pool: Pool): Promise<Opened> {
  if (!roles.has('api') && !roles.has('ingest')) return { container: ledgerContainer(pool), holder: null, close: async () => {} }
  if (config.clickhouseUrl !== null) return { ...await openAnalyticsStore(config, pool), holder: null }
  const holding = await holdStore(config, databaseUrl, pool, WAIT_FOR_STORE_MS)
  if (!holding) throw new Error(`another command works on ${config.dataDir} and did not end within 10 minutes`)
  return holding
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
  const running = container.get(the.keyVerifier).writeUses(stop.signal, failed)
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
