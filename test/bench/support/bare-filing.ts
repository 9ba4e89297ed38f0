// The least that a new filing can cost: a transaction that stores its row of the ledger, and an insert of its rows into
// each of the tables of ClickHouse that have some. Nothing is read, decided or made; into empty copies of the tables,
// in the stores of a service that has the filings.
import { join } from 'node:path'
import type { Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { ClickHouse, type InsertRow } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { timed } from './measure.ts'

/** Their durations grow shorter at first. */
const WARM_UP = 5

interface Transactions {
  /** The duration of each. */
  milliseconds: number[]
  /** Under which the rows of ClickHouse were written, one for each filing. */
  versions: number[]
}

/** Stores the rows of these filings once more, each in a transaction of its own. */
export async function bareTransactions(pool: Pool, accessions: string[]): Promise<Transactions> {
  await pool.query('CREATE TABLE bench_filings (LIKE filings INCLUDING ALL)')
  try {
    const milliseconds: number[] = []
    for (const accession of accessions) {
      const seconds = await timed(() =>
        pool.query('INSERT INTO bench_filings OVERRIDING SYSTEM VALUE SELECT * FROM filings WHERE accession = $1', [
          accession,
        ]),
      )
      milliseconds.push(seconds * 1_000)
    }
    const { rows } = await pool.query<{ version: string }>('SELECT version FROM filings WHERE accession = ANY ($1)', [
      accessions,
    ])
    return { milliseconds: milliseconds.slice(WARM_UP), versions: rows.map(({ version }) => Number(version)) }
  } finally {
    await pool.query('DROP TABLE bench_filings')
  }
}

/** Inserts the rows of each of these versions once more, into all tables at once. Returns the milliseconds of each. */
export async function bareInserts(dataDir: string, versions: number[]): Promise<number[]> {
  const store = await ClickHouse.open({ path: join(dataDir, 'clickhouse'), database: 'insider' })
  const tables = await store.rows<{ table: string }>(sql`
    SELECT table
    FROM system.columns
    WHERE database = currentDatabase() AND name = 'version'
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`)
  const copies = tables.map(({ table }) => ({ table, copy: `bench_${table}` }))
  try {
    for (const { table, copy } of copies) await store.command(new Sql(`CREATE TABLE ${copy} AS ${table}`))
    const milliseconds: number[] = []
    for (const version of versions) {
      const found = await Promise.all(
        copies.map(async ({ table, copy }) => {
          const rows = await store.rows<InsertRow>(sql`SELECT * FROM ${new Sql(table)} WHERE version = ${version}`)
          return { copy, rows }
        }),
      )
      const inserts = found.filter(({ rows }) => rows.length > 0)
      const seconds = await timed(() => Promise.all(inserts.map(({ copy, rows }) => store.insert(copy, rows))))
      milliseconds.push(seconds * 1_000)
    }
    return milliseconds.slice(WARM_UP)
  } finally {
    for (const { copy } of copies) await store.command(new Sql(`DROP TABLE IF EXISTS ${copy} SYNC`))
    await store.close()
  }
}
