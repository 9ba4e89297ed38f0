// The version of the stored rows: which schema the tables have, and which rules decided what is in them. A store of
// another version is filled again beside the one in use, which answers meanwhile where this program can read it.
import type { ClickHouse } from '../connection/client.ts'
import { isUnknownTable } from '../connection/errors.ts'
import { sql } from '../connection/sql.ts'
import { SCHEMA } from '../schema.ts'

/**
 * The rules. Raised by a release after which older rows would be decided or rendered differently; an upgrade over
 * several of them fills the store once. 1: release 1.0.0. 2: details of transactions, balances, and the insiders of
 * signals. 3: doubtful trade dates, more wordings of plans and of ranges of prices, the kind of a holding's change, and
 * prices after reverse splits.
 */
const GENERATION = 3

/** Rows of older rules have other texts in the same columns, which the queries of this version can't read. */
const OLDEST_READABLE = 3

interface StoredVersion {
  schema: string
  rules: number
  tables: string[]
}

/** Returns the recorded version; null for a store that has none, as one of a version before this record. */
export async function storedVersion(store: ClickHouse): Promise<StoredVersion | null> {
  const newest = sql`SELECT schema, rules, tables FROM store_version ORDER BY given_at DESC LIMIT 1`
  const [version] = await store.rows<StoredVersion>(newest).catch((error: unknown): StoredVersion[] => {
    if (isUnknownTable(error)) return []
    throw error
  })
  return version ?? null
}

/** Returns whether all tables and rows are of this version. */
export async function isCurrent(store: ClickHouse): Promise<boolean> {
  return isPresent(await storedVersion(store))
}

const isPresent = (version: StoredVersion | null): boolean =>
  version?.schema === SCHEMA.hash && version.rules === GENERATION

/**
 * Returns whether the queries of this version can read the store: it has all of their columns, with the same types, and
 * rows of rules that are not too old.
 */
export async function isReadable(store: ClickHouse): Promise<boolean> {
  const version = await storedVersion(store)
  if (isPresent(version)) return true
  if (version === null || version.rules < OLDEST_READABLE) return false
  const columns = await store.rows<{ column: string }>(
    sql`SELECT concat(table, '.', name, ' ', type) AS column FROM system.columns WHERE database = ${store.database}`,
  )
  const found = new Set(columns.map(({ column }) => column))
  return SCHEMA.tables
    .filter(({ isKept }) => isKept)
    .every((table) => [...table.columns!].every(([name, type]) => found.has(`${table.name}.${name} ${type}`)))
}

/** Records that all tables and rows are of this version. */
export function enterVersion(store: ClickHouse): Promise<void> {
  return enter(store, { schema: SCHEMA.hash, rules: GENERATION, tables: TABLES })
}

/**
 * Records that tables are being replaced, so that a store in which only some of them were is filled again. Its answers
 * are used until then if both kinds are of this version.
 */
export async function enterSwap(store: ClickHouse): Promise<void> {
  const version = await storedVersion(store)
  if (version === null) return
  const tables = [...new Set([...version.tables, ...TABLES])]
  await enter(store, { schema: '', rules: isPresent(version) ? GENERATION : 0, tables })
}

const TABLES = SCHEMA.tables.map(({ name }) => name)

const enter = (store: ClickHouse, version: StoredVersion): Promise<void> =>
  store.insert('store_version', [{ ...version }])
