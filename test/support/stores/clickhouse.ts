// ClickHouse for tests, wherever the run has it (stores.ts): of the embedded engine one data directory for the whole
// run, since a process can open only one. Each caller gets a database of its own. One that its caller is done with is
// emptied and given to the next: making its tables takes half a second, and longer the more databases there are.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { ClickHouse, type ClickHouseOptions } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { createTables } from '../../../src/infrastructure/clickhouse/create-tables.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ownClickHouse } from './stores.ts'

let folder: string | undefined

/** For queries on rows that tests write past the product: nothing is kept in memory. */
export const NOTHING_KEPT = { changes: new ChangeTracker(), isUpToDate: () => false }

export interface TestClickHouse {
  store: ClickHouse
  options: ClickHouseOptions
  /** Lets go of the database; the store may not be used after. */
  close(): Promise<void>
}

interface Migrated {
  store: ClickHouse
  options: ClickHouseOptions
  /** Its tables as they were made, and the names of the store's own properties. */
  tables: string
  properties: string
}

const free: Migrated[] = []

/** Returns a migrated, empty database, on the server at `at` where one is given. */
export async function freshClickHouse(at?: string): Promise<TestClickHouse> {
  if (at !== undefined) {
    const { store, options } = await migrated(at)
    return { store, options, close: () => store.close() }
  }
  const taken = free.pop() ?? (await migrated())
  return { store: taken.store, options: taken.options, close: () => giveBack(taken) }
}

async function migrated(at?: string): Promise<Migrated> {
  const { url, database } = await ownClickHouse()
  const server = at ?? url
  const options: ClickHouseOptions = server
    ? { url: server, database }
    : { path: (folder ??= temporaryFolder()), database }
  const store = await ClickHouse.open(options)
  await createTables(store)
  return { store, options, tables: await tablesOf(store), properties: Object.keys(store).join() }
}

/** Empties it for the next caller; drops it where its tables or the store itself are not as they were. */
async function giveBack(used: Migrated): Promise<void> {
  const { store } = used
  while (store.load().busy > 0) await sleep(10)
  const database = new Sql(store.database)
  await store.command(sql`DROP DATABASE IF EXISTS ${new Sql(`${store.database}_next`)} SYNC`)
  if ((await tablesOf(store)) === used.tables && Object.keys(store).join() === used.properties) {
    const tables = await store.rows<{ name: string }>(sql`SELECT name FROM system.tables
      WHERE database = ${store.database} AND engine LIKE '%MergeTree' AND name NOT IN ('migrations', 'store_version')
        AND (total_rows IS NULL OR total_rows > 0)`)
    for (const { name } of tables) await store.command(sql`TRUNCATE TABLE ${new Sql(name)}`)
    store.observe = () => {}
    await createTables(store)
    free.push(used)
  } else {
    await store.command(sql`DROP DATABASE ${database} SYNC`)
    await store.close()
  }
}

async function tablesOf(store: ClickHouse): Promise<string> {
  const rows = await store.rows<{ made: string }>(sql`SELECT create_table_query AS made FROM system.tables
    WHERE database = ${store.database} ORDER BY name`)
  return rows.map(({ made }) => made).join('\n')
}

after(async () => {
  await Promise.all(free.splice(0).map(({ store }) => store.close()))
})

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'test-clickhouse-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
