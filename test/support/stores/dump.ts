// All that ClickHouse holds, in a form that is equal for equal content.
import type { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'

const TABLES = [
  'trades',
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

/** Every row of every table, without versions, and without `whole`, which says the same as the other columns. */
export async function dumpOf(store: ClickHouse): Promise<Record<string, string[]>> {
  return Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await contents(store, table)])))
}

async function contents(store: ClickHouse, table: string): Promise<string[]> {
  const columns =
    table === 'company_list'
      ? sql`*`
      : sql`* EXCEPT ${new Sql(table === 'trades' ? '(version, deleted, whole)' : '(version, deleted)')}`
  const final = table === 'company_list' ? sql`` : sql`FINAL`
  const rows = await store.rows(sql`SELECT ${columns} FROM ${new Sql(table)} ${final}`)
  return rows.map((row) => JSON.stringify(row)).sort()
}
