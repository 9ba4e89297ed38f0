// The log of changes in PostgreSQL: what became visible in ClickHouse, numbered in the order of commits.
import type { Change } from '../../../application/changes/change-tracker.ts'
import type { ChangeLog } from '../../../application/ports/analytics.ts'
import { rows, type Pool } from '../pool.ts'

export const CHANGE_TABLES = ['change_position', 'changes']
/** NOTIFY channel: something was added to the log. */
export const CHANGES_CHANNEL = 'changes'

/**
 * Returns CTEs that add the scope in `parameter` to the log, nothing where it is null. The statement must read from
 * `announced`, which wakes the readers when it commits.
 */
export const logging = (parameter: string): string => `moved AS (
    UPDATE change_position SET last = last + 1
    WHERE ${parameter}::jsonb IS NOT NULL
    RETURNING last
  ), logged AS (
    INSERT INTO changes (seq, scope)
    SELECT last, ${parameter}::jsonb FROM moved
    RETURNING seq
  ), announced AS (
    SELECT pg_notify('${CHANGES_CHANNEL}', '') FROM logged
  )`

/** The end of a statement with `logging` that is a UNION with others: wakes the readers. */
export const ANNOUNCED = 'SELECT pg_notify FROM announced'

/** Returns the scope as the log holds it; null where nothing was touched. */
export function scopeJson({ parts, feed }: Change): string | null {
  const scope = { parts: [...parts], feed: [...new Set(feed)] }
  return scope.parts.length === 0 && scope.feed.length === 0 ? null : JSON.stringify(scope)
}

/** How long entries are kept; a reader that was away longer starts again. */
const KEPT_DAYS = 7

export class PostgresChangeLog implements ChangeLog {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async appendEverything(): Promise<void> {
    await rows(this.#pool, `WITH ${logging('$1')} SELECT FROM announced`, ['{}'])
  }

  /**
   * Skips numbers, because a crash of the database may have lost the last entries: a reader that saw number 8 before
   * must not take another change for it. The entry added counts as a change of everything.
   */
  async takeOver(): Promise<void> {
    await rows(
      this.#pool,
      `WITH jumped AS (UPDATE change_position SET last = last + $1 RETURNING last),
         logged AS (INSERT INTO changes (seq, scope) SELECT last, '{}' FROM jumped RETURNING seq)
       SELECT pg_notify('${CHANGES_CHANNEL}', '') FROM logged`,
      [2 ** 20],
    )
  }

  async prune(): Promise<void> {
    await rows(
      this.#pool,
      `WITH pruned AS (DELETE FROM changes WHERE at < now() - make_interval(days => $1) RETURNING seq)
       UPDATE change_position SET pruned_to = greatest(pruned_to, (SELECT max(seq) FROM pruned))
       WHERE EXISTS (SELECT FROM pruned)`,
      [KEPT_DAYS],
    )
  }
}
