// The download of SIC codes from EDGAR for issuers whose filings show none, one at a time and behind all other
// requests.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JobQueue } from '../ports/jobs.ts'
import type { SicList, SicSource } from '../ports/sectors.ts'
import type { Wait } from '../ports/system.ts'

const DAY_SECONDS = 86_400
/** For companies that EDGAR does not have, or has no SIC for: both may come. */
const WITHOUT_SECONDS = 30 * DAY_SECONDS
/** After a first, second ... failure; the last for all further ones. */
const FAILED_SECONDS = [60, 3_600, DAY_SECONDS, 7 * DAY_SECONDS]

const BATCH = 50
const IDLE_MS = 10_000
/** After this many answers ClickHouse gets them, even if more are due: about a minute's. */
const FOUND_BATCH = 500

export interface FetchSectors {
  /** Requests those that are due, until the signal. Calls `problem` for each request that failed. */
  run(signal: AbortSignal, problem: (issuer: Cik, reason: string) => void): Promise<void>
}

export function makeFetchSectors(
  source: SicSource,
  list: SicList,
  jobs: Pick<JobQueue, 'queueOnce'>,
  wait: Wait,
): FetchSectors {
  type Problem = (issuer: Cik, reason: string) => void
  /** Returns whether a SIC was found. */
  const ask = async (issuer: Cik, failures: number, signal: AbortSignal, problem: Problem): Promise<boolean> => {
    const answer = await source.sicOf(issuer, signal)
    if (answer.kind === 'ok' && answer.value !== null) {
      await list.found({ issuerCik: issuer, sic: answer.value })
      return true
    }
    if (answer.kind === 'ok' || answer.kind === 'missing') {
      await list.without(issuer, answer.kind === 'ok' ? 'no SIC' : answer.reason, WITHOUT_SECONDS)
      return false
    }
    problem(issuer, answer.reason)
    await list.failed(issuer, answer.reason, FAILED_SECONDS[Math.min(failures, FAILED_SECONDS.length - 1)]!)
    if (answer.pauseMs) await wait(answer.pauseMs, signal)
    return false
  }
  return {
    run: async (signal, problem) => {
      for (let found = 0; !signal.aborted;) {
        const due = await list.due(BATCH).catch(() => [])
        for (const { issuerCik, failures } of due) {
          if (signal.aborted) return
          const isFound = await ask(issuerCik, failures, signal, problem).catch(async (error: Error) => {
            if (!signal.aborted) problem(issuerCik, error.message)
            // PostgreSQL is away, or this process is stopping.
            await wait(IDLE_MS, signal)
            return false
          })
          if (isFound) found += 1
        }
        if (found >= FOUND_BATCH || (found > 0 && due.length < BATCH)) {
          found = await jobs.queueOnce('sectors').then(
            () => 0,
            () => found,
          )
        }
        if (due.length === 0) await wait(IDLE_MS, signal)
      }
    },
  }
}
