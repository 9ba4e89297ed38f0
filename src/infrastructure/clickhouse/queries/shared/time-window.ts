// Reads a newest-first list through a time window that widens until the page is full: without a bound the engine
// prepares every mark before the cursor, of which 4,000 cost as much again as the page.
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'

const DAY = 86_400
const WIDER = [1, 16, 256]

/**
 * Returns the first `wanted` rows at or before `anchor` (seconds since 1970), searching `days` before it first.
 * `read` gets the oldest instant to include, or null for no bound. Without an anchor there is no window.
 */
export async function throughWindow<T>(
  anchor: number | null,
  days: number,
  wanted: number,
  read: (oldest: Date | null) => Promise<T[]>,
): Promise<T[]> {
  if (anchor === null) return read(null)
  for (const times of WIDER) {
    const found = await read(new Date((anchor - days * times * DAY) * 1000))
    if (found.length >= wanted) return found
  }
  return read(null)
}

// Up to this size one unbounded read is cheaper than widening a window over sparse rows; checked at most once a
// minute.
const SMALL = 150_000
const RECHECK_MS = 60_000

/** Returns a check whether the table is too small for a window to pay off. */
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
      // The next request checks again: taken for small, a large table would be read without a bound for a minute.
      checkedAt = Number.NEGATIVE_INFINITY
      throw error
    }
    return small
  }
}
