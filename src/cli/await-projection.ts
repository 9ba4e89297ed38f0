// Waits until all recorded filings are visible. A running service projects them; if none runs, or it ends, this process
// projects them itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { withAnalyticsLock, WATCH_MS, type AnalyticsServices } from '../service/analytics-access.ts'
import type { Output, ProgressBar } from './output.ts'
import type { LedgerContext } from './with-database.ts'

/** Waits for the filings recorded so far and their signals, not for filings that arrive later. */
export async function projectAll(at: LedgerContext): Promise<void> {
  const { ledger, out } = at
  const last = await ledger.lastRecorded()
  await repeatUntilDone(
    out,
    'projected',
    () => ledger.countPending(last),
    async (progress, total) => {
      const work = (services: AnalyticsServices, signal: AbortSignal) =>
        projectHere(services, signal, out, (done) => progress.update(Math.min(done, total)))
      if (!(await withAnalyticsLock(at, work))) await sleep(WATCH_MS)
    },
  )
  await detectAllSignals(at)
  await linkAllNotices(at)
}

/** Waits until signals are detected for all issuers queued now. */
export async function detectAllSignals(at: LedgerContext): Promise<void> {
  const { signalQueue, out } = at
  const { version } = await signalQueue.waiting()
  const countWaiting = async () => (await signalQueue.waiting(version)).issuers
  await repeatUntilDone(out, 'issuers checked for signals', countWaiting, async () => {
    if (!(await withAnalyticsLock(at, (services) => detectHere(services, out)))) await sleep(WATCH_MS)
  })
}

/** Waits until the notices of all issuers queued now are linked to sales. */
async function linkAllNotices(at: LedgerContext): Promise<void> {
  const { noticeLedger, out } = at
  const work = async ({ projectNotices }: AnalyticsServices) => {
    const failed = (issuer: string, error: unknown) =>
      out.note(`linking the notices of issuer ${issuer} failed: ${String(error)}`)
    while ((await projectNotices.pending(failed)) > 0) {
      /* until none wait */
    }
  }
  await repeatUntilDone(
    out,
    'issuers checked for notices',
    () => noticeLedger.countWaiting(),
    async () => {
      if (!(await withAnalyticsLock(at, work))) await sleep(WATCH_MS)
    },
  )
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

async function detectHere({ detectSignals }: AnalyticsServices, out: Output): Promise<void> {
  const failed = (issuer: string, error: unknown) =>
    out.note(`detecting the signals of issuer ${issuer} failed: ${String(error)}`)
  while ((await detectSignals.pending(failed)) > 0) {
    /* until none wait */
  }
}

async function projectHere(
  services: AnalyticsServices,
  signal: AbortSignal,
  out: Output,
  after: (projected: number) => void,
): Promise<void> {
  const note = (what: string, detail: unknown) => out.note(`${what}: ${JSON.stringify(detail)}`)
  const report = { projected: () => {}, filling: () => {}, job: note, failed: note }
  await services.projectionLoop.prepare(signal, report)
  await services.projector.projectPending(after, signal)
  await detectHere(services, out)
}
