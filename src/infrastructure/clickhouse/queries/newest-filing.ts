// Acceptance time of the newest listed filing, for /readyz. Without FINAL: it can be that of a row retracted since,
// which does not matter to a probe, while merging for an exact answer would read the whole table.
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { FEED } from './feed.ts'
import { NEWEST_FIRST, TIMESTAMP } from './transaction-columns.ts'

export async function newestFilingAt(store: ClickHouse): Promise<string | null> {
  const [newest] = await store.rows<{ at: string }>(sql`
    SELECT formatDateTime(filed_at, ${new Sql(TIMESTAMP)}) AS at
    FROM trades
    WHERE ${FEED} AND NOT deleted
    ORDER BY ${NEWEST_FIRST}
    LIMIT 1`)
  return newest?.at ?? null
}
