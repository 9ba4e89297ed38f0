// Loading of quarters of the SEC's data sets into the ledger and the analytics store. The quarters are staged one after
// the other; then all that they say of an issuer is reconciled at once with what is stored of it, by ranges of issuers.
// Killed at any point, a load is continued after the issuers that are written, with the same result.
import { cikNumber, type Cik } from '../../domain/shared/identifiers.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import { reportedIssuers } from '../changes/reported-extents.ts'
import type { AnalyticsStore, SignalQueue } from '../ports/analytics.ts'
import type {
  DataSet,
  DataSetCounts,
  DataSetFile,
  DataSetFiling,
  DataSetRegistry,
  DataSetStore,
  IssuerRange,
  RejectedFiling,
} from '../ports/data-sets.ts'
import type { FilingLedger } from '../ports/filings.ts'
import type { HistoryProjected } from '../ports/projection.ts'
import type { WorkMeter } from '../shared/work-meter.ts'
import { detailFiles } from './detail-files.ts'
import { projectHistory, type HistoryContext } from './project-history.ts'

export interface DataSetContext extends HistoryContext {
  history: DataSetStore
  analytics: AnalyticsStore
  sets: DataSetRegistry
  queue: SignalQueue
  withdrawals: Pick<FilingLedger['withdrawals'], 'all'>
  alerts: RaiseEvents
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
   * Writes all that is staged. `meter` receives the lines of Table I that are done; `beside` runs while ranges are
   * being written, after each of them and once more at the end. Rejects if one of them does.
   */
  write(meter: Pick<WorkMeter<'write'>, 'skip' | 'reach'>, beside: () => Promise<unknown>): Promise<void>
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

/** Ranges of issuers that are worked on at a time: while some are reconciled, the store reads or writes others. */
const LANES = 4

/** Receives what was detected in some issuers, once it is written. */
export type Settle = (projected: HistoryProjected, issuers: Cik[]) => Promise<void>

/** `rebuilt`: signals are detected of all issuers, and not only of those in the queue, which stays as it is. */
export function makeHistoryLoad(stores: DataSetContext, rebuilt?: Settle): HistoryLoad {
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
    write: async (meter, beside) => {
      if (staged.length === 0) return
      const removed = await removedFilings(stores, staged)
      const ranges = await history.ranges()
      const removedOf = byRange(removed, ranges)
      const writtenTo = Math.min(...staged.map((each) => each.writtenTo ?? 0))
      const left = ranges.filter(({ to }) => to > writtenTo)
      const quarters = staged.map(({ quarter }) => quarter)
      let done = rowsOf(ranges) - rowsOf(left)
      meter.skip(done)
      const others = repeatedBeside(beside)
      try {
        await inLanes(
          left,
          async (range) => {
            const { rejected } = await writeRange(stores, range, removedOf.get(range)!, rebuilt)
            await history.reject(rejected)
            for (const { quarter, result } of staged) recordRejected(result, rejected, quarter)
            meter.reach((done += range.rows))
            others.again()
          },
          (range) => sets.markWritten(quarters, range.to),
        )
        await others.last()
      } finally {
        await others.ended()
      }
      for (const { quarter, result } of staged) await sets.finish(quarter, result)
      await discard()
    },
    discard,
  }
}

const rowsOf = (ranges: IssuerRange[]): number => ranges.reduce((sum, { rows }) => sum + rows, 0)

/** Works on items side by side. `passed` receives the last of those before which none is left to do. */
async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  passed: (item: T) => Promise<void>,
): Promise<void> {
  let [begun, upTo] = [0, 0]
  let failed = false
  const isDone = items.map(() => false)
  let marked: Promise<void> = Promise.resolve()
  const lane = async () => {
    while (begun < items.length && !failed) {
      const place = begun
      begun += 1
      try {
        await work(items[place]!)
        isDone[place] = true
        const before = upTo
        while (isDone[upTo]) upTo += 1
        const last = items[upTo - 1]
        if (upTo > before) await (marked = marked.then(() => passed(last!)))
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}

/** Runs work beside other work, one time after the other. */
function repeatedBeside(work: () => Promise<unknown>) {
  let running: Promise<void> | null = null
  let failure: { error: unknown } | null = null
  /** Begins once more, unless it is running. Throws if it has failed. */
  const again = (): void => {
    if (failure) throw failure.error
    running ??= work()
      .then(
        () => {},
        (error: unknown) => {
          failure = { error }
        },
      )
      .finally(() => {
        running = null
      })
  }
  const ended = async (): Promise<void> => {
    await running
  }
  return {
    again,
    ended,
    /** Runs it once more to the end. Throws if it fails. */
    last: async (): Promise<void> => {
      await ended()
      again()
      await ended()
      if (failure) throw failure.error
    },
  }
}

const TAKEN_BACK_BATCH = 20_000

/** A filing that the staged quarters had before and have no longer, or differently. */
interface Removed {
  filing: DataSetFiling
  /** It is staged with another issuer, and is taken back already. */
  isMoved: boolean
}

/**
 * Returns the filings that are removed. Takes back at once those that are staged with another issuer than before: if
 * that one came first, the feed would lose its new rows with the old ones. An interrupted load has done so before.
 */
async function removedFilings(stores: DataSetContext, staged: StagedQuarter[]): Promise<Removed[]> {
  const { history, analytics, sets, compute, nextVersion, changes } = stores
  const gone = staged.flatMap((each) => each.gone)
  const stagedIssuers = await history.issuersOf(gone.map(({ accession }) => accession))
  const isMoved = ({ accession, issuerCik }: DataSetFiling) => (stagedIssuers.get(accession) ?? issuerCik) !== issuerCik
  const begun = staged.filter(({ writtenTo }) => writtenTo === null)
  const moved = begun.flatMap((each) => each.gone).filter(isMoved)
  for (let from = 0; from < moved.length; from += TAKEN_BACK_BATCH) {
    const filings = moved.slice(from, from + TAKEN_BACK_BATCH)
    const rows = await compute('history', 'retract', { filings, version: await nextVersion() })
    await analytics.write(rows).finally(() => changes?.recordExtent('filings'))
  }
  const quarters = begun.map(({ quarter }) => quarter)
  await sets.markWritten(quarters, 0)
  return gone.map((filing) => ({ filing, isMoved: isMoved(filing) }))
}

/** Divides what is removed by ranges, which hold all issuers and are in their order. */
function byRange(removed: Removed[], ranges: IssuerRange[]): Map<IssuerRange, Removed[]> {
  const divided = new Map(ranges.map((range) => [range, [] as Removed[]]))
  const issuerOf = ({ filing }: Removed) => cikNumber(filing.issuerCik)
  let place = 0
  for (const each of removed.toSorted((a, b) => issuerOf(a) - issuerOf(b))) {
    while (issuerOf(each) > ranges[place]!.to) place += 1
    divided.get(ranges[place]!)!.push(each)
  }
  return divided
}

/**
 * Writes a range of issuers. Filings that arrive are projected beside it: those of its issuers after it, as the lock
 * has it, with what it wrote; a version that is given later replaces rows of earlier ones.
 */
async function writeRange(
  stores: DataSetContext,
  range: IssuerRange,
  removed: Removed[],
  rebuilt: Settle | undefined,
): Promise<HistoryProjected> {
  const { history, sets, queue, withdrawals, locks } = stores
  const { projected, issuers, waiting } = await locks.ofRange(range, async () => {
    const [keys, staged] = await Promise.all([history.keys(range), history.filings(range)])
    const unique = [...new Set([...keys, ...removed.map(({ filing }) => filing)].map(({ issuerCik }) => issuerCik))]
    const [quarters, withdrawn, queued] = await Promise.all([
      // Documents may have come since the quarter was staged.
      sets.quartersOf(keys.map(({ accession }) => accession)),
      withdrawals.all(),
      queue.historical(unique),
    ])
    // Taken back together with the writing of their issuers.
    const gone = removed.flatMap(({ filing, isMoved }) => (isMoved ? [] : filing))
    // Issuers with new filings besides are left in the queue: what changes of them is reported row by row.
    const detected = rebuilt ? unique : queued.map(({ issuerCik }) => issuerCik)
    const filings = { derived: null, staged, quarters, removed: gone, detected }
    return { projected: await projectHistory(stores, unique, filings, withdrawn), issuers: unique, waiting: queued }
  })
  await (rebuilt ? rebuilt(projected, issuers) : settleLoaded(stores, projected, waiting))
  return projected
}

/**
 * Takes issuers off the queue whose signals are detected with their trades. Signals of history raise no alerts: their
 * events are stored without deliveries, so that the issuer's next filing does not raise them either.
 */
async function settleLoaded(
  { queue, alerts }: DataSetContext,
  { recent, touched, undetected }: HistoryProjected,
  waiting: Awaited<ReturnType<SignalQueue['historical']>>,
): Promise<void> {
  const failed = new Set(undetected.map(({ issuer }) => issuer))
  const detected = waiting.filter(({ issuerCik }) => !failed.has(issuerCik))
  const events = await alerts.ofSignals(recent, false)
  await queue.done(detected, { events, reported: reportedIssuers('signals', touched) })
}

/** Counts the lines of filings that are rejected after all. */
function recordRejected(result: QuarterResult, all: RejectedFiling[], quarter: string): void {
  for (const { accession, form, reason, lines } of all.filter((each) => each.quarter === quarter)) {
    for (const [file, count] of Object.entries(lines)) {
      result.rejectedByFile[file] = (result.rejectedByFile[file] ?? 0) + count
      result.rejected.push({ file, reason, lines: count, example: accession })
    }
    const { SUBMISSION = 0, REPORTINGOWNER = 0, NONDERIV_TRANS = 0 } = lines
    result.filings -= SUBMISSION
    result.owners -= REPORTINGOWNER
    result.rows -= NONDERIV_TRANS
    if (form === '4' || form === '4/A') result.transactions -= NONDERIV_TRANS
    for (const file of Object.keys(result.details) as (keyof QuarterResult['details'])[])
      result.details[file] -= lines[file] ?? 0
  }
}

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
