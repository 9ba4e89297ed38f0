// All that ClickHouse holds, in a form that is equal for equal content.
import type { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'

const TABLES = [
  'trades',
  'transactions',
  'transaction_lists',
  'filing_lists',
  'filing_details',
  'balances',
  'directory',
  'company_list',
  'signals',
  'signal_list',
  'signal_states',
  'notices',
  'notice_sales',
]

/** Every row of every table, without versions. */
export async function dumpOf(store: ClickHouse): Promise<Record<string, string[]>> {
  return Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await contents(store, table)])))
}

async function contents(store: ClickHouse, table: string): Promise<string[]> {
  const isPlain = table === 'company_list'
  const columns = isPlain ? sql`*` : sql`* EXCEPT (version, deleted)`
  const rows = await store.rows<Record<string, unknown>>(sql`
    SELECT ${columns}
    FROM ${new Sql(table)} ${isPlain ? sql`` : sql`FINAL`}`)
  return rows
    .map((row) => JSON.stringify(table === 'trades' ? { ...row, whole: inOrder(row.whole as string) } : row))
    .sort()
}

/** Returns the object of a JSON text with its fields in the order of their names. */
const inOrder = (whole: string): object =>
  Object.fromEntries(Object.entries(JSON.parse(whole) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
