// When the newest listed filing was accepted, for /readyz. Without FINAL: a row taken back since may be told, which costs
// a probe nothing, while merging to be exact would read the whole table.
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
