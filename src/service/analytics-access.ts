// Write access to ClickHouse: takes the lock and opens the store. One process at a time has it: the running service, or
// a command while no service runs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  bindOwned,
  closeContainer,
  connectAnalytics,
  createContainer,
  type AnalyticsOptions,
  type Container,
} from '../container/container.ts'
import { resolve, type Resolved } from '../container/named.ts'
import { TYPES } from '../container/tokens.ts'
import { publishChanges } from '../application/changes/publish-changes.ts'
import type { Config } from '../config.ts'
import { DEFAULT_RULES, parseRules, type SignalRules } from '../domain/signals/rule-thresholds.ts'
import { ClickHouse } from '../infrastructure/clickhouse/connection/client.ts'
import { StoreInUse } from '../infrastructure/clickhouse/connection/embedded-engine.ts'
import { createTables } from '../infrastructure/clickhouse/create-tables.ts'
import { isCurrent } from '../infrastructure/clickhouse/stores/generation.ts'
import { dropLeftOver } from '../infrastructure/clickhouse/shadow-database.ts'
import { acquire, type LeaderLock } from '../infrastructure/postgres/coordination/leader-lock.ts'
import { oneAtATime } from '../infrastructure/postgres/migrate.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { requirePair } from './paired-stores.ts'

export interface AccessOptions {
  /** Opens stores that don't belong together too: a rebuild fixes that. */
  isForRebuild?: boolean
  /** The container that gets ClickHouse; a new one by default. */
  container?: Container
}

/** Where ClickHouse and its lock are. */
export interface AnalyticsPlace {
  config: Config
  databaseUrl: string
  pool: Pool
  /** Where a command tells its user what it does. */
  out?: { note(text: string): void }
}

/** Services that write to ClickHouse, for the process that holds the lock. */
const SERVICES = {
  projectionLoop: TYPES.projectionLoop,
  projector: TYPES.projector,
  detectSignals: TYPES.detectSignals,
  projectNotices: TYPES.projectNotices,
  refreshCompanies: TYPES.refreshCompanies,
  rebuild: TYPES.rebuild,
  backfill: TYPES.backfill,
  makeExports: TYPES.makeExports,
  loadPrices: TYPES.loadPrices,
}
const CHANGES = {
  changes: TYPES.changes,
  changeLog: TYPES.changeLog,
  toResync: TYPES.toResync,
  wait: TYPES.wait,
  clickHouse: TYPES.clickHouse,
}
export type AnalyticsServices = Resolved<typeof SERVICES>

export interface AnalyticsLease {
  container: Container
  lock: LeaderLock
}

function analyticsOptions(config: Config): Omit<AnalyticsOptions, 'clickHouse'> {
  const { clickhouseUrl, clickhouseCluster, dataDir } = config
  return {
    url: clickhouseUrl ?? undefined,
    cluster: clickhouseCluster ?? undefined,
    path: join(dataDir, 'clickhouse'),
    database: 'insider',
    historyDir: historyDir(config),
    exportsDir: exportsDir(config),
    rules: signalRules(config),
    alertWindowHours: config.alertWindowHours,
  }
}

/**
 * Returns the signal rules: the operator's thresholds if the file sets them, else the defaults. Throws a one-line
 * error with the file, the setting and its fault.
 */
export function signalRules({ signalRules: path }: Pick<Config, 'signalRules'>): SignalRules {
  if (path === null) return DEFAULT_RULES
  try {
    return parseRules(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = error instanceof SyntaxError ? `not JSON: ${message}` : code ? `can't be read (${code})` : message
    throw new Error(`SIGNAL_RULES ${path}: ${why}`, { cause: error })
  }
}

/** Returns the folder of the zip files of data sets. */
export const historyDir = ({ dataDir }: Config): string => join(dataDir, 'history')

/** Returns the folder of the month files. */
export const exportsDir = (config: Config): string => config.exportsDir ?? join(config.dataDir, 'exports')

/**
 * Takes the lock and opens ClickHouse. Returns null if another process held the lock for all of `milliseconds`; throws
 * if it held the engine's files.
 */
export async function acquireAnalytics(
  place: AnalyticsPlace,
  milliseconds: number,
  options: AccessOptions = {},
): Promise<AnalyticsLease | null> {
  for (const end = performance.now() + milliseconds; ;) {
    const lock = await acquire(place.databaseUrl, Math.max(0, end - performance.now()))
    if (!lock) return null
    try {
      return await openLease(place, lock, options)
    } catch (error) {
      await lock.release()
      // A service that lost its connection to PostgreSQL still has the files open and will take the lock again.
      if (!(error instanceof StoreInUse) || performance.now() >= end) throw error
      await sleep(500)
    }
  }
}

// Another command may be working on the same data; it shows its own progress.
const WAIT_FOR_STORE_MS = 10 * 60_000

/**
 * Opens ClickHouse for a role of the service. Returns the lock that the embedded engine requires; null for a server,
 * which any process can open.
 */
export async function openRoleStore(place: AnalyticsPlace, container: Container): Promise<LeaderLock | null> {
  const { config, pool } = place
  if (config.clickhouseUrl !== null) {
    await openAnalyticsAccess(config, pool, { container })
    return null
  }
  const lease = await acquireAnalytics(place, WAIT_FOR_STORE_MS, { container })
  if (!lease) throw new Error(`another command uses ${config.dataDir} and did not end within 10 minutes`)
  return lease.lock
}

/** How often a command checks whether the service has done its work. */
export const WATCH_MS = 50
const TRY_MS = 1_000
let lastTry = -TRY_MS

/**
 * Runs `work` with the lock held; returns false at once if another process holds it. Called in a loop, it tries once a
 * second. The signal aborts when the lock is lost.
 */
export async function withAnalyticsLock(
  place: AnalyticsPlace,
  work: (services: AnalyticsServices, signal: AbortSignal) => Promise<void>,
  isForRebuild = false,
): Promise<boolean> {
  if (performance.now() - lastTry < TRY_MS) return false
  lastTry = performance.now()
  const lease = await acquireAnalytics(place, 0, { isForRebuild })
  if (!lease) return false
  const lost = new AbortController()
  void lease.lock.lost.then((reason) => lost.abort(reason))
  const { changes, changeLog, toResync, wait, clickHouse } = resolve(lease.container, CHANGES)
  try {
    // If the database of an interrupted rebuild can't be dropped, the next rebuild reports why.
    await dropLeftOver(clickHouse).catch(() => {})
    toResync.add(await changeLog.takeOver())
    const ended = new AbortController()
    const publishing = publishChanges(changes, changeLog, { wait, failed: () => {}, signal: ended.signal })
    const services = resolve(lease.container, SERVICES)
    const workOnCurrent = async () => {
      if (!isForRebuild && !(await isCurrent(clickHouse))) await fillFirst(place, services, lost.signal)
      await work(services, lost.signal)
    }
    await workOnCurrent().finally(() => {
      ended.abort()
      return publishing.settled()
    })
    return true
  } finally {
    await closeContainer(lease.container)
  }
}

/** Fills a store of another version, to which nothing may be added. */
async function fillFirst({ out }: AnalyticsPlace, { rebuild }: AnalyticsServices, lost: AbortSignal): Promise<void> {
  out?.note('ClickHouse has the tables of another version of this service: filling it again first')
  await rebuild(() => lost.throwIfAborted())
}

async function openLease(
  { config, pool }: AnalyticsPlace,
  lock: LeaderLock,
  options: AccessOptions,
): Promise<AnalyticsLease> {
  const container = await openAnalyticsAccess(config, pool, options)
  bindOwned(container, TYPES.analyticsLock, lock, (held) => held.release())
  return { container, lock }
}

/**
 * Opens ClickHouse; the embedded engine only for the process that holds the lock. Throws if it does not belong to this
 * PostgreSQL, except for a rebuild, which fixes that. An empty one gets the tables of this version; one with rows may
 * be of another (`isCurrent`).
 */
async function openAnalyticsAccess(
  config: Config,
  pool: Pool,
  { isForRebuild = false, container = createContainer({ pool }) }: AccessOptions = {},
): Promise<Container> {
  const options = analyticsOptions(config)
  const store = await ClickHouse.open(options)
  try {
    await oneAtATime(pool, async () => {
      await createTables(store)
      if (!isForRebuild) await requirePair(config, pool, store)
    })
  } catch (error) {
    await store.close()
    throw error
  }
  connectAnalytics(container, { ...options, clickHouse: store })
  return container
}
