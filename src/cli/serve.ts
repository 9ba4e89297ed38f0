// The service: answers questions, and projects what is recorded for as long as it holds the right to.
import { setTimeout as sleep } from 'node:timers/promises'
import { pino, type Logger } from 'pino'
import { register } from 'prom-client'
import { bindKeys, the } from '../container.ts'
import { describeConfig, type Config } from '../config.ts'
import type { HolderReport } from '../application/hold-analytics.ts'
import { openWatchlist } from '../application/watchlist.ts'
import { rulesVersion, type SignalRules } from '../domain/signal-rules.ts'
import { hasSignalsOfOtherRules } from '../infrastructure/clickhouse/queries/signal.ts'
import { createHttpServer, type HttpDependencies } from '../infrastructure/http/server.ts'
import { parseRateLimit } from '../infrastructure/http/rate-limit.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import { hold, type Holder } from '../infrastructure/postgres/holder.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import { openRedis, type Redis } from '../infrastructure/redis/client.ts'
import { secretsKeyOf } from '../infrastructure/embedded/secrets-key.ts'
import { ensureStores, type Stores } from '../infrastructure/embedded/stores.ts'
import { openAddressGuard, type AddressGuard } from '../infrastructure/webhooks/address-guard.ts'
import { openWebhookSender } from '../infrastructure/webhooks/sender.ts'
import { serviceVersion } from './checkout.ts'
import { registerIngestionMetrics } from './ingestion-metrics.ts'
import { holdStore, signalRules, type Holding } from './holding.ts'
import { startDelivering } from './deliver.ts'
import { startLive } from './live.ts'
import type { Output } from './output.ts'
import { readiness } from './readiness.ts'
import { addressOf, claimService, unclaimService } from './service-record.ts'

// Another command may be at work on the same data; it tells its own progress.
const WAIT_FOR_STORE_MS = 10 * 60_000
const GRACE_MS = 20_000
const POLL_MS = 1_000

export const help = `serve: run the service in the foreground; make up runs it in the background

  PORT, HOST, DATA_DIR   as for up
  LOG_LEVEL              fatal to trace (info)
  SIGNAL_RULES           a JSON file with thresholds of signals that differ from the defaults
  SECRETS_KEY            encrypts webhook secrets in PostgreSQL (the file DATA_DIR/secrets.key)
  WEBHOOK_ALLOW_HTTP     1: alerts may go to http addresses too (https only)
  WEBHOOK_ALLOW_HOSTS    hosts that alerts may go to though not public (none)
  ALERT_WINDOW_HOURS     filings accepted longer ago raise no alert (72)
  RATE_LIMIT             requests per key or address, such as 600/min (no limit)
  TRUST_PROXY            how many proxies stand in front (none)`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const log = pino({ level: config.logLevel })
  // Before anything is started that a fault in it would stop again.
  const rules = signalRules(config)
  await claimService(config.dataDir, config)
  const stores = await ensureStores(config, { note: out.note })
  try {
    await serve(config, stores, rules, log)
  } finally {
    await stores.release()
    unclaimService(config.dataDir)
  }
}

async function serve(config: Config, stores: Stores, rules: SignalRules, log: Logger): Promise<void> {
  const { databaseUrl, redisUrl } = stores
  log.info(describeConfig(config), 'starting')
  const pool = openPool({ url: databaseUrl, name: 'service', onError: (error) => log.warn({ err: error }, 'postgres connection lost') })
  await migratePostgres(pool)
  const redis = openRedis(redisUrl, (error) => log.warn({ err: error }, 'redis'))
  const holding = await holdStore(config, databaseUrl, pool, WAIT_FOR_STORE_MS)
  if (!holding) throw new Error(`another command works on ${config.dataDir} and did not end within 10 minutes`)
  await holding.container.get(the.holdAnalytics).prepare(reporting(log))
  if (await hasSignalsOfOtherRules(holding.container.get(the.clickHouse), rulesVersion(rules))) {
    log.warn('the rules of signals have changed: make rebuild recomputes them')
  }
  bindKeys(holding.container, config.secretsKey ?? secretsKeyOf(config.dataDir))
  const guard = openAddressGuard({ allowHttp: config.webhookAllowHttp, allowHosts: config.webhookAllowHosts })
  const http = listen(config, log, holding, rules, pool, redis, guard)
  await new Promise<void>((resolve, reject) => {
    http.server.once('error', reject)
    http.server.listen(config.port, config.host, resolve)
  })
  log.info({ address: addressOf(config.host, config.port) }, 'listening')

  const live = startLive(config, databaseUrl, holding.container, log)
  const working = keepProjecting(databaseUrl, holding, log)
  const uses = keepUses(holding, log)
  const { unseal } = holding.container.get(the.sealing)
  const delivering = startDelivering(
    { databaseUrl, pool, redis, sender: openWebhookSender({ guard, version: serviceVersion() }), unseal, log, registry: register })
  await stopSignal()
  log.info('stopping')
  setTimeout(() => process.exit(1), GRACE_MS + 4_000).unref()
  await Promise.all([http.close(GRACE_MS), live.stop(), delivering.stop()])
  await Promise.all([working.stop(), uses.stop()])
  await holding.close()
  redis.destroy()
  await pool.end()
  log.info('stopped')
}

function listen(
  config: Config, log: Logger, { container }: Holding, rules: SignalRules, pool: Pool, redis: Redis, guard: AddressGuard,
) {
  const rateLimit = config.rateLimit === null ? null : parseRateLimit(config.rateLimit)
  if (config.rateLimit !== null && !rateLimit) throw new Error(`RATE_LIMIT must look like 600/min, not "${config.rateLimit}"`)
  registerIngestionMetrics(register, pool, config.edgarUserAgent !== null)
  const deps: HttpDependencies = {
    queries: container.get(the.queries),
    rules,
    watchlist: openWatchlist(container.get(the.watchlists), (text) => guard.checkAddress(guard.checkUrl(text))),
    verifyKey: container.get(the.keyVerifier).verify,
    health: { ready: readiness(container.get(the.clickHouse), pool, redis, config.edgarUserAgent !== null) },
    log,
    validateResponses: false,
    registry: register,
    ...(rateLimit && { rateLimit: { ...rateLimit, redis } }),
    ...(config.trustProxy !== false && { trustProxy: config.trustProxy }),
  }
  return createHttpServer(deps)
}

/**
 * Works until stopped. The right to write ends with the connection that holds it, as when PostgreSQL restarts; then it is
 * taken again, and until then questions are answered from what is there.
 */
function keepProjecting(databaseUrl: string, holding: Holding, log: Logger) {
  const work = holding.container.get(the.holdAnalytics)
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      const lost = new AbortController()
      void holding.holder.lost.then((error) => {
        log.warn({ err: error }, 'lost the right to project')
        lost.abort()
      })
      const signal = AbortSignal.any([stop.signal, lost.signal])
      await work.run(signal, () => holding.holder.nextHint(POLL_MS, signal), reporting(log))
      if (!stop.signal.aborted) holding.holder = await holdAgain(databaseUrl, stop.signal, holding.holder)
    }
  }
  const running = run()
  return {
    stop: () => {
      stop.abort()
      return running
    },
  }
}

/** When keys were last used goes to PostgreSQL until stopped, and what is left then. */
function keepUses({ container }: Holding, log: Logger) {
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

async function holdAgain(databaseUrl: string, signal: AbortSignal, before: Holder): Promise<Holder> {
  while (!signal.aborted) {
    const holder = await hold(databaseUrl, POLL_MS).catch(() => null)
    if (holder) return holder
    await sleep(POLL_MS)
  }
  return before
}

function reporting(log: Logger): HolderReport {
  return {
    projected: (filings) => log.info({ filings }, 'projected'),
    job: (kind, result) => log.info({ kind, result }, 'job done'),
    failed: (what, error) => log.error({ what, err: error }, 'work failed'),
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
