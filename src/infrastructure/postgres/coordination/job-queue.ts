// Work for whoever holds ClickHouse, asked for by a command that can't open it. The holder runs one job at a time.
import type { JobKind, Jobs, JobState } from '../../../application/ports/jobs.ts'
import { rows, storableText, type Pool } from '../pool.ts'

/** NOTIFY channel: a job was queued. A hint only. */
export const JOBS_CHANNEL = 'jobs'

const COLUMNS = `id, kind, args, status, done, total, result, error, attempts,
  created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`
const UNFINISHED = `status IN ('queued', 'running', 'cancelling')`

export function openJobs(pool: Pool): Jobs {
  return {
    queue: async (kind: JobKind, args = {}) => {
      const [job] = await rows<{ id: number }>(pool, 'INSERT INTO jobs (kind, args) VALUES ($1, $2) RETURNING id', [
        kind,
        args,
      ])
      await rows(pool, `NOTIFY ${JOBS_CHANNEL}`)
      return job!.id
    },
    queueOnce: async (kind) => {
      await rows(
        pool,
        `WITH queued AS (INSERT INTO jobs (kind, args) SELECT $1, '{}' WHERE NOT EXISTS (
          SELECT FROM jobs WHERE kind = $1 AND status IN ('queued', 'running')) RETURNING id)
        SELECT pg_notify('${JOBS_CHANNEL}', '') FROM queued`,
        [kind],
      )
    },
    state: async (id) => (await rows<JobState>(pool, `SELECT ${COLUMNS} FROM jobs WHERE id = $1`, [id]))[0] ?? null,
    list: async (finished) => [
      ...(await rows<JobState>(
        pool,
        `SELECT ${COLUMNS} FROM jobs WHERE ${UNFINISHED}
        ORDER BY status = 'queued', kind = 'sectors', id`,
      )),
      ...(await rows<JobState>(pool, `SELECT ${COLUMNS} FROM jobs WHERE NOT ${UNFINISHED} ORDER BY id DESC LIMIT $1`, [
        finished,
      ])),
    ],
    cancel: async (id) => {
      const [job] = await rows<{ status: 'cancelled' | 'cancelling' }>(
        pool,
        `UPDATE jobs
        SET status = CASE status WHEN 'queued' THEN 'cancelled' ELSE 'cancelling' END,
          finished_at = CASE status WHEN 'queued' THEN now() END
        WHERE id = $1 AND ${UNFINISHED} RETURNING status`,
        [id],
      )
      await rows(pool, `NOTIFY ${JOBS_CHANNEL}`)
      return job?.status ?? null
    },
    cancelled: (id) => endCancelled(pool, id),
    // The one holder asks, so nothing else can be running: a job found so was cut short and is run again, each time after
    // twice as long, or ended where it was cancelled. What is merely good to know comes last.
    next: async () => {
      await endCancelled(pool, null)
      return (
        (
          await rows<JobState>(
            pool,
            `UPDATE jobs
        SET status = 'running', started_at = now(), done = 0, attempts = attempts + 1
        WHERE id = (SELECT id FROM jobs WHERE status = 'queued'
          OR status = 'running' AND started_at <= now() - make_interval(secs => power(2, attempts))
          ORDER BY kind = 'sectors', id LIMIT 1)
          AND status IN ('queued', 'running')
        RETURNING ${COLUMNS}`,
          )
        )[0] ?? null
      )
    },
    leave: async (id) => {
      await rows(
        pool,
        `UPDATE jobs SET status = 'queued', attempts = attempts - 1 WHERE id = $1 AND status = 'running'`,
        [id],
      )
    },
    progress: async (id, done, total) => {
      await rows(pool, 'UPDATE jobs SET done = $2, total = $3 WHERE id = $1', [id, done, total])
    },
    finish: async (id, result) => {
      await rows(pool, `UPDATE jobs SET status = 'done', result = $2, finished_at = now() WHERE id = $1`, [id, result])
    },
    fail: async (id, reason) => {
      await rows(pool, `UPDATE jobs SET status = 'failed', error = $2, finished_at = now() WHERE id = $1`, [
        id,
        storableText(reason),
      ])
    },
  }
}

/** One, or all where `id` is null. */
async function endCancelled(pool: Pool, id: number | null): Promise<void> {
  await rows(
    pool,
    `UPDATE jobs SET status = 'cancelled', finished_at = now()
    WHERE status = 'cancelling' AND ($1::bigint IS NULL OR id = $1)`,
    [id],
  )
}
