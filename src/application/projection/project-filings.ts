// Projects filings from PostgreSQL into rows of ClickHouse. Killed at any point, it runs again with the same result: the
// rows of a batch depend on the filings alone and replace earlier rows by key, and the ledger is marked last.
import { filingTime, isEstimated } from '../../domain/filings/acceptance-time.ts'
import type { Filing } from '../../domain/filings/filing.ts'
import { evidenceOf } from '../../domain/positions/evidence.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import { tradeFacts } from '../../domain/trades/extract-trades.ts'
import { SIGNIFICANCE_FLOORS, type SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Trade, TradeFacts, TradeKey } from '../../domain/trades/trade.ts'
import { scopeOfFilings } from '../changes/change-scope.ts'
import type { IssuersToResync } from '../changes/issuers-to-resync.ts'
import { reportedFilings } from '../changes/reported-filings.ts'
import { directoryEntry, entryKey } from './directory-entry.ts'
import { ServiceError } from '../errors.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import { runInSlices, timeSlices } from '../shared/time-slices.ts'
import { reconciled } from './reconcile-trades.ts'
import { retractionsOf } from './retractions.ts'
import type { FilingLedger, PendingBatch, PendingDocument, ReadDocument } from '../ports/filings.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { QueueSectors } from '../sectors/fill-sectors.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsStore, AnalyticsChange, DirectoryEntry, StoredEvidence } from '../ports/analytics.ts'

/** The rows that a batch of documents adds to ClickHouse, and those that it removes. */
export interface Derived {
  accessions: AccessionNumber[]
  trades: TradeFacts[]
  entries: DirectoryEntry[]
  balances: StoredEvidence[]
  goneTrades: TradeKey[]
  goneEntries: AnalyticsChange['goneEntries']
  goneDetails: AnalyticsChange['goneDetails']
  failures: { accession: AccessionNumber; reason: string }[]
}

export interface Projector {
  /**
   * Projects all pending filings, or until the signal; returns how many. `after` receives the count as it grows.
   */
  projectPending(after?: (projected: number) => void, signal?: AbortSignal): Promise<number>
  /** Reconciles these issuers again, for example because the company list changed. */
  reconcileIssuers(issuers: Cik[]): Promise<void>
}

// Live filings come one at a time; in bulk, a batch is so large that the fixed cost of an insert does not matter.
const BATCH = 1_000

interface ProjectorDependencies {
  read: ReadDocument
  ledger: FilingLedger
  analytics: AnalyticsStore
  listings: CompanyListings
  floors?: SignificanceFloors
  /** Absent if no events are to be raised. */
  alerts?: RaiseEvents
  /** Called with the issuers of filings that show no SIC. */
  queueSectors?: QueueSectors
  /** Absent if changes are not logged for callers. */
  toResync?: IssuersToResync
}

type Batch = Omit<PendingBatch, 'isLast'>

/** A batch whose rows are written. */
interface Projected {
  documents: PendingDocument[]
  version: number
  derived: Derived
  change: AnalyticsChange
  decided: Trade[]
  stored: Trade[]
  /** Issuers of withdrawn filings of data sets. */
  issuersOfWithdrawn: Cik[]
}

export function makeProjector({
  read,
  ledger,
  analytics,
  listings,
  floors = SIGNIFICANCE_FLOORS,
  alerts,
  queueSectors,
  toResync,
}: ProjectorDependencies): Projector {
  const stores = { analytics, listings, floors }
  const project = async (
    { documents, version, withdrawn }: Batch,
    withdrawnOfSets: DataSetFiling[] = [],
  ): Promise<void> => {
    const derived = await derive(read, documents, withdrawn)
    const issuersOfWithdrawn = withdrawnOfSets.map(({ issuerCik }) => issuerCik)
    const { change, decided, stored } = await decide(stores, derived, withdrawn, {
      otherIssuers: issuersOfWithdrawn,
      withdrawnOfSets,
    })
    // An earlier attempt may have written rows of these filings without marking them. Their issuers are reported once
    // their signals are detected.
    const rederived = new Set(derived.accessions)
    const tried = stored.filter(({ accession }) => rederived.has(accession)).map(({ issuerCik }) => issuerCik)
    toResync?.add(tried)
    await analytics.write(change, version).catch(resyncLater(change))
    await finish({ documents, version, derived, change, decided, stored, issuersOfWithdrawn }).catch(tryAgain)
  }
  // Raises events, writes the log and marks the filings, once the rows of a batch are written.
  const finish = async (projected: Projected): Promise<void> => {
    const { documents, version, derived, change, decided, stored, issuersOfWithdrawn } = projected
    for (const { accession, reason } of derived.failures) await ledger.markRejected(accession, reason)
    const unclassified = new Set(derived.entries.flatMap(({ sic, issuerCik }) => (sic === null ? [issuerCik] : [])))
    if (unclassified.size > 0) await queueSectors?.([...unclassified])
    const present = derived.entries.map(({ accession }) => accession)
    const events = (await alerts?.ofFilings(present, decided)) ?? []
    const receivedAt = new Map(documents.map(({ accession, firstSeenAt }) => [accession, firstSeenAt]))
    const reported = toResync
      ? await runInSlices(reportedFilings({ receivedAt, stored, decided, changed: change.trades }))
      : []
    const outcome = { events, touched: scopeOfFilings(change), reported }
    const gone = [...derived.goneTrades, ...derived.goneEntries].map(({ issuerCik }) => issuerCik)
    const former = [...gone, ...issuersOfWithdrawn]
    const rederived = new Set(derived.accessions)
    const done = documents.filter(({ accession }) => rederived.has(accession))
    await ledger.markProjected(done, version, outcome, [...new Set(former)]).catch(resyncLater(change))
  }
  // Withdrawn filings that only a data set has: the others are projected with their documents.
  const projectWithdrawn = async (): Promise<number> => {
    for (let projected = 0; ;) {
      const pending = await ledger.withdrawals.pendingOfSets()
      if (pending.length === 0) return projected
      const [version, withdrawn] = [await ledger.nextVersion(), await ledger.withdrawals.all()]
      await project({ documents: [], version, withdrawn }, pending)
      await ledger.withdrawals.markProjected(pending.map(({ accession }) => accession))
      projected += pending.length
    }
  }
  const resyncLater = (change: AnalyticsChange) => (error: unknown) => {
    toResync?.add([...change.trades, ...change.goneTrades].map(({ issuerCik }) => issuerCik))
    throw error
  }
  // Rows that are written are visible, so their filings are not rejected any more: after any error they are tried again.
  const tryAgain = (error: unknown) => {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('internal_error', 'filings were written and not marked', undefined, { cause: error })
  }
  return {
    projectPending: async (after, signal) => {
      for (let projected = 0; ;) {
        const { isLast, ...batch } = await ledger.pending(BATCH)
        const { documents } = batch
        if (documents.length > 0) await projectApart(batch, project, ledger)
        projected += documents.length
        if (documents.length > 0) after?.(projected)
        if (signal?.aborted) return projected
        if (isLast) return projected + (await projectWithdrawn())
      }
    },
    reconcileIssuers: async (issuers) => {
      const { change } = await decide(stores, nothing(), await ledger.withdrawals.all(), { otherIssuers: issuers })
      if (change.trades.length > 0) await analytics.write(change, await ledger.nextVersion())
    },
  }
}

// A filing that breaks the projection is marked rejected with the reason and delays no other. If a store does not
// respond, that is no fault of the filing: the error is thrown, and the batch is tried again.
async function projectApart(
  batch: Batch,
  project: (batch: Batch) => Promise<void>,
  ledger: FilingLedger,
): Promise<void> {
  try {
    await project(batch)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const { documents } = batch
    const [only] = documents
    if (documents.length === 1) return ledger.markRejected(only!.accession, `could not be projected: ${String(error)}`)
    for (const document of documents)
      await projectApart({ ...batch, documents: [document], version: await ledger.nextVersion() }, project, ledger)
  }
}

/**
 * Derives rows from documents. The ledger has their bytes, not what an earlier version read of them, so that a better
 * reader gives better rows. A document that can't be read gives no rows and is among the failures.
 */
export async function derive(
  read: ReadDocument,
  documents: PendingDocument[],
  withdrawn: WithdrawnFilings,
): Promise<Derived> {
  const derived = nothing()
  const pause = timeSlices()
  for (const document of documents) {
    await pause()
    const failed = (error: unknown): Derived => {
      return {
        ...nothing(),
        failures: [{ accession: document.accession, reason: `could not be projected: ${String(error)}` }],
      }
    }
    const own = await deriveOne(read, document, withdrawn.get(document.accession)).catch(failed)
    for (const part of PARTS) (derived[part] as unknown[]).push(...own[part])
  }
  return derived
}

const PARTS = [
  'accessions',
  'trades',
  'entries',
  'balances',
  'goneTrades',
  'goneEntries',
  'goneDetails',
  'failures',
] as const
const nothing = (): Derived => ({
  accessions: [],
  trades: [],
  entries: [],
  balances: [],
  goneTrades: [],
  goneEntries: [],
  goneDetails: [],
  failures: [],
})

async function deriveOne(
  read: ReadDocument,
  document: PendingDocument,
  withdrawn: number | undefined,
): Promise<Derived> {
  const { accession, firstSeenAt } = document
  const derived = nothing()
  const reading = await read(document.document, document.source)
  if (reading.kind === 'notice') return { ...derived, failures: [{ accession, reason: 'a notice of a proposed sale' }] }
  if (reading.kind !== 'filing') return { ...derived, failures: [{ accession, reason: reading.reason }] }
  const filing = { ...reading.filing, accession }
  derived.accessions.push(accession)
  if (document.replaced) takeBack(derived, firstSeenAt, filing)
  else {
    derived.trades.push(...tradeFacts(filing, firstSeenAt))
    derived.entries.push({ ...directoryEntry(filing, firstSeenAt), isWithdrawn: withdrawn !== undefined })
    const time = filingTime(filing, firstSeenAt)
    const withdrawnAt = withdrawn === undefined ? null : Math.max(time.at, withdrawn)
    derived.balances.push({ evidence: evidenceOf(filing, time), isEstimated: isEstimated(time.basis), withdrawnAt })
  }
  if (document.ofSet) takeBackSet(derived, document.ofSet)
  for (const prior of document.priorDocuments) {
    const earlier = await read(prior, document.source)
    if (earlier.kind === 'filing') takeBack(derived, firstSeenAt, { ...earlier.filing, accession })
  }
  return derived
}

function takeBackSet(derived: Derived, ofSet: DataSetFiling): void {
  const { goneTrades, goneEntries, goneDetails } = retractionsOf([ofSet])
  derived.goneTrades.push(...goneTrades)
  derived.goneEntries.push(...goneEntries)
  derived.goneDetails.push(...goneDetails)
}

// Removes all rows of an earlier copy, which may name another time, issuer and owners. Rows that the present copy writes
// under the same key stay.
function takeBack(derived: Derived, receivedAt: number, gone: Filing): void {
  derived.goneTrades.push(...tradeFacts(gone, receivedAt))
  derived.goneEntries.push(entryKey(directoryEntry(gone, receivedAt)))
}

async function decide(
  {
    analytics,
    listings,
    floors,
  }: {
    analytics: AnalyticsStore
    listings: CompanyListings
    floors: SignificanceFloors
  },
  derived: Derived,
  withdrawn: WithdrawnFilings,
  { otherIssuers, withdrawnOfSets = [] }: { otherIssuers: Cik[]; withdrawnOfSets?: DataSetFiling[] },
): Promise<{ change: AnalyticsChange; decided: Trade[]; stored: Trade[] }> {
  const entries = [...derived.entries, ...derived.goneEntries]
  const issuers = [
    ...new Set([
      ...entries.map((entry) => entry.issuerCik),
      ...derived.goneTrades.map((trade) => trade.issuerCik),
      ...otherIssuers,
    ]),
  ]
  // The symbols that filings state matter only for issuers without a ticker on the SEC's list.
  const unlisted = issuers.filter((issuer) => listings.tickersOf(issuer).length === 0)
  const [stored, related, newest] = await Promise.all([
    analytics.trades(issuers),
    analytics.relatedFilings(issuers),
    analytics.newestSymbols(unlisted, [...derived.accessions, ...withdrawnOfSets.map(({ accession }) => accession)]),
  ])
  const rederived = new Set(derived.accessions)
  const ofOtherFilings = stored.filter((trade) => !rederived.has(trade.accession))
  const { entries: newEntries, balances, goneTrades, goneEntries, goneDetails } = derived
  const { decided, trades } = await reconciled({
    issuers,
    stored: ofOtherFilings,
    related: related.filter(({ accession }) => !rederived.has(accession)),
    derived,
    withdrawn,
    newest,
    listings,
    floors,
  })
  const superseded = new Set(stored.filter(({ supersededBy }) => supersededBy !== '').map(({ id }) => id))
  const restored = trades.filter(({ id, supersededBy }) => supersededBy === '' && superseded.has(id))
  const change = {
    trades,
    entries: newEntries,
    goneTrades,
    goneEntries,
    goneDetails,
    restored,
    balances,
    withdrawn: withdrawnOfSets.map((filing) => ({
      ...filing,
      withdrawnAt: Math.max(filing.filedAt, withdrawn.get(filing.accession) ?? 0),
    })),
  }
  return { change, decided, stored }
}
