// Runs work that needs ClickHouse: in this process if no service has the lock, else as a job that is queued for the
// service and followed to its end.
import { setTimeout as sleep } from 'node:timers/promises'
import { watchCancellation } from '../application/shared/job-cancellation.ts'
import type { JobKind, JobQueue, JobState } from '../application/ports/jobs.ts'
import { withAnalyticsLock, WATCH_MS, type AnalyticsServices } from '../service/analytics-access.ts'
import { onInterrupt, untilInterrupted } from './interrupt.ts'
import type { ProgressBar as Bar } from './output.ts'
import { shareOf } from './progress-text.ts'
import type { LedgerContext } from './with-database.ts'
import type { Progress } from '../application/ports/system.ts'

/** Work done by the process that holds the analytics lock. */
export type Work = (services: AnalyticsServices, progress: Progress) => Promise<unknown>

/** Returns the job's result, whichever process ran it. Throws with the reason if it failed or was cancelled. */
export async function runJob(
  at: LedgerContext,
  kind: JobKind,
  work: Work,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const { jobs, out } = at
  const bar = out.progress(kind, 1)
  let result: unknown
  const here = async (services: AnalyticsServices, signal: AbortSignal) => {
    result = await untilInterrupted((interrupted) =>
      work(services, whileHeld(bar, AbortSignal.any([signal, interrupted]))),
    )
  }
  try {
    if (await withAnalyticsLock(at, here, kind === 'rebuild')) return result
    return await followJob(jobs, jobs.queue(kind, args), bar, (id, left) =>
      takeOver(at, { id, kind }, whileHeld(bar, left), work),
    )
  } finally {
    await bar.stop()
  }
}

/**
 * Returns a progress callback that ends the work at the signal: without the lock, another process may do the same
 * work.
 */
function whileHeld(bar: Bar, signal: AbortSignal): Progress {
  return (done, total, pace) => {
    signal.throwIfAborted()
    bar.update(done, total ?? done, pace)
  }
}

/** Runs the job in this process if the service ended before it was done. */
async function takeOver(
  at: LedgerContext,
  { id, kind }: Pick<JobState, 'id' | 'kind'>,
  report: Progress,
  work: Work,
): Promise<void> {
  const { jobs } = at
  await withAnalyticsLock(
    at,
    async (services, lost) => {
      const cancellation = watchCancellation(jobs, id)
      const signal = AbortSignal.any([lost, cancellation.signal])
      try {
        await jobs.finish(
          id,
          await work(services, (...reported) => {
            signal.throwIfAborted()
            report(...reported)
          }),
        )
      } catch (error) {
        if (!cancellation.signal.aborted) throw error
        await jobs.cancelled(id)
      } finally {
        cancellation.stop()
      }
    },
    kind === 'rebuild',
  )
}

/**
 * Shows the progress of a job that is being queued until it is done, and returns its result. If interrupted (Ctrl-C),
 * throws an error that explains that the job continues, how to watch it and how to cancel it. `between` runs before
 * each poll.
 */
export async function followJob(
  jobs: JobQueue,
  queued: Promise<number>,
  bar: Bar,
  between: (id: number, left: AbortSignal) => Promise<void> = async () => {},
): Promise<unknown> {
  const left = new AbortController()
  const leave = (id: number) =>
    left.abort(
      Object.assign(
        new Error(
          `this command was interrupted, and the service ` +
            `continues job ${id}: make jobs shows its progress, make cancel ID=${id} cancels it`,
        ),
        { exitCode: 130 },
      ),
    )
  // Before the number of the job is known, since the service may begin it by then.
  const settled = onInterrupt(() => void queued.then(leave, () => {}))
  try {
    const id = await queued
    for (;;) {
      left.signal.throwIfAborted()
      const job = (await jobs.state(id))!
      if (job.status === 'done') return job.result
      if (job.status === 'failed') throw new Error(`${job.kind} failed: ${job.error}`)
      if (job.status === 'cancelled') throw new Error(`job ${id} (${job.kind}) was cancelled; it can be started again`)
      if (job.status === 'queued') bar.waits(await reasonOf(jobs, job))
      else if (job.total !== null) bar.update(job.done, job.total, job.pace ?? undefined)
      await between(id, left.signal)
      await sleep(WATCH_MS)
    }
  } finally {
    settled()
  }
}

/** Returns what a queued job waits for. */
async function reasonOf(jobs: JobQueue, { id }: JobState): Promise<string> {
  const [first] = await jobs.list(0)
  if (first === undefined || first.id === id) {
    return 'for the service, which projects new filings and detects signals first'
  }
  return `for job ${first.id} (${first.kind}, ${shareOf(first)}), which was queued before it`
}
