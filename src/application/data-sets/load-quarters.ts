// Loading of history from the SEC's data sets: downloads quarters that are not stored yet, loads those not loaded yet,
// all together. New filings are projected meanwhile, so that live filings wait for seconds.
import type { Quarter } from '../../domain/shared/quarter.ts'
import { ServiceError } from '../errors.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import { WorkMeter } from '../shared/work-meter.ts'
import { reportedQuarters, reporting } from '../changes/reported-extents.ts'
import { hasDetails } from './detail-files.ts'
import { expectedRows, type AskedQuarter } from './expected-rows.ts'
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

/**
 * What a row costs in the phases of a load beside the others, as invented quarters took. `fetch` downloads the zips,
 * `stage` reads and checks their files, `record` writes the filings to the ledger, `write` decides and writes the rows
 * of ranges of issuers, `parties` sums up companies and insiders.
 */
export const LOAD_COSTS = { fetch: 0, stage: 15, record: 6, write: 100, parties: 10 }

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
    const meter = new WorkMeter(progress, monotonic, LOAD_COSTS)
    const asked = new Map<Quarter, AskedQuarter>()
    const toFetch = new Set<Quarter>()
    const expect = () => {
      const quartersOf = expectedRows(asked)
      const rowsOf = (some: Iterable<Quarter>) => sum([...some].map((quarter) => quartersOf.get(quarter)!.rows))
      meter.expect(rowsOf(asked.keys()), { fetch: rowsOf(toFetch) })
      return quartersOf
    }
    const refreshParties = (advance?: (done: number, steps: number) => void) =>
      stores.analytics
        .refreshParties({ nextVersion: stores.nextVersion, between, ...(advance && { advance }) })
        .finally(() => stores.changes?.recordExtent('filings'))
    await loadAll().catch(async (error: unknown) => {
      // What was loaded stays. Where a store is away or the process stops, the job begins again.
      if (!isLeft(error)) await refreshParties()
      throw error
    })
    meter.enter('parties')
    await refreshParties((done, steps) => meter.reach(Math.round((result.rows * done) / steps)))
    meter.reach(result.rows)
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
        if (mayWrite(() => meter.repeat())) await load.discard().catch(() => {})
        throw error
      }
    }

    async function stageAll(load: HistoryLoad): Promise<void> {
      const before = new Map((await stores.sets.sets()).map((set) => [set.quarter, set]))
      for (const quarter of quarters.toSorted()) {
        const bytes = await dataSets.bytesOf(quarter)
        const known = before.get(quarter)
        const isLoaded = bytes !== null && known !== undefined && hasDetails(known)
        asked.set(quarter, { bytes, rows: isLoaded ? 0 : null })
        if (bytes === null) toFetch.add(quarter)
      }
      for (const [quarter, one] of asked) {
        await between()
        await requireRoom()
        meter.enter('stage')
        let sha256 = await dataSets.kept(quarter)
        if (sha256 === null) {
          meter.enter('fetch')
          sha256 = await fetched(quarter, dataSets, fetch)
          one.bytes = await dataSets.bytesOf(quarter)
          if (sha256 === null) one.rows = 0
          meter.add(expect().get(quarter)!.rows)
          meter.enter('stage')
        }
        const known = before.get(quarter)
        if (sha256 === null) result.missing.push(quarter)
        else if (known && hasDetails(known) && known.sha256 === sha256) {
          one.rows = 0
          result.unchanged.push(quarter)
        } else result.loaded.push(await dataSets.open(quarter, (set) => stage(load, set, one)))
      }
      expect()
    }

    /** Looked at again before each quarter, as more becomes known of all. */
    async function requireRoom(): Promise<void> {
      const toLoad = [...expect()].filter(([, { rows }]) => rows > 0)
      const isStaged = (quarter: Quarter) => result.loaded.some((each) => each.quarter === quarter)
      await stores.history.requireRoom({
        quarters: toLoad.length,
        bytes: sum(toLoad.flatMap(([quarter, { bytes }]) => (isStaged(quarter) ? [] : bytes))),
        rows: sum(toLoad.map(([, { rows }]) => rows)),
      })
    }

    async function stage(load: HistoryLoad, set: DataSet, one: AskedQuarter): Promise<QuarterResult> {
      const { lines } = set.files.NONDERIV_TRANS
      one.rows = lines
      expect()
      await stores.sets.begin(set.quarter, set.sha256, set.source)
      const staged = await load.stage(set, () => {
        meter.add(lines)
        meter.enter('record')
      })
      meter.add(lines)
      return staged
    }

    async function write(load: HistoryLoad): Promise<void> {
      meter.enter('write')
      await load.write(meter, between)
      result.rows = sum(result.loaded.map(({ lines }) => lines.NONDERIV_TRANS!))
      meter.reach(result.rows)
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

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
