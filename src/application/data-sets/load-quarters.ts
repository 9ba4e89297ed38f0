// Loading of history from the SEC's data sets: downloads quarters that are not stored yet, loads those not loaded yet,
// all together. New filings are projected meanwhile, so that live filings wait for seconds.
import type { Quarter } from '../../domain/shared/quarter.ts'
import { ServiceError } from '../errors.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import { reportedQuarters, reporting } from '../changes/reported-extents.ts'
import { hasDetails } from './detail-files.ts'
import { makeHistoryLoad, type DataSetContext, type HistoryLoad, type QuarterResult } from './load-history.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { FetchResult } from '../ports/filings.ts'
import type { DataSet, DataSets } from '../ports/data-sets.ts'
import type { JobQueue } from '../ports/jobs.ts'
import type { NoticeQueue } from '../ports/notices.ts'
import type { Monotonic, Progress } from '../ports/system.ts'

/** Downloads a quarter's zip to where it is stored. Rejects with the signal's reason. */
export type FetchQuarter = (quarter: Quarter, signal?: AbortSignal) => Promise<FetchResult<unknown>>

export interface BackfillResult {
  loaded: QuarterResult[]
  /** Loaded before from the same files. */
  unchanged: Quarter[]
  /** Not published by the SEC. */
  missing: Quarter[]
  /** Lines of Table I in the files of `loaded`; what is not rejected is stored. */
  rows: number
  rejected: number
  seconds: number
}

export type LoadQuarters = (
  quarters: Quarter[],
  fetch: FetchQuarter | null,
  progress: Progress,
) => Promise<BackfillResult>

/**
 * Makes the loader. `between` runs before each quarter and after the last. Throws with what to do if a quarter can't be
 * had or read; those before it stay.
 */
export function makeLoadQuarters(
  stores: DataSetContext,
  dataSets: DataSets,
  monotonic: Monotonic,
  between: () => Promise<unknown>,
): LoadQuarters {
  return async (quarters, fetch, progress) => {
    const begun = monotonic()
    const result: BackfillResult = { loaded: [], unchanged: [], missing: [], rows: 0, rejected: 0, seconds: 0 }
    const refreshParties = () =>
      stores.analytics
        .refreshParties({ nextVersion: stores.nextVersion, between })
        .finally(() => stores.changes?.recordExtent('filings'))
    await loadAll().catch(async (error: unknown) => {
      // What was loaded stays. Where a store is away or the process stops, the job begins again.
      if (!isLeft(error)) await refreshParties()
      throw error
    })
    await refreshParties()
    result.rejected = sum(result.loaded.flatMap(({ rejectedByFile }) => Object.values(rejectedByFile)))
    return { ...result, seconds: (monotonic() - begun) / 1000 }

    async function loadAll(): Promise<void> {
      const load = makeHistoryLoad(stores)
      try {
        await stageAll(load).catch(async (error: unknown) => {
          if (isLeft(error) || error instanceof JobCancelled) throw error
          // Of the others a quarter that can't be had or read changes nothing.
          await write(load)
          throw error
        })
        await write(load)
      } catch (error) {
        // What made it fail says more than what keeps the tables from being emptied; the next load empties them.
        if (mayWrite(() => progress(result.rows, null))) await load.discard().catch(() => {})
        throw error
      }
    }

    async function stageAll(load: HistoryLoad): Promise<void> {
      const before = new Map((await stores.sets.sets()).map((set) => [set.quarter, set]))
      for (const quarter of quarters.toSorted()) {
        await between()
        progress(0, expected(result, quarters.length))
        const sha256 = (await dataSets.kept(quarter)) ?? (await fetched(quarter, dataSets, fetch))
        const known = before.get(quarter)
        if (sha256 === null) result.missing.push(quarter)
        else if (known && hasDetails(known) && known.sha256 === sha256) result.unchanged.push(quarter)
        else result.loaded.push(await dataSets.open(quarter, (set) => stage(load, set)))
      }
    }

    async function stage(load: HistoryLoad, set: DataSet): Promise<QuarterResult> {
      await stores.sets.begin(set.quarter, set.sha256, set.source)
      return load.stage(set)
    }

    async function write(load: HistoryLoad): Promise<void> {
      const total = sum(result.loaded.map(({ lines }) => lines.NONDERIV_TRANS!))
      const advance = (rows: number) => progress((result.rows = rows), total)
      await load.write(advance, between)
      advance(total)
    }
  }
}

const isLeft = (error: unknown): boolean => error instanceof ServiceError || (error as Error).name === 'AbortError'

/** Returns whether no other process may be loading by now, in the same tables. */
function mayWrite(advance: () => void): boolean {
  try {
    advance()
    return true
  } catch (error) {
    return error instanceof JobCancelled
  }
}

/** Loads the quarters, and reports to callers which were loaded. */
export function makeReportedLoad(
  loadQuarters: LoadQuarters,
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>,
): LoadQuarters {
  return (quarters, ...others) =>
    reporting(
      log,
      reportedQuarters(quarters),
      () => loadQuarters(quarters, ...others),
      ({ loaded }) => loaded.length > 0,
    )
}

/**
 * Loads the quarters, then queues what follows: notices are linked to the sales of history; jobs look for sectors, as the
 * data sets show no SIC, and make month files.
 */
export function makeBackfill(
  loadQuarters: LoadQuarters,
  jobs: Pick<JobQueue, 'queueOnce'>,
  notices: Pick<NoticeQueue, 'addAll'>,
  nextVersion: () => Promise<number>,
): LoadQuarters {
  return async (...asked) => {
    const result = await loadQuarters(...asked)
    if (result.loaded.length > 0) await notices.addAll(await nextVersion())
    await jobs.queueOnce('sectors')
    await jobs.queueOnce('exports')
    return result
  }
}

async function fetched(quarter: Quarter, dataSets: DataSets, fetch: FetchQuarter | null): Promise<string | null> {
  if (!fetch)
    throw new Error(`${quarter} is not kept here: set EDGAR_USER_AGENT to have it fetched, or name a folder of zips`)
  const answer = await fetch(quarter)
  if (answer.kind === 'missing') return null
  if (answer.kind !== 'ok')
    throw new Error(`${quarter} could not be fetched: ${answer.reason}; run it again, what is loaded stays`)
  return dataSets.kept(quarter)
}

/**
 * Progress so far. Estimates the rows of all quarters, those not seen yet taken to be as large as the others on
 * average.
 */
interface SoFar {
  loaded: Pick<QuarterResult, 'lines'>[]
  unchanged: Quarter[]
  missing: Quarter[]
}

function expected({ loaded, unchanged, missing }: SoFar, quarters: number) {
  const rows = sum(loaded.map(({ lines }) => lines.NONDERIV_TRANS!))
  const toCome = quarters - loaded.length - unchanged.length - missing.length
  return Math.round(rows + (loaded.length > 0 ? (rows / loaded.length) * toCome : 0))
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
