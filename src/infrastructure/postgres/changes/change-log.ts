// The log of changes in PostgreSQL: what became visible in ClickHouse, numbered in the order of commits.
import type { ChangeLog, ReportedChange } from '../../../application/ports/changes.ts'
import { NOTHING_TOUCHED, type Extent } from '../../../application/changes/change-tracker.ts'
import type { Cik } from '../../../domain/shared/identifiers.ts'
import { rows, type Pool } from '../pool.ts'
import { ANNOUNCE, entriesJson, logging } from './log-statement.ts'

/** More numbers than the database can lose. The entry after the jump takes one more. */
const CRASH_JUMP = 2 ** 20 - 1

export class PostgresChangeLog implements ChangeLog {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async append(extent: Extent): Promise<void> {
    await rows(this.#pool, `WITH ${logging('$1')} ${ANNOUNCE}`, [entriesJson([], extent)])
  }

  // Skips numbers, because the database may have lost the last entries, as where a replica that was behind took its
  // place: a reader that has seen entry 8 must not get another change with the same number.
  async takeOver(): Promise<Cik[]> {
    const [position] = await rows<{ owed: ReportedChange[] | null; issuers: Cik[] }>(
      this.#pool,
      `UPDATE change_position
       SET last = last + $1, began_at = clock_timestamp()
       RETURNING owed, ARRAY(
         SELECT issuer_cik FROM signal_queue
         UNION
         SELECT issuer_cik FROM filings WHERE pending AND issuer_cik IS NOT NULL) AS issuers`,
      [CRASH_JUMP],
    )
    const { owed: pending, issuers } = position!
    await rows(this.#pool, FLUSH, [entriesJson(pending ?? [], 'everything')])
    return issuers
  }

  async recordPending(reported: ReportedChange[]): Promise<void> {
    await rows(this.#pool, 'UPDATE change_position SET owed = $1', [JSON.stringify(reported)])
  }

  async flushPending(hasChanged: boolean): Promise<void> {
    const [position] = await rows<{ owed: ReportedChange[] | null }>(this.#pool, 'SELECT owed FROM change_position')
    if (hasChanged) await rows(this.#pool, FLUSH, [entriesJson(position!.owed ?? [], NOTHING_TOUCHED)])
    else await rows(this.#pool, 'UPDATE change_position SET owed = NULL')
  }

  async prune(days: number): Promise<void> {
    await rows(
      this.#pool,
      `WITH pruned AS (DELETE FROM changes WHERE at < now() - make_interval(days => $1) RETURNING seq)
       UPDATE change_position SET pruned_to = greatest(pruned_to, (SELECT max(seq) FROM pruned))
       WHERE EXISTS (SELECT FROM pruned)`,
      [days],
    )
  }
}

const FLUSH = `WITH ${logging('$1', undefined, ', owed = NULL')} ${ANNOUNCE}`
