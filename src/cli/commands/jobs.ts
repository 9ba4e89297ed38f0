// The command jobs: lists the jobs of the service, and cancels one.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { JobQueue, JobState } from '../../application/ports/jobs.ts'
import type { Config } from '../../config.ts'
import { tryAcquire } from '../../infrastructure/postgres/coordination/leader-lock.ts'
import { usageError, type Output } from '../output.ts'
import { paceText, shareOf } from '../progress-text.ts'
import { withLedger } from '../with-database.ts'

export const help = `jobs: list or cancel the work that commands queued for the service, which runs one job at a time

  jobs list         the queued and running jobs, and the last 10 that ended
  jobs cancel ID    cancel a queued or running job; a running one ends at its next step

  What a cancelled job has done stays, as after an interrupted run: the same command continues where it ended; a rebuild
  starts from the beginning, and the tables in use are not affected.`

/** A step lasts at most one statement over a whole quarter, or one download of it. */
const CANCEL_TIMEOUT_MS = 30_000

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
  const states = await jobs.list(10)
  const shown = states.map(({ result: _, ...job }) => job)
  out.result({ jobs: shown }, states.length === 0 ? ['no jobs'] : states.map(jobLine))
}

/** Returns a job as one line. */
export function jobLine(job: JobState): string {
  const { id, kind, status, createdAt, startedAt, finishedAt, attempts, error, pace } = job
  const isFinished = finishedAt !== null
  const begun = startedAt ? `begun ${timeOf(startedAt)}` : `since ${timeOf(createdAt)}`
  const at = isFinished ? `ended ${timeOf(finishedAt)}` : begun
  const share = isFinished || shareOf(job) === status ? '' : ` ${shareOf(job)}`
  const doing = pace === null ? '' : `, ${paceText(pace)}`
  const again = attempts > 1 ? `, begun ${attempts} times` : ''
  return `${id}  ${kind}${aboutOf(job)}  ${status}${share}${doing}, ${at}${again}${error === null ? '' : `: ${error}`}`
}

function aboutOf({ args: { quarters, from, to } }: JobState): string {
  if (Array.isArray(quarters)) return ` ${quarters.length > 1 ? `${quarters[0]}..${quarters.at(-1)}` : quarters[0]}`
  return typeof from === 'string' && typeof to === 'string' ? ` ${from} to ${to}` : ''
}

/** Returns the time to the second. Accepts a time parsed from JSON, which is a string. */
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

/** Returns the job once it has ended, or as it is at the timeout. */
async function ended(jobs: JobQueue, id: number, databaseUrl: string): Promise<JobState> {
  for (const end = performance.now() + CANCEL_TIMEOUT_MS; ; await sleep(500)) {
    const job = (await jobs.state(id))!
    if (job.status !== 'cancelling' || performance.now() > end) return job
    // If the lock to run jobs is free, the process that ran the job has ended.
    const lock = await tryAcquire(databaseUrl)
    if (!lock) continue
    await jobs.cancelled(id)
    await lock.release()
  }
}
