// The command that rebuilds the analytics store: fills an empty one from the ledger, issuer by issuer, and from the
// stored data sets, quarter by quarter, while the present one keeps serving; then swaps.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import { reportedEverything, reporting } from '../changes/reported-extents.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import { WorkMeter } from '../shared/work-meter.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import { pairPopulated, type IdentifiedStore } from '../projection/paired-stores.ts'
import { makeHistoryLoad, type DataSetContext, type QuarterResult, type Settle } from '../data-sets/load-history.ts'
import { LOAD_COSTS } from '../data-sets/load-quarters.ts'
import { projectHistory } from '../data-sets/project-history.ts'
import { PartyLocks } from '../shared/locks.ts'
import type { CompanyList, FilingLedger } from '../ports/filings.ts'
import { copySectors } from '../sectors/fill-sectors.ts'
import type { SectorStore, SicList } from '../ports/sectors.ts'
import type { DataSets, DataSetStore, DataSetRegistry } from '../ports/data-sets.ts'
import type { AnalyticsStore, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { Compute } from '../ports/computations.ts'
import type { JobQueue } from '../ports/jobs.ts'
import { makeProjectNotices } from '../notices/project-notices.ts'
import type { NoticeLedger, NoticeQueue, NoticeStore } from '../ports/notices.ts'
import type { PriceLedger, PriceStore } from '../ports/prices.ts'
import { copyPrices } from '../prices/load-prices.ts'
import type { Clock, Monotonic, Progress } from '../ports/system.ts'

/** A second, empty store beside the one in use (ClickHouse: a database of its own). */
export interface ShadowDatabase {
  analytics: AnalyticsStore
  history: DataSetStore
  signals: SignalStore
  sectors: SectorStore
  notices: NoticeStore
  prices: PriceStore
  /** Replaces the one in use. */
  swapIn(): Promise<void>
  /** Closes it, and drops it if `isDropped`. If not dropped now, it is when the next one is prepared. */
  discard(isDropped: boolean): Promise<void>
}

const FILINGS_BATCH = 500
/** As of a load. `documents` reads a filing and writes its rows. */
const { stage, record, write, parties } = LOAD_COSTS
const COSTS = { documents: 200, stage, record, write, notices: 1, parties }

export interface RebuildResult {
  filings: number
  trades: number
  sets: number
  /**
   * Issuers whose signals could not be detected, with the reason: they have none until their next filing. The name is
   * part of the JSON result of `make rebuild` and of stored jobs.
   */
  unjudged: { issuer: Cik; reason: string }[]
}

export type RebuildAnalytics = (progress: Progress) => Promise<RebuildResult>

interface RebuildDependencies {
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>
  jobs: Pick<JobQueue, 'queueOnce'>
  ledger: FilingLedger
  notices: NoticeLedger & NoticeQueue
  prices: PriceLedger
  clock: Clock
  monotonic: Monotonic
  compute: Compute
  list: CompanyList
  sets: DataSetRegistry
  dataSets: DataSets
  sics: SicList
  queue: SignalQueue
  listings: CompanyListings
  rules: SignalRules
  alerts: RaiseEvents
  /** Of the store in use. */
  changes: Pick<ChangeTracker, 'recordExtent'>
  openShadow: () => Promise<ShadowDatabase>
  recordIdentity: IdentifiedStore
  /** Of the store in use. */
  analyticsIdentity: IdentifiedStore
  /** Returns an id that nothing else has. */
  newId: () => string
}

/** Makes the rebuild, whose end is reported to callers and followed by the job that makes the month files. */
export function makeRebuildAnalytics(dependencies: RebuildDependencies): RebuildAnalytics {
  const { log, jobs, changes, recordIdentity, analyticsIdentity, newId } = dependencies
  const rebuildAndPair = async (progress: Progress): Promise<RebuildResult> => {
    // Swapped or half swapped: answers in memory are of other tables.
    const result = await rebuild(dependencies, progress).finally(() => changes.recordExtent('everything'))
    await pairPopulated(recordIdentity, analyticsIdentity, newId)
    return result
  }
  return async (progress) => {
    const result = await reporting(log, reportedEverything('rebuild'), () => rebuildAndPair(progress))
    await jobs.queueOnce('exports')
    return result
  }
}

async function rebuild(dependencies: RebuildDependencies, progress: Progress): Promise<RebuildResult> {
  const { compute, ledger, list, listings, sets, sics, queue, rules, alerts, changes, openShadow } = dependencies
  const nextVersion = () => ledger.nextVersion()
  // Those that waited before are detected again after it as well: a rebuild raises no alert, and theirs are still to be
  // raised.
  const before = new Set((await queue.next(Number.MAX_SAFE_INTEGER)).map(({ issuerCik }) => issuerCik))
  const { projected } = await ledger.counts()
  const loaded = (await sets.sets()).filter(({ status }) => status === 'loaded')
  const rowsOfSets = loaded.reduce((rows, { result }) => rows + (result as QuarterResult).lines.NONDERIV_TRANS!, 0)
  const total = projected + rowsOfSets
  const companies = await list.all()
  listings.replace(companies)
  const shadow = await openShadow()
  // Aborted, and not by the operator: the process that has the lock by now may be filling another one with this name.
  let isOurs = true
  const advance: Progress = (...reported) => {
    try {
      progress(...reported)
    } catch (error) {
      isOurs = error instanceof JobCancelled
      throw error
    }
  }
  const meter = new WorkMeter(advance, dependencies.monotonic, COSTS)
  meter.expect(total, { documents: projected, stage: rowsOfSets, record: rowsOfSets, write: rowsOfSets })
  const reachShare = (done: number, all: number | null) => meter.reach(Math.round((total * done) / (all || 1)))
  try {
    await shadow.analytics.replaceCompanies(companies, { nextVersion })
    const withdrawn = await ledger.withdrawals.all()
    const stores: DataSetContext = {
      ...{ analytics: shadow.analytics, signals: shadow.signals, history: shadow.history },
      ...{ compute, listings, sets, queue, rules, alerts, nextVersion, withdrawals: ledger.withdrawals },
      locks: new PartyLocks(),
    }
    // Of issuers that documents and data sets name, the signals of the latter count.
    const unjudged = new Map<Cik, string>()
    const settle: Settle = async ({ recent, undetected }, issuers) => {
      for (const issuer of issuers) unjudged.delete(issuer)
      for (const { issuer, reason } of undetected) unjudged.set(issuer, reason)
      await queue.markAsRaised(await alerts.ofSignals(recent, false))
    }
    const result: RebuildResult = { filings: 0, trades: 0, sets: loaded.length, unjudged: [] }
    for await (const documents of ledger.byIssuer(FILINGS_BATCH)) {
      const { derived, issuers } = await compute('history', 'readFilings', { documents, withdrawn })
      const filings = { derived, staged: new Uint8Array(), quarters: new Map(), removed: [], detected: issuers }
      const written = await projectHistory(stores, issuers, filings, withdrawn)
      await settle(written, issuers)
      result.filings += documents.length
      result.trades += written.trades
      meter.reach(result.filings)
    }
    const quarters = loaded.map(({ quarter }) => quarter)
    result.trades += await loadAgain(dependencies, { stores, settle }, quarters, meter)
    result.unjudged = [...unjudged].map(([issuer, reason]) => ({ issuer, reason }))
    const waiting = (await queue.next(Number.MAX_SAFE_INTEGER)).filter(({ issuerCik }) => !before.has(issuerCik))
    meter.enter('notices')
    const notices = { store: shadow.notices, ledger: dependencies.notices, queue: dependencies.notices }
    await makeProjectNotices({ ...notices, nextVersion, clock: dependencies.clock, compute }).everything(reachShare)
    meter.reach(total)
    await copySectors(sics, shadow.sectors, nextVersion)
    await copyPrices(dependencies.prices, shadow.prices, nextVersion)
    meter.enter('parties')
    await shadow.analytics.refreshParties({ nextVersion, advance: reachShare })
    meter.reach(total)
    // It has nothing of quarters whose load was interrupted.
    await sets.forgetWritten()
    await shadow.swapIn().finally(() => changes.recordExtent('everything'))
    await queue.done(waiting, {})
    // What was recorded or shown while the notices were linked.
    await dependencies.notices.addAll(await nextVersion())
    return result
  } finally {
    await shadow.discard(isOurs)
  }
}

/** Returns the transactions that are written. */
async function loadAgain(
  { dataSets }: RebuildDependencies,
  { stores, settle }: { stores: DataSetContext; settle: Settle },
  quarters: string[],
  meter: Pick<WorkMeter<'stage' | 'record' | 'write'>, 'enter' | 'add' | 'skip' | 'reach'>,
): Promise<number> {
  const load = makeHistoryLoad(stores, settle)
  if (quarters.length === 0) return 0
  const sizes = await Promise.all(quarters.map((quarter) => dataSets.bytesOf(quarter)))
  // There is room for the rows: those in use take as much.
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  await stores.history.requireRoom({ quarters: 1, bytes, rows: 0 })
  let trades = 0
  for (const quarter of quarters) {
    meter.enter('stage')
    const { lines, transactions } = await dataSets.open(quarter, (set) =>
      load.stage(set, () => {
        meter.add(set.files.NONDERIV_TRANS.lines)
        meter.enter('record')
      }),
    )
    meter.add(lines.NONDERIV_TRANS!)
    trades += transactions
  }
  meter.enter('write')
  await load.write(meter, async () => {})
  return trades
}
