// ClickHouse for tests: the server TEST_CLICKHOUSE_URL names, else the embedded engine, one data directory for the whole
// run (a process can open only one). Each caller gets a database of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse, type ClickHouseOptions } from '../../src/infrastructure/clickhouse/client.ts'
import { migrateClickHouse } from '../../src/infrastructure/clickhouse/migrate.ts'

let folder: string | undefined
let made = 0

export interface TestClickHouse { store: ClickHouse; options: ClickHouseOptions }

/** A new, migrated database; close the store when done. */
export async function freshClickHouse(): Promise<TestClickHouse> {
  const url = process.env.TEST_CLICKHOUSE_URL
  if (!url) folder ??= temporaryFolder()
  made += 1
  const options = { url, path: folder, database: `test_${process.pid}_${made}` }
  const store = await ClickHouse.open(options)
  await migrateClickHouse(store)
  return { store, options }
}

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'test-clickhouse-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
