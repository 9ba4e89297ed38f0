// The reader of the log of changes for live streams: all entries for callers after a position, in pages.
import type { LogEntry, LogPage, LogReader } from '../../../application/ports/changes.ts'
import type { LogExtent } from '../../../application/changes/log-position.ts'
import { rows, type Pool } from '../pool.ts'
import { extentOf } from './log-extent.ts'

type Row = Omit<LogEntry, 'seq'> & LogExtent & { seq: number | null }

export class PostgresLogReader implements LogReader {
  readonly #pool: Pool
  readonly #reached: (position: number) => Promise<void>

  /** `reached` delays each page until this process knows the changes up to its end. */
  constructor(pool: Pool, reached: (position: number) => Promise<void> = async () => {}) {
    this.#pool = pool
    this.#reached = reached
  }

  async read(after: number | null, limit: number): Promise<LogPage> {
    const page = await rows<Row>(this.#pool, READ, [after, limit])
    const { last, pruned, isSettled } = page[0]!
    const entries = page.flatMap(({ seq, id, type, issuerCiks, facts, at, data }): LogEntry[] =>
      seq === null ? [] : [{ seq, id, type, issuerCiks, facts, at, data }],
    )
    const end = entries.length < limit ? last : entries.at(-1)!.seq
    await this.#reached(end)
    return { last, pruned, isSettled, entries, end }
  }
}

// One statement, and so one snapshot, which has all entries up to `last`.
const READ = `SELECT ${extentOf('last')}, page.*
  FROM change_position
  LEFT JOIN LATERAL (
    SELECT
      seq, id, type, issuer_ciks AS "issuerCiks", facts,
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at, data
    FROM changes
    WHERE seq > coalesce($1, last)
      AND type IS NOT NULL
    ORDER BY seq
    LIMIT $2) AS page ON true
  ORDER BY seq`
