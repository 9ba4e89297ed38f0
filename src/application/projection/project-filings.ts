// Projects filings from PostgreSQL into rows of ClickHouse. Killed at any point, it runs again with the same result: the
// rows of a batch depend on the filings alone and replace earlier rows by key, and the ledger is marked last.
import { reconcileIssuer } from '../../domain/trades/reconciliation/reconcile-issuer.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import {
  isRelated,
  type RelatedFiling,
  type WithdrawnFilings,
} from '../../domain/trades/reconciliation/related-filing.ts'
import { SIGNIFICANCE_FLOORS, type SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Trade, TradeFacts, TradeKey } from '../../domain/trades/trade.ts'
import { scopeOfFilings } from '../changes/change-scope.ts'
import type { IssuersToResync } from '../changes/issuers-to-resync.ts'
import { reportedFilings } from '../changes/reported-filings.ts'
import { derive, noRows, type Derived } from './derive-rows.ts'
import { relatedFiling } from './directory-entry.ts'
import { ServiceError } from '../errors.ts'
import { nextBatchSize } from '../shared/batch-size.ts'
import { eachApart } from '../shared/each-apart.ts'
import { newestTyped, type CompanyListings } from '../shared/company-listings.ts'
import type { Traced } from '../ports/system.ts'
import type { FilingLedger, PendingBatch, PendingDocument, ReadDocument } from '../ports/filings.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { QueueSectors } from '../sectors/fill-sectors.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsStore, AnalyticsChange, TypedSymbols } from '../ports/analytics.ts'

export interface Projector {
  /**
   * Projects all pending filings, or until the signal; returns how many. `after` receives the count as it grows.
   */
  projectPending(after?: (projected: number) => void, signal?: AbortSignal): Promise<number>
  /** Reconciles these issuers again, for example because the company list changed. */
  reconcileIssuers(issuers: Cik[]): Promise<void>
}

/**
 * The most filings of one batch, and stored trades of their issuers, which are in memory. Live filings come one at a
 * time; in bulk, a batch is so large that the fixed cost of an insert does not matter.
 */
const LIMITS = { trades: 50_000, items: 1_000 }
/** Filings of the first batch, before it is known how many trades their issuers have. */
const FIRST_FILINGS = 25

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
  /** Absent where no traces are kept. */
  traced?: Traced
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
  traced,
}: ProjectorDependencies): Projector {
  const stores = { analytics, listings, floors }
  let filingsAtOnce = FIRST_FILINGS
  // The step of a trace is named by the filing where it is one, as live; in bulk by how many they are.
  const project = (batch: Batch, withdrawnOfSets: DataSetFiling[] = []): Promise<void> => {
    const work = () => projectBatch(batch, withdrawnOfSets)
    const [document, ...others] = batch.documents
    if (traced === undefined || document === undefined) return work()
    if (others.length === 0) return traced('project filing', { accession: document.accession }, work)
    return traced('project filings', { filings: batch.documents.length }, work)
  }
  const projectBatch = async (
    { documents, version, withdrawn }: Batch,
    withdrawnOfSets: DataSetFiling[],
  ): Promise<void> => {
    const derived = await derive(read, documents, withdrawn)
    const issuersOfWithdrawn = withdrawnOfSets.map(({ issuerCik }) => issuerCik)
    const { change, decided, stored } = await decide(stores, derived, withdrawn, {
      otherIssuers: issuersOfWithdrawn,
      withdrawnOfSets,
    })
    if (documents.length > 0)
      filingsAtOnce = nextBatchSize(filingsAtOnce, { items: documents.length, trades: stored.length }, LIMITS)
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
    const reported = toResync ? reportedFilings({ receivedAt, stored, decided, changed: change.trades }) : []
    const outcome = { events, touched: scopeOfFilings(change), reported }
    const gone = [...derived.goneTrades, ...derived.goneEntries].map(({ issuerCik }) => issuerCik)
    const former = [...gone, ...issuersOfWithdrawn]
    const rederived = new Set(derived.accessions)
    const done = documents.filter(({ accession }) => rederived.has(accession))
    await ledger.markProjected(done, version, outcome, [...new Set(former)]).catch(resyncLater(change))
  }
  // A filing that breaks the projection is marked rejected with the reason. If a store does not respond, the batch is
  // tried again.
  const projectApart = (batch: Batch): Promise<void> =>
    eachApart(
      batch.documents,
      async (documents) => {
        const version = documents.length === batch.documents.length ? batch.version : await ledger.nextVersion()
        await project({ ...batch, documents, version })
      },
      ({ accession }, error) => ledger.markRejected(accession, `could not be projected: ${String(error)}`),
    )
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
        const { isLast, ...batch } = await ledger.pending(filingsAtOnce)
        const { documents } = batch
        if (documents.length > 0) await projectApart(batch)
        projected += documents.length
        if (documents.length > 0) after?.(projected)
        if (signal?.aborted) return projected
        if (isLast) return projected + (await projectWithdrawn())
      }
    },
    reconcileIssuers: async (issuers) => {
      const { change } = await decide(stores, noRows(), await ledger.withdrawals.all(), { otherIssuers: issuers })
      if (change.trades.length > 0) await analytics.write(change, await ledger.nextVersion())
    },
  }
}

/** Reconciles the issuers of derived rows over all their trades, stored and new. */
export async function decide(
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
    analytics.newestSymbols(
      unlisted,
      [...derived.goneEntries, ...withdrawnOfSets].map(({ accession }) => accession).concat(derived.accessions),
    ),
  ])
  const rederived = new Set(derived.accessions)
  const gone = new Set(derived.goneTrades.map(keyOfTrade))
  const goneFilings = new Set(derived.goneEntries.map(keyOfFiling))
  const ofOtherFilings = stored.filter((trade) => !rederived.has(trade.accession) && !gone.has(keyOfTrade(trade)))
  const { entries: newEntries, balances, details, goneTrades, goneEntries, goneDetails } = derived
  const { decided, trades } = reconciled({
    issuers,
    stored: ofOtherFilings,
    related: related.filter((filing) => !rederived.has(filing.accession) && !goneFilings.has(keyOfFiling(filing))),
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
    details,
    withdrawn: withdrawnOfSets.map((filing) => ({
      ...filing,
      withdrawnAt: Math.max(filing.filedAt, withdrawn.get(filing.accession) ?? 0),
    })),
  }
  return { change, decided, stored }
}

const keyOfFiling = ({ issuerCik, accession, filedAt }: Pick<RelatedFiling, 'issuerCik' | 'accession' | 'filedAt'>) =>
  `${issuerCik} ${accession} ${filedAt}`
const keyOfTrade = (trade: TradeKey) => `${keyOfFiling(trade)} ${trade.place}`

/**
 * Reconciles each issuer over all its trades. Returns all of them in `decided`, and in `trades` those that are new or
 * differ from what is stored.
 */
export function reconciled(input: {
  issuers: Cik[]
  stored: Trade[]
  /** The stored ones, without the filings of `derived`. */
  related: RelatedFiling[]
  derived: Pick<Derived, 'trades' | 'entries'>
  withdrawn: WithdrawnFilings
  newest: Map<Cik, TypedSymbols>
  listings: CompanyListings
  floors: SignificanceFloors
}): { decided: Trade[]; trades: Trade[] } {
  const { issuers, stored, related, derived, withdrawn, newest, listings, floors } = input
  const before = new Map(stored.map((trade) => [trade.id, trade]))
  const facts = Map.groupBy<Cik, TradeFacts>([...stored, ...derived.trades], (trade) => trade.issuerCik)
  const inForce = derived.entries.filter(({ isWithdrawn }) => !isWithdrawn)
  const typed = Map.groupBy(inForce, (entry) => entry.issuerCik)
  const allRelated = [...related, ...derived.entries.map(relatedFiling).filter(isRelated)]
  const relatedOf = Map.groupBy(allRelated, ({ issuerCik }) => issuerCik)
  const decided: Trade[] = []
  const trades: Trade[] = []
  for (const issuer of issuers) {
    const stated = [newest.get(issuer) ?? [], typed.get(issuer) ?? []].flat()
    const symbols = stated.filter((filing) => filing.symbols.length > 0)
    const lastTyped = newestTyped(symbols)?.symbols ?? []
    const all = reconcileIssuer(facts.get(issuer) ?? [], listings.tickersOf(issuer), lastTyped, {
      related: relatedOf.get(issuer) ?? [],
      withdrawn,
      marked: (id) => before.get(id),
      floors,
    })
    for (const trade of all) {
      decided.push(trade)
      if (changed(before.get(trade.id), trade)) trades.push(trade)
    }
  }
  return { decided, trades }
}

/** The fields of a trade that reconciliation and signals decide. */
const DECIDED_FIELDS = [
  'ticker',
  'priceStatus',
  'suspectUntil',
  'listed',
  'duplicateOf',
  'supersededBy',
  'supersededAt',
  'ambiguous',
  'profileCiks',
  'significance',
  'signals',
  'signalled',
  'routine',
  'firstBuyYears',
  'previousBuy',
] as const

function changed(before: Trade | undefined, after: Trade): boolean {
  return (
    !before ||
    DECIDED_FIELDS.some(
      (field) => before[field] !== after[field] && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
    )
  )
}
