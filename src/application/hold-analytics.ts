// What the one process that may write the analytics store does all day: queued jobs, then whatever is recorded and not
// projected, then wait for a hint or a second to pass.
import { ServiceError } from './errors.ts'
import type { DetectSignals } from './detect-signals.ts'
import type { Jobs, JobKind, Ledger, Progress } from './ports.ts'
import type { SetLedger } from './set-ports.ts'
import type { Projector } from './project-filings.ts'
import type { RememberedAnalytics } from './remembered-analytics.ts'

/** `catch-up` is there only where EDGAR is followed. */
export type JobRunners = Record<Exclude<JobKind, 'catch-up'>, Runner> & { 'catch-up'?: Runner }
export type Runner = (progress: Progress, args: Record<string, unknown>) => Promise<unknown>

export interface HolderReport {
  projected(filings: number): void
  job(kind: JobKind, result: unknown): void
  failed(what: string, error: unknown): void
}

export interface HoldAnalytics {
  /** Before the first question is answered: an emptied store is filled again, a company list half loaded is finished. */
  prepare(report: HolderReport): Promise<void>
  /** Until the signal; `wait` resolves on a hint or after a while. */
  run(signal: AbortSignal, wait: () => Promise<void>, report: HolderReport): Promise<void>
}

export function holdAnalytics(
  ledger: Ledger, analytics: RememberedAnalytics, projector: Projector, signals: DetectSignals, jobs: Jobs,
  runners: JobRunners, sets: SetLedger,
): HoldAnalytics {
  const turn = async (signal: AbortSignal, report: HolderReport) => {
    for (let job = await jobs.next(); job && !signal.aborted; job = await jobs.next()) {
      const { id, kind, args } = job
      try {
        const runner = runners[kind]
        if (!runner) throw new Error('the service does not follow EDGAR')
        const result = await runner((done, total) => void jobs.progress(id, done, total).catch(() => {}), args)
        await jobs.finish(id, result)
        report.job(kind, result)
      } catch (error) {
        if (error instanceof ServiceError) throw error
        await jobs.fail(id, String(error))
        report.failed(kind, error)
      }
    }
    // What is visible comes first: signals are judged a hundred issuers at a time, and between them whatever came in is projected.
    for (let judged = 1; judged > 0 && !signal.aborted;) {
      const projected = await projector.projectPending(undefined, signal)
      if (projected > 0) report.projected(projected)
      judged = await signals.pending((issuer, error) => report.failed(`signals of issuer ${issuer}`, error))
    }
  }
  return {
    prepare: async (report) => {
      // The ledger is counted only then: that takes a second at millions of filings.
      const recorded = async () => (await ledger.counts()).projected > 0 || (await sets.sets()).some(({ status }) => status === 'loaded')
      if (await analytics.isEmpty() && await recorded()) report.job('rebuild', await runners.rebuild(() => {}, {}))
      else await runners.companies(() => {}, {})
    },
    run: async (signal, wait, report) => {
      // Before it was given the right to write, another process may have had it.
      analytics.forget()
      while (!signal.aborted) {
        await turn(signal, report).catch((error: unknown) => report.failed('projection', error))
        if (!signal.aborted) await wait()
      }
    },
  }
}
