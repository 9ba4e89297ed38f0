// What the one process that may write the analytics store does all day: queued jobs, then whatever is recorded and not
// projected, then wait for a hint or a second to pass.
import { ServiceError } from '../errors.ts'
import { isRecorded } from '../queries/analytics-ready.ts'
import { watchCancellation } from '../shared/job-cancellation.ts'
import type { ProjectSignals } from './project-signals.ts'
import type { Jobs, JobKind } from '../ports/jobs.ts'
import type { FilingLedger } from '../ports/filings.ts'
import type { DataSetRegistry } from '../ports/data-sets.ts'
import type { Projector } from './project-filings.ts'
import type { CachedAnalyticsStore } from './cached-analytics-store.ts'
import type { Progress } from '../ports/system.ts'

/** `catch-up` is there only where EDGAR is followed. */
export type JobRunners = Record<Exclude<JobKind, 'catch-up'>, Runner> & { 'catch-up'?: Runner }
export type Runner = (progress: Progress, args: Record<string, unknown>) => Promise<unknown>

export interface LoopReport {
  projected(filings: number): void
  /** As an emptied store is filled, in halves of filings and rows. */
  filling(done: number, total: number | null): void
  job(kind: JobKind, result: unknown): void
  failed(what: string, error: unknown): void
}

export interface ProjectionLoop {
  /**
   * Before the first question is answered: an emptied store is filled again, a company list half loaded is finished.
   * After an upgrade that writes rows otherwise, a rebuild is queued. Rejects where the signal comes before.
   */
  prepare(signal: AbortSignal, report: LoopReport): Promise<void>
  /** Until the signal; `wait` resolves on a hint or after a while. */
  run(signal: AbortSignal, wait: () => Promise<void>, report: LoopReport): Promise<void>
}

type Job = NonNullable<Awaited<ReturnType<Jobs['next']>>>

/** With a store that is away or full, or a process that is killed, each time: 8 minutes where it fails at once. */
const MAX_ATTEMPTS = 8

function reasonOf(error: unknown): string {
  const { cause } = error as Error
  return cause instanceof Error ? `${String(error)} (${cause.message})` : String(error)
}

interface ProjectionLoopDependencies {
  ledger: FilingLedger
  analytics: CachedAnalyticsStore
  projector: Projector
  signals: ProjectSignals
  jobs: Jobs
  runners: JobRunners
  sets: DataSetRegistry
}

export function makeProjectionLoop({
  ledger,
  analytics,
  projector,
  signals,
  jobs,
  runners,
  sets,
}: ProjectionLoopDependencies): ProjectionLoop {
  /** Whether to go on with the next one: not after a fault that may pass, before which what came in has its turn. */
  const doJob = async (
    { id, kind, args, attempts }: Job,
    signal: AbortSignal,
    report: LoopReport,
  ): Promise<boolean> => {
    const cancellation = watchCancellation(jobs, id)
    const progress: Progress = (done, total) => {
      cancellation.signal.throwIfAborted()
      // Whoever has the right by now begins it anew, on the same tables.
      signal.throwIfAborted()
      void jobs.progress(id, done, total).catch(() => {})
    }
    try {
      const runner = runners[kind]
      if (!runner) throw new Error('the service does not follow EDGAR')
      if (attempts > MAX_ATTEMPTS)
        throw new Error(`was begun ${MAX_ATTEMPTS} times and never came to an end: see the log`)
      const result = await runner(progress, args)
      await jobs.finish(id, result)
      report.job(kind, result)
      return true
    } catch (error) {
      // It may have written what is not remembered.
      analytics.invalidate()
      const isLeft = signal.aborted
      if (!isLeft && cancellation.signal.aborted) {
        report.job(kind, { cancelled: true })
        await jobs.cancelled(id)
        return true
      }
      const isPassing = error instanceof ServiceError && attempts < MAX_ATTEMPTS
      if (isLeft) await jobs.leave(id).catch(() => {})
      else report.failed(kind, error)
      if (isLeft || isPassing) return false
      await jobs.fail(id, reasonOf(error))
      return true
    } finally {
      cancellation.stop()
    }
  }
  const turn = async (signal: AbortSignal, report: LoopReport) => {
    for (let job = await jobs.next(); job && !signal.aborted; job = await jobs.next()) {
      if (!(await doJob(job, signal, report))) break
    }
    // What is visible comes first: signals are judged a hundred issuers at a time, and between them whatever came in is projected.
    for (let judged = 1; judged > 0 && !signal.aborted;) {
      const projected = await projector.projectPending(undefined, signal)
      if (projected > 0) report.projected(projected)
      judged = await signals.pending((issuer, error) => report.failed(`signals of issuer ${issuer}`, error))
    }
  }
  return {
    prepare: async (signal, report) => {
      const filling: Progress = (done, total) => {
        signal.throwIfAborted()
        report.filling(done, total)
      }
      if ((await analytics.isEmpty()) && (await isRecorded(ledger, sets)))
        report.job('rebuild', await runners.rebuild(filling, {}))
      else await runners.companies(() => {}, {})
      if (!(await analytics.isCurrent())) await jobs.queueOnce('rebuild')
    },
    run: async (signal, wait, report) => {
      // Before it was given the right to write, another process may have had it.
      analytics.invalidate()
      while (!signal.aborted) {
        await turn(signal, report).catch((error: unknown) => report.failed('projection', error))
        if (!signal.aborted) await wait()
      }
    },
  }
}
