// The generation of the stored rows: whether all were written by this version's rules and with all of its columns.
// Older rows stay readable; a rebuild replaces them, and until then what only newer rows have is not shown.
import type { ClickHouse } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'

/**
 * Raised with every change after which older rows lack a column or would be decided differently; an upgrade over
 * several generations rebuilds once. 2: insider, security and form in all copies of a trade. 3: significance by the
 * sum of a filing, roles and prices in the descriptions of signals. 4: whether an owner is CFO. 5: what was shown
 * at earlier instants. 6: what the rules of amendments, shared events and units of price need.
 */
const GENERATION = 6

/** The first whose rows say what was shown at earlier instants. */
const EARLIER_STATES = 5

/** Whether the stored rows follow the present rules, and whether they can give answers as of an instant. */
export interface StoredRows {
  isCurrent: boolean
  hasEarlierStates: boolean
}

export async function storedRows(store: ClickHouse): Promise<StoredRows> {
  const [newest] = await store.rows<{ number: number }>(sql`SELECT max(number) AS number FROM generations`)
  const number = newest?.number ?? 0
  return { isCurrent: number >= GENERATION, hasEarlierStates: number >= EARLIER_STATES }
}

export const isCurrent = async (store: ClickHouse): Promise<boolean> => (await storedRows(store)).isCurrent

/** Records the current generation if there are no trades, since everything written from now on is of it. */
export async function enterIfEmpty(store: ClickHouse): Promise<void> {
  if (await isCurrent(store)) return
  if ((await store.rows(sql`SELECT 1 AS one FROM trades LIMIT 1`)).length > 0) return
  await store.command(sql`INSERT INTO generations (number) VALUES (${GENERATION})`)
}
