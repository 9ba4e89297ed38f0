// Loading of quarters of the SEC's data sets into the ledger and the analytics store. The quarters are staged one after
// the other; then all that they say of an issuer is reconciled at once with what is stored of it, by ranges of issuers.
// Killed at any point, the quarters are loaded again with the same result.
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import { cikNumber } from '../../domain/shared/identifiers.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type {
  DataSet,
  DataSetCounts,
  DataSetFile,
  DataSetFiling,
  DataSetRegistry,
  DataSetStore,
  IssuerRange,
} from '../ports/data-sets.ts'
import type { AnalyticsStore } from '../ports/analytics.ts'
import type { FilingLedger } from '../ports/filings.ts'
import { decide } from '../projection/project-filings.ts'
import { retractionsOf } from '../projection/retractions.ts'
import { deriveSet } from './derive-set.ts'
import { detailFiles } from './detail-files.ts'

export interface DataSetContext {
  history: DataSetStore
  /** Renews no parties: all are renewed when everything is loaded. */
  analytics: AnalyticsStore
  sets: DataSetRegistry
  withdrawals: Pick<FilingLedger['withdrawals'], 'all'>
  listings: CompanyListings
  floors: SignificanceFloors
  nextVersion: () => Promise<number>
  /** Absent for tables that no page is made from yet. */
  changes?: Pick<ChangeTracker, 'recordExtent'>
}

export interface QuarterResult extends DataSetCounts {
  quarter: string
  /** Lines of each file, each used or rejected; none of the details where the data set lacks one of their files. */
  lines: Record<string, number>
}

/** Quarters that are loaded together. */
export interface HistoryLoad {
  /**
   * Stages a quarter, and records its filings in the ledger. Throws if lines are neither used nor rejected, and then
   * nothing of it stays staged.
   */
  stage(set: DataSet): Promise<QuarterResult>
  /**
   * Writes all that is staged. `advance` receives the lines of Table I that are done; `between` runs while nothing is
   * being written.
   */
  write(advance: (rows: number) => void, between: () => Promise<unknown>): Promise<void>
  /** Removes what is staged. */
  discard(): Promise<void>
}

interface StagedQuarter {
  quarter: string
  result: QuarterResult
  /** Filings that the quarter had before and has no longer, or differently. */
  gone: DataSetFiling[]
}

/** Two ranges of issuers are worked on at a time: while one is reconciled here, the store reads or writes the other. */
const LANES = 2
/** Ranges between two looks at new filings. */
const RANGES_PER_ROUND = 4

export function makeHistoryLoad(stores: DataSetContext): HistoryLoad {
  const { history, sets } = stores
  let staged: StagedQuarter[] = []
  const discard = async () => {
    staged = []
    await history.empty()
  }
  return {
    stage: async (set) => {
      const { quarter, files } = set
      if (staged.length === 0) await history.empty()
      try {
        await history.stage(quarter, files)
        const counts = reconciled(set, await history.counts(quarter, files))
        // Every filing is in the ledger before a row of it is visible, so that its own document, arriving later,
        // replaces them.
        const { known, gone } = await sets.replace(quarter, history.ledgerLines(quarter))
        const transactions = counts.transactions - (await history.transactionsOf(quarter, known))
        const result = { ...counts, transactions, knownFilings: known.length }
        staged.push({ quarter, result, gone })
        return result
      } catch (error) {
        // What made it fail says more than what keeps the tables from being emptied; the next load empties them.
        await history.drop(quarter).catch(() => {})
        throw error
      }
    },
    write: async (advance, between) => {
      const gone = staged.flatMap((quarter) => quarter.gone)
      const stays = await takeBackMoved(stores, gone)
      const ranges = await history.ranges()
      let done = 0
      for (let from = 0; from < ranges.length; from += RANGES_PER_ROUND) {
        const round = ranges.slice(from, from + RANGES_PER_ROUND)
        await inLanes(round, async (range) => {
          await writeRange(stores, range, { gone, stays })
          advance((done += range.rows))
        })
        await between()
      }
      for (const { quarter, result } of staged) await sets.finish(quarter, result)
      await discard()
    },
    discard,
  }
}

async function inLanes<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason
}

const TAKEN_BACK_BATCH = 20_000

/**
 * Takes back filings that are staged with another issuer than before: of an issuer that comes first the feed would lose
 * its new rows with the old ones. Returns the other filings' accession numbers, which are taken back with their issuers.
 */
async function takeBackMoved(
  { history, analytics, nextVersion, changes }: DataSetContext,
  gone: DataSetFiling[],
): Promise<Set<DataSetFiling>> {
  const issuers = await history.issuersOf(gone.map(({ accession }) => accession))
  const isMoved = ({ accession, issuerCik }: DataSetFiling) => (issuers.get(accession) ?? issuerCik) !== issuerCik
  const moved = gone.filter(isMoved)
  for (let from = 0; from < moved.length; from += TAKEN_BACK_BATCH) {
    const change = retractionsOf(moved.slice(from, from + TAKEN_BACK_BATCH))
    await analytics.write(change, await nextVersion()).finally(() => changes?.recordExtent('filings'))
  }
  return new Set(gone.filter((filing) => !isMoved(filing)))
}

interface Removed {
  gone: DataSetFiling[]
  /** Those of `gone` that are still to be taken back. */
  stays: Set<DataSetFiling>
}

async function writeRange(stores: DataSetContext, range: IssuerRange, { gone, stays }: Removed): Promise<void> {
  const { history, analytics, sets, nextVersion, changes } = stores
  const all = await history.filings(range)
  // Documents may have come since the quarter was staged.
  const quarters = await sets.quartersOf(all.map(({ accession }) => accession))
  const own = all.filter(({ accession, quarter }) => quarters.get(accession) === quarter)
  const withdrawn = await stores.withdrawals.all()
  const derived = await deriveSet(own, withdrawn)
  const ofRange = gone.filter(({ issuerCik }) => isIn(range, cikNumber(issuerCik)))
  const { goneTrades, goneEntries, goneDetails } = retractionsOf(ofRange.filter((filing) => stays.has(filing)))
  derived.goneTrades.push(...goneTrades)
  derived.goneEntries.push(...goneEntries)
  derived.goneDetails.push(...goneDetails)
  const otherIssuers = ofRange.map(({ issuerCik }) => issuerCik)
  const { change } = await decide(stores, derived, withdrawn, { otherIssuers })
  await analytics.write(change, await nextVersion()).finally(() => changes?.recordExtent('filings'))
}

const isIn = ({ from, to }: IssuerRange, issuer: number): boolean => issuer >= from && issuer <= to

function reconciled({ quarter, files }: DataSet, counts: DataSetCounts): QuarterResult {
  const used = {
    SUBMISSION: counts.filings,
    REPORTINGOWNER: counts.owners,
    NONDERIV_TRANS: counts.rows,
    ...counts.details,
  }
  const { SUBMISSION, REPORTINGOWNER, NONDERIV_TRANS } = files
  const read: Record<string, DataSetFile> = { SUBMISSION, REPORTINGOWNER, NONDERIV_TRANS, ...detailFiles(files) }
  const lines = Object.fromEntries(Object.keys(used).map((file) => [file, read[file]?.lines ?? 0]))
  for (const [file, stored] of Object.entries(used)) {
    const rejected = counts.rejectedByFile[file] ?? 0
    if (stored + rejected !== lines[file]) {
      throw new Error(
        `${quarter}: ${file} has ${lines[file]} lines, but ${stored} were used and ${rejected} rejected: ` +
          'nothing was written',
      )
    }
  }
  return { quarter, lines, ...counts }
}
