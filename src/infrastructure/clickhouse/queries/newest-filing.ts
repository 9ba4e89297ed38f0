// The query of the newest listed filing's acceptance time, for /readyz and the status. It reads without FINAL, which
// would read the whole table; that the row may have been removed does not matter here.
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'
import { BLOCK_ROWS, FEED_LIST, placeOf, withinList } from './shared/transaction-list.ts'

export async function newestFilingAt(store: ClickHouse): Promise<string | null> {
  const [newest] = await store.texts<[key: string]>(
    sql`
      SELECT key
      FROM transaction_lists
      WHERE ${withinList(FEED_LIST)} AND NOT deleted
      ORDER BY key DESC
      LIMIT 1`,
    1,
    BLOCK_ROWS,
  )
  return newest ? timestampOf(placeOf(newest[0]).filedAt) : null
}
