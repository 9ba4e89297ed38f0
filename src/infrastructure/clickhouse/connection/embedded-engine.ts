// Opens the embedded engine (chDB, ClickHouse in this process) and the sessions on which its statements run.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, parseError, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client'
import type { ChdbConnection } from 'chdb/connection'
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

export interface EmbeddedEngine {
  sessions: Record<SessionKind, ClickHouseClient[]>
  /** Opens another session of this kind, for one that is given up. */
  openSession(kind: SessionKind): Promise<ClickHouseClient>
}

/** Opens the engine and its sessions of each kind. Throws `StoreInUse`. */
export async function openEngine(path: string, database: string): Promise<EmbeddedEngine> {
  // The engine's files are for this process's user alone: it creates them under the umask.
  process.umask(0o077)
  makeFolder(path)
  const connect = await chdbConnections()
  const openSession = async (kind: SessionKind) => {
    const connection = connect(path)
    const client = createClient({ connection: connection as unknown as Connection })
    connections.set(client, connection)
    await prepare(client, database, kind === 'bulk' ? {} : FEW_ROWS)
    return client
  }
  const openAll = (kind: SessionKind) => Promise.all(Array.from({ length: SESSIONS[kind] }, () => openSession(kind)))
  try {
    const first = createClient({ connection: connect(path) as unknown as Connection })
    await first.command({ query: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic` })
    const [work, callers, bulk] = await Promise.all([openAll('work'), openAll('callers'), openAll('bulk')])
    await first.close()
    return { sessions: { work, callers, bulk }, openSession }
  } catch (error) {
    if (/Cannot lock file|Code: 76/.test(String(error)))
      throw new StoreInUse(`another process has ${path} open`, { cause: error })
    throw error
  }
}

/** Settings and database belong to a session, so they are set once and not per statement. */
async function prepare(client: ClickHouseClient, database: string, ofKind: object): Promise<void> {
  const list = Object.entries({ ...ENGINE_SETTINGS, ...ofKind }).map(([name, value]) => `${name} = ${value}`)
  await client.command({ query: `USE ${database}` })
  await client.command({ query: `SET ${list.join(', ')}` })
}

/** Statements after which a session that still returns foreign output is given up. */
const MARKS = 3

/** How long to wait before a session is opened again that could not be. */
const REOPEN_MS = 1_000

/** What a failed statement had left in its session, and the session for the next statement. */
interface CleanSession {
  session: ClickHouseClient
  hadLeftover: boolean
}

/**
 * Returns a clean session after a statement has failed on this one: the same, or a new one in its place, which `open`
 * opens. The engine keeps the output that a statement had written before it failed, and returns it before the answer
 * of the session's next statement, which may be another caller's. While `closing` is not aborted, opening is repeated
 * until it succeeds.
 */
export async function cleanSession(
  session: ClickHouseClient,
  open: () => Promise<ClickHouseClient>,
  closing: AbortSignal,
): Promise<CleanSession> {
  const leftover = await removeLeftover(session).catch(() => 'stays' as const)
  if (leftover !== 'stays') return { session, hadLeftover: leftover === 'removed' }
  while (!closing.aborted) {
    try {
      const successor = await open()
      // One that answers no more may not close either.
      await session.close().catch(() => {})
      return { session: successor, hadLeftover: true }
    } catch {
      await sleep(REOPEN_MS, undefined, { signal: closing }).catch(() => {})
    }
  }
  return { session, hadLeftover: true }
}

/** Runs statements whose answers only this call knows, until one returns exactly that. */
async function removeLeftover(session: ClickHouseClient): Promise<'none' | 'removed' | 'stays'> {
  for (let tries = 0; tries < MARKS; tries += 1) {
    const mark = randomUUID()
    const { stream } = await session.exec({ query: `SELECT '${mark}' FORMAT TabSeparated` })
    const answer = Buffer.concat((await stream.toArray()) as Buffer[])
    if (answer.equals(Buffer.from(`${mark}\n`))) return tries === 0 ? 'none' : 'removed'
  }
  return 'stays'
}

// The two packages declare the same connection separately, so their types differ in name only.
type Connection = NonNullable<ClickHouseClientConfigOptions['connection']>

const connections = new WeakMap<ClickHouseClient, ChdbConnection>()

/**
 * Inserts rows that are JSON already, an object a line. The client would make a statement of them, which holds up the
 * event loop for 6 ms for each megabyte.
 */
export async function insertLines(session: ClickHouseClient, table: string, lines: Uint8Array): Promise<void> {
  const { chdb } = connections.get(session)!
  await chdb.rawInsert({ table, values: lines, format: 'JSONEachRow' }).catch((error: Error) => {
    throw parseError(error)
  })
}

// Loaded only if used: an image for use with a server does without the engine's library.
async function chdbConnections(): Promise<(path: string) => ChdbConnection> {
  const { createChdbConnection } = await import('chdb/connection')
  return (path) => createChdbConnection({ path })
}
