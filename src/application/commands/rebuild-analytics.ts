// The command that rebuilds the analytics store: fills an empty one from the ledger, issuer by issuer, and from the
// stored data sets, quarter by quarter, while the present one keeps serving; then swaps.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import { reportedEverything, reporting } from '../changes/reported-extents.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import { pairPopulated, type IdentifiedStore } from '../projection/paired-stores.ts'
import { makeProjectSignals } from '../projection/project-signals.ts'
import { makeHistoryLoad, type QuarterResult } from '../data-sets/load-history.ts'
import type { CompanyList, FilingLedger, ReadDocument } from '../ports/filings.ts'
import { copySectors } from '../sectors/fill-sectors.ts'
import type { SectorStore, SicList } from '../ports/sectors.ts'
import type { DataSets, DataSetStore, DataSetRegistry } from '../ports/data-sets.ts'
import { derive } from '../projection/derive-rows.ts'
import { reconciled } from '../projection/project-filings.ts'
import type { AnalyticsStore, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { Compute } from '../ports/computations.ts'
import type { JobQueue } from '../ports/jobs.ts'
import { makeProjectNotices } from '../notices/project-notices.ts'
import type { NoticeLedger, NoticeQueue, NoticeStore } from '../ports/notices.ts'
import type { PriceLedger, PriceStore } from '../ports/prices.ts'
import { copyPrices } from '../prices/load-prices.ts'
import type { Clock, Progress } from '../ports/system.ts'

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
  read: ReadDocument
  ledger: FilingLedger
  notices: NoticeLedger & NoticeQueue
  prices: PriceLedger
  clock: Clock
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
  const { read, ledger, list, listings, sets, sics, queue, rules, alerts, changes, openShadow } = dependencies
  const nextVersion = () => ledger.nextVersion()
  // Those that waited before are detected again after it as well: a rebuild raises no alert, and theirs are still to be
  // raised.
  const before = new Set((await queue.next(Number.MAX_SAFE_INTEGER)).map(({ issuerCik }) => issuerCik))
  const { projected } = await ledger.counts()
  const loaded = (await sets.sets()).filter(({ status }) => status === 'loaded')
  const total =
    projected + loaded.reduce((rows, { result }) => rows + (result as QuarterResult).lines.NONDERIV_TRANS!, 0)
  const companies = await list.all()
  listings.replace(companies)
  const shadow = await openShadow()
  // Aborted, and not by the operator: the process that has the lock by now may be filling another one with this name.
  let isOurs = true
  const advance: Progress = (done, all) => {
    try {
      progress(done, all)
    } catch (error) {
      isOurs = error instanceof JobCancelled
      throw error
    }
  }
  try {
    await shadow.analytics.replaceCompanies(companies, { nextVersion })
    const withdrawn = await ledger.withdrawals.all()
    const result: RebuildResult = { filings: 0, trades: 0, sets: loaded.length, unjudged: [] }
    for await (const documents of ledger.byIssuer(FILINGS_BATCH)) {
      const derived = await derive(read, documents, withdrawn)
      const issuers = [...new Set(derived.entries.map((entry) => entry.issuerCik))]
      const { trades } = reconciled({
        issuers,
        stored: [],
        related: [],
        derived,
        withdrawn,
        newest: new Map(),
        listings,
        floors: rules.significance,
      })
      const { entries, balances } = derived
      const change = { trades, entries, balances, goneTrades: [], goneEntries: [], goneDetails: [] }
      await shadow.analytics.write(change, await ledger.nextVersion())
      result.filings += documents.length
      result.trades += trades.length
      advance(Math.min(total, result.filings), 2 * total)
    }
    await loadAgain(
      dependencies,
      shadow,
      loaded.map(({ quarter }) => quarter),
      (trades, rows) => {
        result.trades += trades
        advance(Math.min(total, result.filings + rows), 2 * total)
      },
    )
    const waiting = (await queue.next(Number.MAX_SAFE_INTEGER)).filter(({ issuerCik }) => !before.has(issuerCik))
    // Detecting signals counts as much as what was before: it takes about as long.
    await makeProjectSignals({ store: shadow.signals, queue, rules, nextVersion, alerts }).everything(
      (done, issuers) => advance(total + Math.round((total * done) / (issuers ?? 1)), 2 * total),
      (issuer, error) => result.unjudged.push({ issuer, reason: String(error) }),
    )
    const notices = { store: shadow.notices, ledger: dependencies.notices, queue: dependencies.notices }
    const { clock, compute } = dependencies
    await makeProjectNotices({ ...notices, nextVersion, clock, compute }).everything(() =>
      advance(2 * total, 2 * total),
    )
    await copySectors(sics, shadow.sectors, nextVersion)
    await copyPrices(dependencies.prices, shadow.prices, nextVersion)
    await shadow.analytics.refreshParties({ nextVersion })
    advance(2 * total, 2 * total)
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

async function loadAgain(
  { ledger, listings, sets, dataSets, rules: { significance: floors } }: RebuildDependencies,
  { analytics, history }: ShadowDatabase,
  quarters: string[],
  advance: (trades: number, rows: number) => void,
): Promise<void> {
  const { withdrawals } = ledger
  const nextVersion = () => ledger.nextVersion()
  const load = makeHistoryLoad({ history, analytics, sets, withdrawals, listings, floors, nextVersion })
  for (const quarter of quarters) {
    const { transactions } = await dataSets.open(quarter, (set) => load.stage(set))
    advance(transactions, 0)
  }
  await load.write(
    (rows) => advance(0, rows),
    async () => {},
  )
}
