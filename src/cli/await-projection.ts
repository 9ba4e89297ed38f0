// Waits until all that is recorded is visible: the service does it where one runs; should it end meanwhile, we do.
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer, type Container } from '../container/container.ts'
import { TYPES } from '../container/tokens.ts'
import { withAnalyticsLock, WATCH_MS } from '../service/analytics-access.ts'
import type { Output } from './output.ts'
import type { Ledgered } from './with-database.ts'

/** What is recorded later, say live, is not waited for; signals of what was recorded until now are. */
export async function projectAll(at: Ledgered): Promise<void> {
  const { config, databaseUrl, pool, out } = at
  const container = createContainer({ pool })
  const ledger = container.get(TYPES.ledger)
  const last = await ledger.lastRecorded()
  const total = await ledger.countPending(last)
  const progress = out.progress('projected', total)
  for (let waiting = total; waiting > 0; waiting = await ledger.countPending(last)) {
    progress.update(Math.max(0, total - waiting))
    const work = (held: Container, signal: AbortSignal) =>
      projectHere(held, signal, out, (done) => progress.update(Math.min(done, total)))
    if (!(await withAnalyticsLock(config, databaseUrl, pool, work))) await sleep(WATCH_MS)
  }
  await progress.stop()
  await judgeAll(at)
}

/** Waits until the signals of all issuers that wait now are judged. */
export async function judgeAll({ config, databaseUrl, pool, out }: Ledgered): Promise<void> {
  const queue = createContainer({ pool }).get(TYPES.signalQueue)
  const { issuers: total, version } = await queue.waiting()
  const progress = out.progress('judged issuers', total)
  for (let left = total; left > 0; left = (await queue.waiting(version)).issuers) {
    progress.update(total - left)
    if (!(await withAnalyticsLock(config, databaseUrl, pool, (held) => judgeHere(held, out)))) await sleep(WATCH_MS)
  }
  await progress.stop()
}

async function judgeHere(container: Container, out: Output): Promise<void> {
  const signals = container.get(TYPES.detectSignals)
  const failed = (issuer: string, error: unknown) => out.note(`signals of issuer ${issuer}: ${String(error)}`)
  while ((await signals.pending(failed)) > 0) {
    /* all that wait */
  }
}

async function projectHere(
  container: Container,
  signal: AbortSignal,
  out: Output,
  after: (projected: number) => void,
): Promise<void> {
  const told = (what: string, detail: unknown) => out.note(`${what}: ${JSON.stringify(detail)}`)
  await container
    .get(TYPES.projectionLoop)
    .prepare(signal, { projected: () => {}, filling: () => {}, job: told, failed: told })
  await container.get(TYPES.projector).projectPending(after, signal)
  await judgeHere(container, out)
}
