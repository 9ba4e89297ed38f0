// Fills an empty analytics store from the ledger, issuer by issuer, and from the data sets kept, quarter by quarter, while the
// present one goes on answering; then swaps.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type { ProjectSignals } from '../projection/project-signals.ts'
import { loadQuarter, type QuarterResult } from '../data-sets/load-quarter.ts'
import type { CompanyList, FilingLedger, ReadDocument } from '../ports/filings.ts'
import { copySectors } from '../sectors/fill-sectors.ts'
import type { SectorStore, SicList } from '../ports/sectors.ts'
import type { DataSets, DataSetStore, DataSetRegistry } from '../ports/data-sets.ts'
import { derive, reconciled, makeProjector } from '../projection/project-filings.ts'
import type { AnalyticsStore, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { Progress } from '../ports/system.ts'

/** A second, empty store beside the one in use (ClickHouse: a database of its own). */
export interface ShadowDatabase {
  analytics: AnalyticsStore
  history: DataSetStore
  signals: SignalStore
  sectors: SectorStore
  /** Puts it in the place of the one in use. */
  swapIn(): Promise<void>
  /** Lets go of it, and drops it where that is said. What is not dropped is, when the next one is prepared. */
  discard(isDropped: boolean): Promise<void>
}

const FILINGS_BATCH = 500

export interface RebuildResult {
  filings: number
  trades: number
  sets: number
  /** Issuers whose signals could not be reconciled, with the reason: they have none until their next filing. */
  unjudged: { issuer: Cik; reason: string }[]
}

export type RebuildAnalytics = (progress: Progress) => Promise<RebuildResult>

/** Where what is rebuilt comes from. */
export interface RebuildSources {
  read: ReadDocument
  ledger: FilingLedger
  list: CompanyList
  sets: DataSetRegistry
  dataSets: DataSets
  sics: SicList
  /** The engine over another store. */
  detect: (store: SignalStore) => ProjectSignals
  queue: SignalQueue
  floors: SignificanceFloors
}

export function makeRebuildAnalytics(
  sources: RebuildSources,
  listings: CompanyListings,
  prepare: () => Promise<ShadowDatabase>,
): RebuildAnalytics {
  return async (progress) => {
    const { ledger, list, sets, queue } = sources
    // Those that waited before are reconciled again after it as well: a rebuild raises no alert, and theirs are still to be raised.
    const before = new Set((await queue.next(Number.MAX_SAFE_INTEGER)).map(({ issuerCik }) => issuerCik))
    const { projected } = await ledger.counts()
    const loaded = (await sets.sets()).filter(({ status }) => status === 'loaded')
    const total =
      projected + loaded.reduce((rows, { result }) => rows + (result as QuarterResult).lines.NONDERIV_TRANS!, 0)
    const companies = await list.all()
    listings.replace(companies)
    const shadow = await prepare()
    // Told to end before the end, and not by the operator: who has the right by now may fill another one of that name.
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
      const result: RebuildResult = { filings: 0, trades: 0, sets: loaded.length, unjudged: [] }
      for await (const documents of ledger.byIssuer(FILINGS_BATCH)) {
        const derived = await derive(sources.read, documents)
        const issuers = [...new Set(derived.entries.map((entry) => entry.issuerCik))]
        const { trades } = reconciled(issuers, [], derived, new Map(), listings, sources.floors)
        const change = { trades, entries: derived.entries, goneTrades: [], goneEntries: [] }
        await shadow.analytics.write(change, await ledger.nextVersion())
        result.filings += documents.length
        result.trades += trades.length
        advance(Math.min(total, result.filings), 2 * total)
      }
      await loadAgain(
        sources,
        shadow,
        listings,
        loaded.map(({ quarter }) => quarter),
        (trades, rows) => {
          result.trades += trades
          advance(Math.min(total, result.filings + rows), 2 * total)
        },
      )
      const waiting = (await queue.next(Number.MAX_SAFE_INTEGER)).filter(({ issuerCik }) => !before.has(issuerCik))
      // Judging counts as much as what was before: it takes about as long.
      await sources.detect(shadow.signals).everything(
        (done, issuers) => advance(total + Math.round((total * done) / (issuers ?? 1)), 2 * total),
        (issuer, error) => result.unjudged.push({ issuer, reason: String(error) }),
      )
      await shadow.analytics.replaceCompanies(companies)
      await copySectors(sources.sics, shadow.sectors, () => ledger.nextVersion())
      advance(2 * total, 2 * total)
      await shadow.swapIn()
      await queue.done(waiting, [])
      return result
    } finally {
      await shadow.discard(isOurs)
    }
  }
}

async function loadAgain(
  { read, ledger, sets, dataSets, floors }: RebuildSources,
  { analytics, history }: ShadowDatabase,
  listings: CompanyListings,
  quarters: string[],
  advance: (trades: number, rows: number) => void,
): Promise<void> {
  const { reconcileIssuers } = makeProjector(read, ledger, analytics, listings, floors)
  let before = 0
  for (const quarter of quarters) {
    await dataSets.open(quarter, async (set) => {
      const stores = {
        history,
        analytics,
        sets,
        listings,
        floors,
        reconcileIssuers,
        nextVersion: () => ledger.nextVersion(),
      }
      const { transactions, lines } = await loadQuarter(stores, set, (rows) => advance(0, before + rows))
      before += lines.NONDERIV_TRANS!
      advance(transactions, before)
    })
  }
}
