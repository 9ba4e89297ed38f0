// The right to write the analytics store, and the store opened with it. One process at a time has it, whichever command
// that is: the running service, else the command itself.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer, type AnalyticsOptions, type Container } from '../container/container.ts'
import type { Config } from '../config.ts'
import { DEFAULT_RULES, parseRules, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { ClickHouse, StoreInUse } from '../infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../infrastructure/clickhouse/connection/migrate.ts'
import { acquire, type LeaderLock } from '../infrastructure/postgres/coordination/leader-lock.ts'
import { oneAtATime } from '../infrastructure/postgres/migrate.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { requirePair } from './paired-stores.ts'

export interface AccessOptions {
  /** Opens stores that don't belong together as well, which a rebuild mends. */
  isForRebuild?: boolean
  /** For what requests wait for. */
  callersPool?: Pool
}

export interface AnalyticsLease {
  container: Container
  lock: LeaderLock
  close(): Promise<void>
}

function analyticsOptions(config: Config): Omit<AnalyticsOptions, 'clickHouse'> {
  const { clickhouseUrl, clickhouseCluster, dataDir } = config
  return {
    url: clickhouseUrl ?? undefined,
    cluster: clickhouseCluster ?? undefined,
    path: join(dataDir, 'clickhouse'),
    database: 'insider',
    historyDir: historyDir(config),
    rules: signalRules(config),
    alertWindowHours: config.alertWindowHours,
  }
}

/** The operator's thresholds over the defaults. Throws one line with the file, the place in it and what is wrong. */
export function signalRules({ signalRules: path }: Pick<Config, 'signalRules'>): SignalRules {
  if (path === null) return DEFAULT_RULES
  try {
    return parseRules(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = error instanceof SyntaxError ? `not JSON: ${message}` : code ? `can't be read (${code})` : message
    throw new Error(`SIGNAL_RULES ${path}: ${why}`)
  }
}

/** Where the quarters of the data sets are kept. */
export const historyDir = ({ dataDir }: Config): string => join(dataDir, 'history')

/** Null where another process kept the right, or the engine's files, for all of `milliseconds`. */
export async function acquireAnalytics(
  config: Config,
  databaseUrl: string,
  pool: Pool,
  milliseconds: number,
  options: AccessOptions = {},
): Promise<AnalyticsLease | null> {
  for (const end = performance.now() + milliseconds; ;) {
    const lock = await acquire(databaseUrl, Math.max(0, end - performance.now()))
    if (!lock) return null
    try {
      return await openLease(config, pool, lock, options)
    } catch (error) {
      await lock.release()
      // A service whose connection to PostgreSQL was cut still has the files open and will take the right again.
      if (!(error instanceof StoreInUse) || performance.now() >= end) throw error
      await sleep(500)
    }
  }
}

/** How often a command looks whether the service has done its work. */
export const WATCH_MS = 50
const TRY_MS = 1_000
let lastTry = -TRY_MS

/**
 * Does `work` with the right held, now; false where another process has it. Asked in a loop, it tries once a second. The
 * signal tells that the right is lost.
 */
export async function withAnalyticsLock(
  config: Config,
  databaseUrl: string,
  pool: Pool,
  work: (container: Container, signal: AbortSignal) => Promise<void>,
  isForRebuild = false,
): Promise<boolean> {
  if (performance.now() - lastTry < TRY_MS) return false
  lastTry = performance.now()
  const lease = await acquireAnalytics(config, databaseUrl, pool, 0, { isForRebuild })
  if (!lease) return false
  const lost = new AbortController()
  void lease.lock.lost.then((reason) => lost.abort(reason))
  try {
    await work(lease.container, lost.signal)
    return true
  } finally {
    await lease.close()
  }
}

async function openLease(
  config: Config,
  pool: Pool,
  lock: LeaderLock,
  options: AccessOptions,
): Promise<AnalyticsLease> {
  const { container, close } = await openAnalyticsAccess(config, pool, options)
  return {
    container,
    lock,
    close: async () => {
      await close()
      await lock.release()
    },
  }
}

/**
 * ClickHouse at this version's schema and all that stands on it. The embedded engine is for whoever holds the right. Throws where
 * it does not belong to this PostgreSQL, save for a rebuild, which mends that.
 */
export async function openAnalyticsAccess(
  config: Config,
  pool: Pool,
  { isForRebuild = false, callersPool = pool }: AccessOptions = {},
): Promise<{ container: Container; close(): Promise<void> }> {
  const options = analyticsOptions(config)
  const store = await ClickHouse.open(options)
  try {
    await oneAtATime(pool, async () => {
      await migrateClickHouse(store)
      if (!isForRebuild) await requirePair(config, pool, store)
    })
  } catch (error) {
    await store.close()
    throw error
  }
  const container = createContainer({ pool, callersPool, analytics: { ...options, clickHouse: store } })
  return { container, close: () => store.close() }
}
