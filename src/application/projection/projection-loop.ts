// The loop of the one process that writes to ClickHouse: it runs queued jobs, projects pending filings, detects their
// signals, links notices, and waits for a notification.
import type { ChangeTracker } from '../changes/change-tracker.ts'
import { ServiceError } from '../errors.ts'
import { isRecorded } from '../queries/analytics-ready.ts'
import { watchCancellation } from '../shared/job-cancellation.ts'
import type { ProjectNotices } from '../notices/project-notices.ts'
import type { ProjectSignals } from './project-signals.ts'
import type { JobQueue, JobKind } from '../ports/jobs.ts'
import type { FilingLedger } from '../ports/filings.ts'
import type { DataSetRegistry } from '../ports/data-sets.ts'
import type { AnalyticsStore } from '../ports/analytics.ts'
import type { Projector } from './project-filings.ts'
import type { Progress } from '../ports/system.ts'

/** `catch-up` is there only if EDGAR is followed. */
export type JobRunners = Record<Exclude<JobKind, 'catch-up'>, Runner> & { 'catch-up'?: Runner }
/** `signal` ends what waits for others and reports no progress meanwhile. */
export type Runner = (progress: Progress, args: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>

export interface LoopReport {
  projected(filings: number): void
  /** Reports progress while an emptied store is filled. */
  filling(...reported: Parameters<Progress>): void
  job(kind: JobKind, result: unknown): void
  /** Reports that a job is queued which fills the store again, since its rows are of another version. */
  upgrading?(): void
  failed(what: string, error: unknown): void
}

export interface ProjectionLoop {
  /**
   * Prepares the store before the first request is served: fills one again that was emptied or that this version can't
   * read, or finishes a company list that was loaded in part. For a store of another version that can be read, queues a
   * rebuild, before which nothing else is written. Rejects on the signal.
   */
  prepare(signal: AbortSignal, report: LoopReport): Promise<void>
  /** Runs until the signal; `wait` resolves on a notification or after a while. */
  run(signal: AbortSignal, wait: () => Promise<void>, report: LoopReport): Promise<void>
}

type Job = NonNullable<Awaited<ReturnType<JobQueue['next']>>>

/** Attempts at a job that outages or kills interrupt. */
const MAX_ATTEMPTS = 8

function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error
  const text = name === 'Error' ? message : String(error)
  return cause instanceof Error ? `${text} (${cause.message})` : text
}

interface ProjectionLoopDependencies {
  ledger: FilingLedger
  analytics: Pick<AnalyticsStore, 'isEmpty' | 'isCurrent' | 'isReadable'>
  changes: Pick<ChangeTracker, 'recordExtent'>
  projector: Projector
  signals: ProjectSignals
  notices: Pick<ProjectNotices, 'pending'>
  jobs: JobQueue
  runners: JobRunners
  sets: DataSetRegistry
}

export function makeProjectionLoop({
  ledger,
  analytics,
  changes,
  projector,
  signals,
  notices,
  jobs,
  runners,
  sets,
}: ProjectionLoopDependencies): ProjectionLoop {
  let isCurrent = false
  // New filings come before signals: these are detected for some issuers at a time, and between such rounds new filings
  // are projected.
  const detectSignals = async (signal: AbortSignal, report: LoopReport) => {
    for (let detected = 1; detected > 0 && !signal.aborted;) {
      const projected = await projector.projectPending(undefined, signal)
      if (projected > 0) report.projected(projected)
      detected = await signals.pending((issuer, error) => report.failed(`signals of issuer ${issuer}`, error))
    }
  }
  // Returns whether to continue with the next job: not after a fault that may pass, so that new filings come first.
  const doJob = async (
    { id, kind, args, attempts }: Job,
    signal: AbortSignal,
    report: LoopReport,
  ): Promise<boolean> => {
    const cancellation = watchCancellation(jobs, id)
    const progress: Progress = (...reported) => {
      cancellation.signal.throwIfAborted()
      // The process that gets the lock next begins the job again, on the same tables.
      signal.throwIfAborted()
      void jobs.progress(id, ...reported).catch(() => {})
    }
    try {
      const runner = runners[kind]
      if (!runner) throw new Error('the service does not follow EDGAR')
      if (attempts > MAX_ATTEMPTS)
        throw new Error(`gave up after ${MAX_ATTEMPTS} attempts that did not finish: see the log`)
      // Month files have the signals of the quarters that were just loaded, so these are detected first.
      if (kind === 'exports') await detectSignals(signal, report)
      const result = await runner(progress, args, AbortSignal.any([signal, cancellation.signal]))
      await jobs.finish(id, result)
      report.job(kind, result)
      return true
    } catch (error) {
      // The job may have written rows whose change it did not record.
      changes.recordExtent('everything')
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
  const rebuildFirst = async (signal: AbortSignal, report: LoopReport) => {
    isCurrent = await analytics.isCurrent()
    const job = isCurrent ? null : await jobs.next('rebuild')
    if (job === null) return
    await doJob(job, signal, report)
    isCurrent = await analytics.isCurrent()
  }
  const turn = async (signal: AbortSignal, report: LoopReport) => {
    // Rows of another version are not added to: new filings and other jobs wait for the rebuild.
    if (!isCurrent) await rebuildFirst(signal, report)
    if (!isCurrent) return
    for (let job = await jobs.next(); job && !signal.aborted; job = await jobs.next()) {
      if (!(await doJob(job, signal, report))) break
    }
    // Notices are linked to trades, so the trades come first; between two rounds of links new filings are projected.
    for (let linked = 1; linked > 0 && !signal.aborted;) {
      await detectSignals(signal, report)
      linked = await notices.pending((issuer, error) => report.failed(`notices of issuer ${issuer}`, error))
    }
  }
  return {
    prepare: async (signal, report) => {
      const filling: Progress = (...reported) => {
        signal.throwIfAborted()
        report.filling(...reported)
      }
      // Another process may have written since this one had the lock.
      isCurrent = await analytics.isCurrent()
      const isReadable = isCurrent || (await analytics.isReadable())
      if (!isReadable || ((await analytics.isEmpty()) && (await isRecorded(ledger, sets)))) {
        filling(0, null)
        report.job('rebuild', await runners.rebuild(filling, {}, signal))
        isCurrent = await analytics.isCurrent()
      } else if (isCurrent) await runners.companies(() => {}, {}, signal)
      if (isCurrent) return
      await jobs.queueOnce('rebuild')
      report.upgrading?.()
    },
    run: async (signal, wait, report) => {
      // Before this process had the lock, another one may have written.
      changes.recordExtent('everything')
      while (!signal.aborted) {
        await turn(signal, report).catch((error: unknown) => report.failed('projection', error))
        if (!signal.aborted) await wait()
      }
    },
  }
}
