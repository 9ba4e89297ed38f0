// Work that needs ClickHouse: done here where no service has it open, else queued for the service and watched.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobKind, Progress } from '../application/ports.ts'
import { ledgerContainer, the, type Container } from '../container.ts'
import { asHolder, WATCH_MS } from './holding.ts'
import type { Ledgered } from './with-ledger.ts'

/** Done with the store held by this process. */
export type Work = (container: Container, progress: Progress) => Promise<unknown>

/** The job's result, by whomever it was done. Throws with the reason where it failed. */
export async function runJob(at: Ledgered, kind: JobKind, work: Work, args: Record<string, unknown> = {}): Promise<unknown> {
  const { config, databaseUrl, pool, out } = at
  const progress = out.progress(kind, 1)
  const tell: Progress = (done, total) => progress.update(done, total ?? done)
  let result: unknown
  const here = async (container: Container, signal: AbortSignal) => { result = await work(container, whileHeld(signal, tell)) }
  try {
    if (!await asHolder(config, databaseUrl, pool, here)) result = await throughService(at, kind, args, work, tell)
    return result
  } finally {
    await progress.stop()
  }
}

/** Ends the work where the right is lost: another process may have begun the same. */
function whileHeld(signal: AbortSignal, tell: Progress): Progress {
  return (done, total) => {
    signal.throwIfAborted()
    tell(done, total)
  }
}

async function throughService(
  { config, databaseUrl, pool }: Ledgered, kind: JobKind, args: Record<string, unknown>, work: Work, tell: Progress,
): Promise<unknown> {
  const jobs = ledgerContainer(pool).get(the.jobs)
  const id = await jobs.queue(kind, args)
  for (;;) {
    const job = (await jobs.state(id))!
    if (job.status === 'done') return job.result
    if (job.status === 'failed') throw new Error(`${kind} failed: ${job.error}`)
    if (job.total !== null) tell(job.done, job.total)
    // Should the service end before it is done, the work is ours.
    await asHolder(config, databaseUrl, pool, async (container, signal) =>
      jobs.finish(id, await work(container, whileHeld(signal, tell))))
    await sleep(WATCH_MS)
  }
}
