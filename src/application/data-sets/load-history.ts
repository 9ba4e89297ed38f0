// Loading of quarters of the SEC's data sets into the ledger and the analytics store. The quarters are staged one after
// the other; then all that they say of an issuer is reconciled at once with what is stored of it, by ranges of issuers.
// Killed at any point, a load is continued after the issuers that are written, with the same result.
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import { cikNumber, type Cik } from '../../domain/shared/identifiers.ts'
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
import type { WorkMeter } from '../shared/work-meter.ts'
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
   * nothing of it stays staged. `staged` is called when its lines are staged, and its filings not recorded yet.
   */
  stage(set: DataSet, staged: () => void): Promise<QuarterResult>
  /**
   * Writes all that is staged. `meter` receives the lines of Table I that are done; `between` runs while nothing is
   * being written.
   */
  write(meter: Pick<WorkMeter<'write'>, 'skip' | 'reach'>, between: () => Promise<unknown>): Promise<void>
  /** Removes what is staged. */
  discard(): Promise<void>
}

interface StagedQuarter {
  quarter: string
  result: QuarterResult
  /** Filings that the quarter had before and has no longer, or differently. */
  gone: DataSetFiling[]
  /** The issuer up to which an interrupted load has written; null if it had not begun to. */
  writtenTo: number | null
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
    stage: async (set, markStaged) => {
      const { quarter, files } = set
      if (staged.length === 0) await history.empty()
      try {
        await history.stage(quarter, files)
        const counts = reconciled(set, await history.counts(quarter, files))
        markStaged()
        // Every filing is in the ledger before a row of it is visible, so that its own document, arriving later,
        // replaces them.
        const { known, gone, writtenTo } = await sets.replace(quarter, history.ledgerLines(quarter))
        const transactions = counts.transactions - (await history.transactionsOf(quarter, known))
        const result = { ...counts, transactions, knownFilings: known.length }
        staged.push({ quarter, result, gone, writtenTo })
        return result
      } catch (error) {
        // What made it fail says more than what keeps the tables from being emptied; the next load empties them.
        await history.drop(quarter).catch(() => {})
        throw error
      }
    },
    write: async (meter, between) => {
      if (staged.length === 0) return
      const removed = await removedFilings(stores, staged)
      const ranges = await history.ranges()
      const writtenTo = Math.min(...staged.map((each) => each.writtenTo ?? 0))
      const left = ranges.filter(({ to }) => to > writtenTo)
      let done = rowsOf(ranges) - rowsOf(left)
      meter.skip(done)
      for (let from = 0; from < left.length; from += RANGES_PER_ROUND) {
        const round = left.slice(from, from + RANGES_PER_ROUND)
        await inLanes(round, async (range) => {
          await writeRange(stores, range, removed)
          meter.reach((done += range.rows))
        })
        const quarters = staged.map(({ quarter }) => quarter)
        await sets.markWritten(quarters, round.at(-1)!.to)
        await between()
      }
      for (const { quarter, result } of staged) await sets.finish(quarter, result)
      await discard()
    },
    discard,
  }
}

const rowsOf = (ranges: IssuerRange[]): number => ranges.reduce((sum, { rows }) => sum + rows, 0)

async function inLanes<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const lane = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason
}

const TAKEN_BACK_BATCH = 20_000

/** Filings that the staged quarters had before and have no longer, or differently. */
interface Removed {
  issuers: Cik[]
  /** Those that are taken back together with the writing of their issuers. */
  filings: DataSetFiling[]
}

/**
 * Returns the filings that are removed. Takes back at once those that are staged with another issuer than before: if
 * that one came first, the feed would lose its new rows with the old ones. An interrupted load has done so before.
 */
async function removedFilings(stores: DataSetContext, staged: StagedQuarter[]): Promise<Removed> {
  const { history, analytics, sets, nextVersion, changes } = stores
  const gone = staged.flatMap((each) => each.gone)
  const stagedIssuers = await history.issuersOf(gone.map(({ accession }) => accession))
  const isMoved = ({ accession, issuerCik }: DataSetFiling) => (stagedIssuers.get(accession) ?? issuerCik) !== issuerCik
  const begun = staged.filter(({ writtenTo }) => writtenTo === null)
  const moved = begun.flatMap((each) => each.gone).filter(isMoved)
  for (let from = 0; from < moved.length; from += TAKEN_BACK_BATCH) {
    const change = retractionsOf(moved.slice(from, from + TAKEN_BACK_BATCH))
    await analytics.write(change, await nextVersion()).finally(() => changes?.recordExtent('filings'))
  }
  const quarters = begun.map(({ quarter }) => quarter)
  await sets.markWritten(quarters, 0)
  return {
    issuers: [...new Set(gone.map(({ issuerCik }) => issuerCik))],
    filings: gone.filter((filing) => !isMoved(filing)),
  }
}

async function writeRange(stores: DataSetContext, range: IssuerRange, removed: Removed): Promise<void> {
  const { history, analytics, sets, withdrawals, nextVersion, changes } = stores
  const all = await history.filings(range)
  // Documents may have come since the quarter was staged.
  const quarters = await sets.quartersOf(all.map(({ accession }) => accession))
  const own = all.filter(({ accession, quarter }) => quarters.get(accession) === quarter)
  const withdrawn = await withdrawals.all()
  const derived = await deriveSet(own, withdrawn)
  const isInRange = (issuer: Cik) => isIn(range, cikNumber(issuer))
  const gone = retractionsOf(removed.filings.filter(({ issuerCik }) => isInRange(issuerCik)))
  derived.goneTrades.push(...gone.goneTrades)
  derived.goneEntries.push(...gone.goneEntries)
  derived.goneDetails.push(...gone.goneDetails)
  const { change } = await decide(stores, derived, withdrawn, { otherIssuers: removed.issuers.filter(isInRange) })
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
