// Jobs of the service for the operator: what waits and runs, and an end to it.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { JobQueue, JobState } from '../../application/ports/jobs.ts'
import type { Config } from '../../config.ts'
import { tryAcquire } from '../../infrastructure/postgres/coordination/leader-lock.ts'
import { shareOf } from '../run-or-queue.ts'
import { usageError, type Output } from '../output.ts'
import { withLedger } from '../with-database.ts'

export const help = `jobs: work that commands have handed to the service, one job after the other

  jobs list         those that wait or run, and the last 10 that ended
  jobs cancel ID    end one, queued or running; one that runs ends at its next step

  What a cancelled job has done stays, as after a run that was cut short: the same command begins where it ended, or a
  rebuild from the start while the tables in use stay as they are.`

/** A step takes as long as a statement over a whole quarter or the fetching of one. */
const PATIENCE_MS = 30_000

export async function run(config: Config, [action = '', ...args]: string[], out: Output): Promise<void> {
  const {
    positionals: [id, ...more],
  } = parseArgs({ args, allowPositionals: true })
  if (action === 'list' && id === undefined) {
    return withLedger(config, out, 'jobs', ({ jobs }) => list(jobs, out))
  }
  if (action !== 'cancel') throw usageError(`jobs takes list or cancel, not "${action}"`)
  if (more.length > 0 || !/^[1-9]\d{0,14}$/.test(id ?? '')) {
    throw usageError('cancel needs the number of a job: make jobs lists them')
  }
  await withLedger(config, out, 'jobs', ({ jobs, databaseUrl }) => cancel(jobs, Number(id), databaseUrl, out))
}

async function list(jobs: JobQueue, out: Output): Promise<void> {
  const found = await jobs.list(10)
  const shown = found.map(({ result: _, ...job }) => job)
  out.result({ jobs: shown }, found.length === 0 ? ['no jobs'] : found.map(jobLine))
}

/** Returns a job in one line. */
export function jobLine(job: JobState): string {
  const { id, kind, status, createdAt, startedAt, finishedAt, attempts, error } = job
  const isFinished = finishedAt !== null
  const begun = startedAt ? `begun ${timeOf(startedAt)}` : `asked for ${timeOf(createdAt)}`
  const at = isFinished ? `ended ${timeOf(finishedAt)}` : begun
  const share = isFinished || shareOf(job) === status ? '' : ` ${shareOf(job)}`
  const again = attempts > 1 ? `, begun ${attempts} times` : ''
  return `${id}  ${kind}${aboutOf(job)}  ${status}${share}, ${at}${again}${error === null ? '' : `: ${error}`}`
}

function aboutOf({ args: { quarters, from, to } }: JobState): string {
  if (Array.isArray(quarters)) return ` ${quarters.length > 1 ? `${quarters[0]}..${quarters.at(-1)}` : quarters[0]}`
  return from === undefined ? '' : ` ${String(from)} to ${String(to)}`
}

/** Returns the second, also of a time that came as JSON. */
export const timeOf = (date: Date): string => `${new Date(date).toISOString().slice(0, 19)}Z`

async function cancel(jobs: JobQueue, id: number, databaseUrl: string, out: Output): Promise<void> {
  const before = await jobs.state(id)
  if (before === null) throw new Error(`there is no job ${id}: make jobs lists them`)
  if ((await jobs.cancel(id)) === null)
    throw new Error(`job ${id} has ended already: ${(await jobs.state(id))!.status}`)
  const { status, kind } = await ended(jobs, id, databaseUrl)
  if (status === 'done' || status === 'failed')
    throw new Error(`job ${id} ended before it could be cancelled: ${status}`)
  out.result({ id, kind, status }, [
    status === 'cancelled'
      ? `cancelled job ${id} (${kind})`
      : `job ${id} (${kind}) ends at its next step: make jobs shows when it has`,
  ])
}

/** Returns the job once it has ended, or as it is when our patience is over. */
async function ended(jobs: JobQueue, id: number, databaseUrl: string): Promise<JobState> {
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(500)) {
    const job = (await jobs.state(id))!
    if (job.status !== 'cancelling' || performance.now() > end) return job
    // The process that ran it has ended: the lock to run jobs is free.
    const right = await tryAcquire(databaseUrl)
    if (!right) continue
    await jobs.cancelled(id)
    await right.release()
  }
}
