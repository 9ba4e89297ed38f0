// Reads a newest-first list through a time window that widens until the page is full. Without a lower bound, ClickHouse
// would prepare to read the whole list before the cursor.
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'

const DAY = 86_400
const WIDER = [1, 16, 256]

/**
 * Returns the first `limit` rows at or before `anchor` (seconds since 1970), from the `days` before it if they have as
 * many. `read` gets the oldest instant to include, or undefined for no bound. Without an anchor there is no window.
 */
export async function throughWindow<T>(
  anchor: number | null,
  days: number,
  limit: number,
  read: (from?: number) => Promise<T[]>,
): Promise<T[]> {
  if (anchor === null) return read()
  for (const times of WIDER) {
    const rows = await read(Math.max(0, anchor - days * times * DAY))
    if (rows.length >= limit) return rows
  }
  return read()
}

/** In a table of at most so many rows, one read without a bound is faster than several with one. */
const SMALL = 150_000
const RECHECK_MS = 60_000

/** Returns a function that tells whether the table is too small for a window to pay off. */
export function smallTable(store: ClickHouse, table: Sql): () => Promise<boolean> {
  let checkedAt = Number.NEGATIVE_INFINITY
  let small = true
  return async () => {
    if (performance.now() - checkedAt < RECHECK_MS) return small
    checkedAt = performance.now()
    try {
      const [{ n } = { n: 0 }] = await store.rows<{ n: number }>(sql`SELECT count() AS n FROM ${table}`)
      small = n <= SMALL
    } catch (error) {
      // The next request counts again, or a large table could pass as small until the next check.
      checkedAt = Number.NEGATIVE_INFINITY
      throw error
    }
    return small
  }
}
