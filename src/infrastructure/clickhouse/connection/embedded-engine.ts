// Opens the embedded engine (chDB, ClickHouse in this process) and the sessions on which its statements run.
import { createClient, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client'
import { makeFolder } from '../../folders.ts'
import { ENGINE_SETTINGS, FEW_ROWS } from './settings.ts'

/** Another process has the embedded engine's data directory open. */
export class StoreInUse extends Error {}

/**
 * The number of sessions of each kind. A session runs one statement at a time; more sessions for API queries give no
 * more throughput. Long statements have their own, or others would wait behind them.
 */
const SESSIONS = { work: 3, callers: 4, bulk: 3 }
export type SessionKind = keyof typeof SESSIONS

/** Opens the engine and its sessions of each kind. Throws `StoreInUse`. */
export async function openEngine(path: string, database: string): Promise<Record<SessionKind, ClickHouseClient[]>> {
  // The engine's files are for this process's user alone: it creates them under the umask.
  process.umask(0o077)
  makeFolder(path)
  const connect = await chdbConnections()
  const clients = (count: number) => Array.from({ length: count }, () => createClient({ connection: connect(path) }))
  try {
    const { work, callers, bulk } = SESSIONS
    const kinds = { work: clients(work), callers: clients(callers), bulk: clients(bulk) }
    await kinds.work[0]!.command({ query: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic` })
    await Promise.all([
      ...[...kinds.work, ...kinds.callers].map((client) => prepared(client, database, FEW_ROWS)),
      ...kinds.bulk.map((client) => prepared(client, database)),
    ])
    return kinds
  } catch (error) {
    if (/Cannot lock file|Code: 76/.test(String(error)))
      throw new StoreInUse(`another process has ${path} open`, { cause: error })
    throw error
  }
}

/** Settings and database belong to a session, so they are set once and not per statement. */
async function prepared(client: ClickHouseClient, database: string, ofKind: object = {}): Promise<void> {
  const list = Object.entries({ ...ENGINE_SETTINGS, ...ofKind }).map(([name, value]) => `${name} = ${value}`)
  await client.command({ query: `USE ${database}` })
  await client.command({ query: `SET ${list.join(', ')}` })
}

type Connection = NonNullable<ClickHouseClientConfigOptions['connection']>

// Loaded only if used: an image for use with a server does without the engine's library. The two packages declare the
// same connection separately, so their types differ in name only.
async function chdbConnections(): Promise<(path: string) => Connection> {
  const { createChdbConnection } = await import('chdb/connection')
  return (path) => createChdbConnection({ path }) as unknown as Connection
}
