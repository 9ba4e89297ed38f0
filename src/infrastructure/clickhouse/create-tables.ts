// Creates the tables of this version in a store that has no rows. One with rows of another version is left as it is,
// until it is filled again (shadow-database.ts).
import type { ClickHouse } from './connection/client.ts'
import { onCluster } from './connection/cluster.ts'
import { Sql, sql } from './connection/sql.ts'
import { SCHEMA } from './schema.ts'
import { enterVersion, isCurrent, storedVersion } from './stores/generation.ts'

/** Tables of versions that recorded none, beside those that are still in use. */
const FORMER = [
  ...['incoming_trades', 'listed_trades', 'list_transactions', 'store_trades', 'pass_trades', 'incoming_directory'],
  ...['list_all_filings', 'list_filings', 'store_directory'],
  ...['generations', 'staged_owners', 'staged_rows', 'staged_titles', 'staged_pointed_titles', 'staged_chiefs'],
  ...['staged_symbols', 'staged_tickers', 'staged_amendment_words', 'staged_row_facts', 'staged_suspect_shares'],
  ...['staged_times', 'staged_known', 'staged_withdrawn', 'staged_trades', 'staged_verdicts'],
]

const IDENTITY = SCHEMA.tables.find(({ name }) => name === 'store_identity')!

/** Tables about the store itself. */
const OWN = ['store_identity', 'store_version', 'migrations', 'generations']

/** Creates the tables unless they are those of this version, or have rows. Costs one statement where they are. */
export async function createTables(store: ClickHouse): Promise<void> {
  if (await isCurrent(store)) return
  const filled = await store.rows(sql`
    SELECT name
    FROM system.tables
    WHERE database = ${store.database} AND total_rows > 0 AND name NOT IN ${OWN}
    LIMIT 1`)
  // Versions before 1.0.0 had no table for the id that tells whether it belongs to this record.
  if (filled.length > 0) return change(store, IDENTITY.statement)
  await dropTables(store, await knownTables(store))
  for (const statement of SCHEMA.statements) await change(store, statement)
  await enterVersion(store)
}

/**
 * Returns the names of the service's tables and views in the store, of whichever version; with `nameOf` those of tables
 * that are named after them.
 */
export async function knownTables(store: ClickHouse, nameOf = (name: string): string => name): Promise<string[]> {
  const recorded = (await storedVersion(store))?.tables ?? []
  const known = new Set([...recorded, ...FORMER, ...SCHEMA.tables.map(({ name }) => name)].map(nameOf))
  const present = await store.rows<{ name: string }>(
    sql`SELECT name FROM system.tables WHERE database = ${store.database}`,
  )
  return present.map(({ name }) => name).filter((name) => known.has(name))
}

/** Drops tables and views, those that are there. */
export async function dropTables(store: ClickHouse, names: Iterable<string>): Promise<void> {
  for (const name of names) await change(store, `DROP TABLE IF EXISTS ${name} SYNC`)
}

/**
 * Runs a statement that changes tables: through the connection for statements that take long, since on a cluster they
 * wait for other servers.
 */
export function change(store: ClickHouse, statement: string): Promise<void> {
  return store.forBulk.command(new Sql(store.cluster === null ? statement : onCluster(statement)))
}
