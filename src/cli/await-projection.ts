// Waits until all recorded filings are visible. A running service projects them; if none runs, or it ends, this process
// projects them itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { withAnalyticsLock, WATCH_MS, type AnalyticsServices } from '../service/analytics-access.ts'
import type { Output, ProgressBar } from './output.ts'
import type { LedgerContext } from './with-database.ts'

/** Waits for the filings recorded so far and their signals, not for filings that arrive later. */
export async function projectAll(at: LedgerContext): Promise<void> {
  const { ledger, noticeLedger, out } = at
  const last = await ledger.lastRecorded()
  await serviceOrHere(
    at,
    'projected',
    () => ledger.countPending(last),
    async (services, signal, report) => {
      const note = (what: string, detail: unknown) => out.note(`${what}: ${JSON.stringify(detail)}`)
      await services.projectionLoop.prepare(signal, { projected: () => {}, filling: () => {}, job: note, failed: note })
      await services.projector.projectPending(report, signal)
      await detectHere(services, out)
    },
  )
  await detectAllSignals(at)
  await serviceOrHere(
    at,
    'issuers checked for notices',
    () => noticeLedger.countWaiting(),
    ({ projectNotices }) => drain(projectNotices, 'linking the notices', out),
  )
}

/** Waits until signals are detected for all issuers queued now. */
export async function detectAllSignals(at: LedgerContext): Promise<void> {
  const { signalQueue, out } = at
  const { version } = await signalQueue.waiting()
  const countWaiting = async () => (await signalQueue.waiting(version)).issuers
  await serviceOrHere(at, 'issuers checked for signals', countWaiting, (services) => detectHere(services, out))
}

/** Waits until `countLeft` returns 0: a service does the work, or this process does where none has the lock. */
async function serviceOrHere(
  at: LedgerContext,
  what: string,
  countLeft: () => Promise<number>,
  work: (services: AnalyticsServices, signal: AbortSignal, report: (done: number) => void) => Promise<void>,
): Promise<void> {
  await repeatUntilDone(at.out, what, countLeft, async (progress, total) => {
    const report = (done: number) => progress.update(Math.min(done, total))
    if (!(await withAnalyticsLock(at, (services, signal) => work(services, signal, report)))) await sleep(WATCH_MS)
  })
}

/** Repeats `step` until `countLeft` returns 0, and shows the progress. */
export async function repeatUntilDone(
  out: Output,
  what: string,
  countLeft: () => Promise<number>,
  step: (progress: ProgressBar, total: number) => Promise<void>,
): Promise<void> {
  const total = await countLeft()
  const progress = out.progress(what, total)
  for (let left = total; left > 0; left = await countLeft()) {
    progress.update(Math.max(0, total - left))
    await step(progress, total)
  }
  await progress.stop()
}

const detectHere = ({ detectSignals }: AnalyticsServices, out: Output): Promise<void> =>
  drain(detectSignals, 'detecting the signals', out)

/** Processes the issuers of a queue until none wait. */
async function drain(
  queue: { pending(failed: (issuer: string, error: unknown) => void): Promise<number> },
  what: string,
  out: Output,
): Promise<void> {
  const failed = (issuer: string, error: unknown) => out.note(`${what} of issuer ${issuer} failed: ${String(error)}`)
  while ((await queue.pending(failed)) > 0) {
    /* until none wait */
  }
}
