// ClickHouse for tests, wherever the run has it (stores.ts): of the embedded engine one data directory for the whole run,
// since a process can open only one. Each caller gets a database of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse, type ClickHouseOptions } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ownClickHouse } from './stores.ts'

let folder: string | undefined

export interface TestClickHouse {
  store: ClickHouse
  options: ClickHouseOptions
}

/** A new, migrated database, on the server at `at` where one is given; close the store when done. */
export async function freshClickHouse(at?: string): Promise<TestClickHouse> {
  const { url, database } = await ownClickHouse()
  const server = at ?? url
  const options: ClickHouseOptions = server
    ? { url: server, database }
    : { path: (folder ??= temporaryFolder()), database }
  const store = await ClickHouse.open(options)
  await migrateClickHouse(store)
  return { store, options }
}

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'test-clickhouse-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
