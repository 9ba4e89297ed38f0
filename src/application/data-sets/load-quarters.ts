// Loading of history, quarter by quarter, from the SEC's data sets: downloads quarters that are not stored yet, loads
// those not loaded yet. Between two quarters new filings are projected, so that live filings wait for seconds.
import type { Quarter } from '../../domain/shared/quarter.ts'
import { ServiceError } from '../errors.ts'
import { reportedQuarters, reporting } from '../changes/reported-extents.ts'
import { hasDetails } from './detail-files.ts'
import { loadQuarter, type QuarterResult, type DataSetContext } from './load-quarter.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { FetchResult } from '../ports/filings.ts'
import type { DataSets } from '../ports/data-sets.ts'
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
    const refreshParties = () => stores.analytics.refreshParties({ nextVersion: stores.nextVersion, between })
    await loadAll().catch(async (error: unknown) => {
      // What was loaded stays. Where a store is away or the process stops, the job begins again.
      const isLeft = error instanceof ServiceError || (error as Error).name === 'AbortError'
      if (!isLeft) await refreshParties()
      throw error
    })
    await refreshParties()
    result.rejected = sum(result.loaded.flatMap(({ rejectedByFile }) => Object.values(rejectedByFile)))
    return { ...result, seconds: (monotonic() - begun) / 1000 }

    async function loadAll(): Promise<void> {
      const before = new Map((await stores.sets.sets()).map((set) => [set.quarter, set]))
      for (const quarter of quarters.toSorted()) {
        await between()
        const sha256 = (await dataSets.kept(quarter)) ?? (await fetched(quarter, dataSets, fetch))
        const known = before.get(quarter)
        if (sha256 === null) result.missing.push(quarter)
        else if (known && hasDetails(known) && known.sha256 === sha256) result.unchanged.push(quarter)
        else result.loaded.push(await load(quarter))
        result.rows = sum(result.loaded.map(({ lines }) => lines.NONDERIV_TRANS!))
        progress(result.rows, Math.max(result.rows, expected(result, quarters.length)))
      }
      await between()
    }

    function load(quarter: Quarter): Promise<QuarterResult> {
      return dataSets.open(quarter, async (set) => {
        await stores.sets.begin(quarter, set.sha256, set.source)
        const own = { lines: { NONDERIV_TRANS: set.files.NONDERIV_TRANS.lines } }
        const others = expected({ ...result, loaded: [...result.loaded, own] }, quarters.length)
        return loadQuarter(stores, set, (rows) => progress(result.rows + rows, others))
      })
    }
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
