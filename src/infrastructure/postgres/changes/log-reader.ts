// The reader of the log of changes for live streams: all entries for callers after a position, in pages.
import type { LogEntry, LogPage, LogReader } from '../../../application/ports/changes.ts'
import type { LogExtent } from '../../../application/changes/log-position.ts'
import { rows, type Pool } from '../pool.ts'
import { extentOf } from './log-extent.ts'

type Row = Omit<LogEntry, 'seq'> & LogExtent & { seq: number | null }

export class PostgresLogReader implements LogReader {
  readonly #pool: Pool
  readonly #reached: (position: number) => Promise<void>

  /** What is read is given once `reached` resolves. */
  constructor(pool: Pool, reached: (position: number) => Promise<void> = async () => {}) {
    this.#pool = pool
    this.#reached = reached
  }

  async read(after: number | null, limit: number): Promise<LogPage> {
    const found = await rows<Row>(this.#pool, READ, [after, limit])
    const { last, pruned, isSettled } = found[0]!
    const entries = found.flatMap(({ last: _, pruned: __, isSettled: ___, seq, ...entry }): LogEntry[] =>
      seq === null ? [] : [{ seq, ...entry }],
    )
    const end = entries.length < limit ? last : entries.at(-1)!.seq
    await this.#reached(end)
    return { last, pruned, isSettled, entries, end }
  }
}

// One statement, so one moment: what is up to `last` is all there.
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
