// The state of ingestion, read from PostgreSQL: jobs, EDGAR, queued work. Part of make status; with Docker a command of
// its own, which status runs in a container.
import type { JobState } from '../../application/ports/jobs.ts'
import type { Config } from '../../config.ts'
import {
  databaseVersions,
  edgarContact,
  type EdgarContact,
} from '../../infrastructure/postgres/filings/edgar-contact.ts'
import { backlog, ingestionLag } from '../../infrastructure/postgres/filings/ingestion-stats.ts'
import { PostgresJobQueue } from '../../infrastructure/postgres/coordination/job-queue.ts'
import { openPool, type Pool } from '../../infrastructure/postgres/pool.ts'
import { serviceVersion } from '../../service/version.ts'
import { jobLine, timeOf } from '../commands/jobs.ts'
import type { Output } from '../output.ts'
import { withLedger } from '../with-database.ts'

export const help = `ingestion: show jobs, EDGAR and queued work; make status includes it`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'ingestion', async ({ pool }) => {
    const state = await read(pool)
    out.result(
      { ...state, version: serviceVersion() },
      ingestionLines(state).map(([what, text]) => `${what.padEnd(9)} ${text}`),
    )
  })
}

export interface IngestionState {
  edgar: EdgarContact
  /** Seconds from acceptance to visible, over the newest live filings; null if there are none yet. */
  lagSeconds: { p50: number; p95: number } | null
  waiting: { fetch: number; projection: number; rejected: number }
  /** Jobs that are queued or running. */
  jobs: JobState[]
  database: { postgres: string; schema: string }
}

/** Returns null if PostgreSQL can't be read within seconds. */
export async function ingestionState(databaseUrl: string): Promise<IngestionState | null> {
  const pool = openPool({ url: databaseUrl, name: 'status', max: 1, limits: 'callers' })
  try {
    return await read(pool)
  } catch {
    return null
  } finally {
    await pool.end()
  }
}

async function read(pool: Pool): Promise<IngestionState> {
  const { waitingFetches, pending, rejected } = await backlog(pool)
  return {
    edgar: await edgarContact(pool),
    lagSeconds: (await ingestionLag(pool)).acceptedToVisible,
    waiting: { fetch: waitingFetches, projection: pending, rejected },
    jobs: await new PostgresJobQueue(pool).list(0),
    database: await databaseVersions(pool),
  }
}

/** Returns the lines of status, each as label and text. */
export function ingestionLines(state: IngestionState | null): [what: string, text: string][] {
  if (state === null) return [['record', "can't be read now: the state of EDGAR and jobs is unknown"]]
  const {
    lagSeconds,
    waiting: { fetch, projection, rejected },
    jobs,
  } = state
  const lag =
    lagSeconds === null
      ? 'no live filing received yet'
      : `${lagSeconds.p50.toFixed(1)} s from acceptance to visible, ${lagSeconds.p95.toFixed(1)} s for 95 of 100`
  return [
    ['edgar', edgarText(state.edgar)],
    ['lag', `${lag}; ${fetch} to fetch, ${projection} to project, ${rejected} rejected`],
    ...jobs.map((job): [string, string] => ['job', jobLine(job)]),
    ...(jobs.length === 0 ? [['jobs', 'none'] as [string, string]] : []),
  ]
}

function edgarText({ followed, answeredAt, fault }: EdgarContact): string {
  if (!followed) return "not followed: make up EDGAR_USER_AGENT='Your Name you@example.com'"
  if (answeredAt === null) return `followed, has not answered yet${fault === null ? '' : `: ${fault}`}`
  return `followed, answered ${timeOf(answeredAt)}${fault === null ? '' : `, and has failed since then: ${fault}`}`
}
