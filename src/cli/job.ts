// Work that needs ClickHouse: done here where no service has it open, else queued for the service and watched.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobKind, Jobs, Progress } from '../application/ports.ts'
import { ledgerContainer, the, type Container } from '../container.ts'
import { holdStore } from './holding.ts'
import type { Ledgered } from './with-ledger.ts'

/** Done with the store held by this process. */
export type Work = (container: Container, progress: Progress) => Promise<unknown>

/** The job's result, by whomever it was done. Throws with the reason where it failed. */
export async function runJob(at: Ledgered, kind: JobKind, work: Work): Promise<unknown> {
  const { config, databaseUrl, pool, out } = at
  const progress = out.progress(kind, 1)
  const tell: Progress = (done, total) => progress.update(done, total ?? done)
  try {
    const holding = await holdStore(config, databaseUrl, pool, 0)
    if (!holding) return await throughService(at, kind, work, tell)
    try {
      return await work(holding.container, tell)
    } finally {
      await holding.close()
    }
  } finally {
    await progress.stop()
  }
}

async function throughService({ config, databaseUrl, pool }: Ledgered, kind: JobKind, work: Work, tell: Progress): Promise<unknown> {
  const jobs: Jobs = ledgerContainer(pool).get(the.jobs)
  const id = await jobs.queue(kind)
  for (;;) {
    const job = (await jobs.state(id))!
    if (job.status === 'done') return job.result
    if (job.status === 'failed') throw new Error(`${kind} failed: ${job.error}`)
    if (job.total !== null) tell(job.done, job.total)
    // Should the service end before it is done, the work is ours.
    const holding = await holdStore(config, databaseUrl, pool, 0)
    if (holding) {
      try {
        const result = await work(holding.container, tell)
        await jobs.finish(id, result)
        return result
      } finally {
        await holding.close()
      }
    }
    await sleep(100)
  }
}
