// The generation of the stored rows: whether all were written by this version's rules and with all of its columns.
// Older rows stay readable; a rebuild that the service queues replaces them.
import type { ClickHouse } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'

/**
 * Raised by a release after which older rows lack a column or would be decided differently; an upgrade over several
 * generations rebuilds once. 1: release 1.0.0. 2: details of transactions, balances, and the insiders of signals.
 * 3: doubtful trade dates, more wordings of plans and of ranges of prices, the kind of a holding's change, and prices
 * after reverse splits. Before it, a projection could also read the rows of a failed statement of the embedded engine.
 */
const GENERATION = 3

/** Returns whether all stored rows follow the present rules. */
export async function isCurrent(store: ClickHouse): Promise<boolean> {
  const [newest] = await store.rows<{ number: number }>(sql`SELECT max(number) AS number FROM generations`)
  return (newest?.number ?? 0) >= GENERATION
}

/** Records the current generation if there are no trades, since everything written from now on is of it. */
export async function enterIfEmpty(store: ClickHouse): Promise<void> {
  if (await isCurrent(store)) return
  if ((await store.rows(sql`SELECT 1 AS one FROM trades LIMIT 1`)).length > 0) return
  await store.command(sql`INSERT INTO generations (number) VALUES (${GENERATION})`)
}
