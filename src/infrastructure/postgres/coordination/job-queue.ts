// The job queue. Commands queue jobs, and the process that holds the lock for writing to ClickHouse runs them, one at a
// time.
import type { JobKind, JobQueue, JobState } from '../../../application/ports/jobs.ts'
import type { Pace } from '../../../application/ports/system.ts'
import { rows, storableText, type Pool } from '../pool.ts'

/** NOTIFY channel: a job was queued. Notifications may be lost; listeners poll as well. */
export const JOBS_CHANNEL = 'jobs'

const COLUMNS = `id, kind, args, status, done, total, pace, result, error, attempts,
  created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`
const UNFINISHED = `status IN ('queued', 'running', 'cancelling')`
/** The order of kinds: month files, which take longest, and sectors last, since nothing depends on them. */
const ORDER = `array_position('{exports,sectors}'::text[], kind) NULLS FIRST`

export class PostgresJobQueue implements JobQueue {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async queue(kind: JobKind, args: Record<string, unknown> = {}): Promise<number> {
    const [job] = await rows<{ id: number }>(this.#pool, 'INSERT INTO jobs (kind, args) VALUES ($1, $2) RETURNING id', [
      kind,
      args,
    ])
    await rows(this.#pool, `NOTIFY ${JOBS_CHANNEL}`)
    return job!.id
  }

  async queueOnce(kind: JobKind): Promise<void> {
    await rows(
      this.#pool,
      `WITH queued AS (
         INSERT INTO jobs (kind, args)
         SELECT $1, '{}'
         WHERE NOT EXISTS (SELECT FROM jobs WHERE kind = $1 AND status IN ('queued', 'running'))
         RETURNING id)
       SELECT pg_notify('${JOBS_CHANNEL}', '') FROM queued`,
      [kind],
    )
  }

  async state(id: number): Promise<JobState | null> {
    const [job] = await rows<JobState>(this.#pool, `SELECT ${COLUMNS} FROM jobs WHERE id = $1`, [id])
    return job ?? null
  }

  async list(finished: number): Promise<JobState[]> {
    const unfinished = await rows<JobState>(
      this.#pool,
      `SELECT ${COLUMNS}
       FROM jobs
       WHERE ${UNFINISHED}
       ORDER BY status = 'queued', ${ORDER}, id`,
    )
    const newestFinished = await rows<JobState>(
      this.#pool,
      `SELECT ${COLUMNS}
       FROM jobs
       WHERE NOT ${UNFINISHED}
       ORDER BY id DESC
       LIMIT $1`,
      [finished],
    )
    return [...unfinished, ...newestFinished]
  }

  async cancel(id: number): Promise<'cancelled' | 'cancelling' | null> {
    const [job] = await rows<{ status: 'cancelled' | 'cancelling' }>(
      this.#pool,
      `UPDATE jobs
       SET status = CASE status WHEN 'queued' THEN 'cancelled' ELSE 'cancelling' END,
         finished_at = CASE status WHEN 'queued' THEN now() END
       WHERE id = $1
         AND ${UNFINISHED}
       RETURNING status`,
      [id],
    )
    await rows(this.#pool, `NOTIFY ${JOBS_CHANNEL}`)
    return job?.status ?? null
  }

  /** Ends all cancelled jobs if `id` is null. */
  async cancelled(id: number | null): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE jobs
       SET status = 'cancelled', pace = NULL, finished_at = now()
       WHERE status = 'cancelling'
         AND ($1::bigint IS NULL OR id = $1)`,
      [id],
    )
  }

  // Only the holder of the lock calls this, so a job that is `running` was interrupted. It is ended if it was
  // cancelled, and otherwise run again, each time after twice the delay.
  async next(kind?: JobKind): Promise<JobState | null> {
    await this.cancelled(null)
    const [job] = await rows<JobState>(
      this.#pool,
      `UPDATE jobs
       SET status = 'running', started_at = now(), done = 0, pace = NULL, attempts = attempts + 1
       WHERE id = (
         SELECT id FROM jobs
         WHERE (status = 'queued'
             OR status = 'running' AND started_at <= now() - make_interval(secs => power(2, attempts)))
           AND kind = coalesce($1, kind)
         ORDER BY ${ORDER}, id
         LIMIT 1)
         AND status IN ('queued', 'running')
       RETURNING ${COLUMNS}`,
      [kind ?? null],
    )
    return job ?? null
  }

  async leave(id: number): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE jobs
       SET status = 'queued', attempts = attempts - 1, pace = NULL
       WHERE id = $1
         AND status = 'running'`,
      [id],
    )
  }

  async progress(id: number, done: number, total: number | null, pace?: Pace): Promise<void> {
    await rows(this.#pool, 'UPDATE jobs SET done = $2, total = $3, pace = $4 WHERE id = $1', [
      ...[id, done, total],
      pace ?? null,
    ])
  }

  async finish(id: number, result: unknown): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE jobs
       SET status = 'done', result = $2, pace = NULL, finished_at = now()
       WHERE id = $1`,
      [id, result],
    )
  }

  async fail(id: number, reason: string): Promise<void> {
    await rows(
      this.#pool,
      `UPDATE jobs
       SET status = 'failed', error = $2, pace = NULL, finished_at = now()
       WHERE id = $1`,
      [id, storableText(reason)],
    )
  }
}
