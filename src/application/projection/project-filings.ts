// Projects filings from PostgreSQL into rows of ClickHouse. Killed at any point, it runs again with the same result: the
// rows of a batch depend on the filings alone and replace earlier rows by key, and the ledger is marked last.
import type { Cik } from '../../domain/shared/identifiers.ts'
import { SIGNIFICANCE_FLOORS, type SignificanceFloors } from '../../domain/trades/significance.ts'
import { NOTHING_TOUCHED } from '../changes/change-tracker.ts'
import type { IssuersToResync } from '../changes/issuers-to-resync.ts'
import { ServiceError } from '../errors.ts'
import { nextBatchSize } from '../shared/batch-size.ts'
import { eachApart } from '../shared/each-apart.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type { PartyLocks } from '../shared/locks.ts'
import type { Compute } from '../ports/computations.ts'
import type { Traced } from '../ports/system.ts'
import type { FilingLedger, PendingBatch, PendingDocument } from '../ports/filings.ts'
import type { FilingsProjected, FilingsRead } from '../ports/projection.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { QueueSectors } from '../sectors/fill-sectors.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsStore } from '../ports/analytics.ts'

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
  compute: Compute
  ledger: FilingLedger
  analytics: Pick<AnalyticsStore, 'stored' | 'write'>
  listings: CompanyListings
  locks: PartyLocks
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
interface Projected extends FilingsProjected {
  documents: PendingDocument[]
  version: number
  read: FilingsRead | null
  /** Issuers of withdrawn filings of data sets. */
  issuersOfWithdrawn: Cik[]
}

export function makeProjector({
  compute,
  ledger,
  analytics,
  listings,
  locks,
  floors = SIGNIFICANCE_FLOORS,
  alerts,
  queueSectors,
  toResync,
  traced,
}: ProjectorDependencies): Projector {
  let filingsAtOnce = FIRST_FILINGS
  // The step of a trace is named by the filing where it is one, as live; in bulk by how many they are.
  const project = (batch: Batch, withdrawnOfSets: DataSetFiling[] = []): Promise<void> => {
    const work = () => projectBatch(batch, withdrawnOfSets)
    const [document, ...others] = batch.documents
    if (traced === undefined || document === undefined) return work()
    if (others.length === 0) return traced('project filing', { accession: document.accession }, work)
    return traced('project filings', { filings: batch.documents.length }, work)
  }
  // Reconciles issuers over what is stored of them and what was read; nothing is written yet.
  const reconcile = async (
    issuers: Cik[],
    { documents, version, withdrawn }: Batch,
    read: FilingsRead | null,
    withdrawnOfSets: DataSetFiling[],
  ): Promise<FilingsProjected> => {
    const except = [...withdrawnOfSets.map(({ accession }) => accession), ...(read?.replaced ?? [])]
    const tickers = new Map(issuers.map((issuer) => [issuer, listings.tickersOf(issuer)]))
    // The symbols that filings state matter only for issuers without a ticker on the SEC's list.
    const unlisted = issuers.filter((issuer) => tickers.get(issuer)!.length === 0)
    const stored = await analytics.stored(issuers, unlisted, [...except, ...(read?.filings ?? [])])
    return compute('live', 'projectFilings', {
      ...{ issuers, stored, tickers, withdrawn, version, withdrawnOfSets, floors },
      derived: read?.derived ?? null,
      receivedAt: toResync ? new Map(documents.map(({ accession, firstSeenAt }) => [accession, firstSeenAt])) : null,
      recentSince: alerts?.since() ?? Infinity,
    })
  }
  const write = async ({ rows }: FilingsProjected): Promise<void> => {
    if (rows) await locks.ofLists(rows.lists, () => analytics.write(rows))
  }
  const projectBatch = async (batch: Batch, withdrawnOfSets: DataSetFiling[]): Promise<void> => {
    const { documents, version, withdrawn } = batch
    const read = documents.length > 0 ? await compute('live', 'readFilings', { documents, withdrawn }) : null
    const issuersOfWithdrawn = withdrawnOfSets.map(({ issuerCik }) => issuerCik)
    const issuers = [...new Set([...(read?.issuers ?? []), ...issuersOfWithdrawn])]
    const projected = await locks.ofIssuers(issuers, async () => {
      const reconciled = await reconcile(issuers, batch, read, withdrawnOfSets)
      // An earlier attempt may have written rows of these filings without marking them. Their issuers are reported once
      // their signals are detected.
      toResync?.add(reconciled.tried)
      await write(reconciled).catch(resyncLater(reconciled))
      return reconciled
    })
    const items = documents.length
    if (items > 0) filingsAtOnce = nextBatchSize(filingsAtOnce, { items, trades: projected.storedTrades }, LIMITS)
    await finish({ ...projected, documents, version, read, issuersOfWithdrawn }).catch(tryAgain)
  }
  // Raises events, writes the log and marks the filings, once the rows of a batch are written.
  const finish = async (projected: Projected): Promise<void> => {
    const { documents, version, read, rows, recent, reported, issuersOfWithdrawn } = projected
    for (const { accession, reason } of read?.failures ?? []) await ledger.markRejected(accession, reason)
    if (read && read.unclassified.length > 0) await queueSectors?.(read.unclassified)
    const present = read?.filings ?? []
    const events = (await alerts?.ofFilings(present, recent)) ?? []
    const outcome = { events, touched: rows?.scope ?? NOTHING_TOUCHED, reported }
    const former = [...(read?.former ?? []), ...issuersOfWithdrawn]
    const isRead = new Set(present)
    const done = documents.filter(({ accession }) => isRead.has(accession))
    await ledger.markProjected(done, version, outcome, [...new Set(former)]).catch(resyncLater(projected))
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
  const resyncLater =
    ({ touched }: FilingsProjected) =>
    (error: unknown) => {
      toResync?.add(touched)
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
      const [version, withdrawn] = [await ledger.nextVersion(), await ledger.withdrawals.all()]
      await locks.ofIssuers(issuers, async () =>
        write(await reconcile(issuers, { documents: [], version, withdrawn }, null, [])),
      )
    },
  }
}
