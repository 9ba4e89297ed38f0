// The one way to ClickHouse: a server over HTTP, or the engine in this process, through the same client and SQL.
import { mkdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { ClickHouseError, createClient, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client'
import { ServiceError } from '../../application/errors.ts'
import type { Sql } from './sql.ts'

export interface ClickHouseOptions {
  /** A server, such as `http://user:password@host:8123`; else `path`. */
  url?: string | undefined
  /** Data directory of the embedded engine. One process may have it open. */
  path?: string | undefined
  database: string
  /** Embedded: statements under way at once. One session runs one at a time; 4 gave 1.8x the throughput of 1, 8 no more. */
  sessions?: number
}

/** Another process has the embedded engine's data directory open. */
export class StoreInUse extends Error {}

export type InsertRow = Record<string, unknown>

// max_threads 1: pages read a few thousand rows, and threads only cost (20 % at p50). An abort does not stop the embedded
// engine, the time limit does. Whole numbers and decimals go out as JSON numbers.
const SETTINGS = {
  max_threads: 1,
  max_execution_time: 20,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_escape_forward_slashes: 0,
  // A null where none may be, or a column that is not there, is a fault of ours and no default.
  input_format_null_as_default: 0,
  input_format_skip_unknown_fields: 0,
} as const

export class ClickHouse {
  readonly database: string
  /** The engine runs in this process and reads its files. */
  readonly isEmbedded: boolean
  #idle: ClickHouseClient[]
  #all: ClickHouseClient[]
  #slots: number
  #waiting: ((client: ClickHouseClient) => void)[] = []

  private constructor(database: string, isEmbedded: boolean, clients: ClickHouseClient[], callersPerClient: number) {
    this.database = database
    this.isEmbedded = isEmbedded
    this.#all = clients
    this.#idle = clients.flatMap((client) => Array<ClickHouseClient>(callersPerClient).fill(client))
    this.#slots = this.#idle.length
  }

  /** Connects and makes the database. Throws with one clear line if another process has the data directory open. */
  static async open({ url, path, database, sessions = 4 }: ClickHouseOptions): Promise<ClickHouse> {
    if (!/^[a-z_][a-z0-9_]*$/.test(database)) throw new Error(`not a database name: ${database}`)
    const clients = url ? await networked(url, database) : await embedded(path!, database, sessions)
    return new ClickHouse(database, !url, clients, url ? 16 : 1)
  }

  /** The rows of a SELECT, columns as its aliases. */
  async rows<T>(query: Sql): Promise<T[]> {
    const text = await this.#run(async (client) =>
      (await client.query({ query: query.text, format: 'JSONEachRow' })).text())
    return text === '' ? [] : JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as T[]
  }

  async command(query: Sql): Promise<void> {
    await this.#run((client) => client.command({ query: query.text }))
  }

  async insert(table: string, rows: InsertRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#run((client) => client.insert({ table, values: rows, format: 'JSONEachRow' }))
  }

  /** The rows of a SELECT as tab-separated text, with ClickHouse's escapes. */
  async tabSeparated(query: Sql): Promise<string> {
    return this.#run(async (client) => (await client.query({ query: query.text, format: 'TabSeparated' })).text())
  }

  /** Bytes in one of the engine's own formats; networked servers only. */
  async insertStream(table: string, format: string, bytes: Readable): Promise<void> {
    await this.#run(async (client) => {
      // Until its answer is read, the connection is not free again.
      const { stream } = await client.exec({ query: `INSERT INTO ${table} FORMAT ${format}`, values: bytes })
      for await (const _ of stream) { /* empty */ }
    })
  }

  async ping(): Promise<void> {
    await this.#run((client) => client.query({ query: 'SELECT 1', format: 'JSONEachRow' }).then((result) => result.text()))
  }

  /** Waits for what is under way: the embedded engine may not be closed with work running. */
  async close(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot += 1) await this.#acquire()
    await Promise.all(this.#all.map((client) => client.close()))
  }

  async #run<T>(work: (client: ClickHouseClient) => Promise<T>): Promise<T> {
    const client = await this.#acquire()
    try {
      return await work(client)
    } catch (error) {
      throw translated(error)
    } finally {
      this.#release(client)
    }
  }

  // First come, first served: left to the engine's own lock, p99 of 8 callers was 1.5 s instead of 37 ms.
  #acquire(): Promise<ClickHouseClient> | ClickHouseClient {
    return this.#idle.pop() ?? new Promise((resolve) => this.#waiting.push(resolve))
  }

  #release(client: ClickHouseClient): void {
    const next = this.#waiting.shift()
    if (next) next(client)
    else this.#idle.push(client)
  }
}

async function networked(url: string, database: string): Promise<ClickHouseClient[]> {
  const common = {
    url,
    application: 'insider-trading-data-service',
    request_timeout: 30_000,
    max_open_connections: 16,
    // Below the server's own keep-alive (10 s by default, 3 s in old versions): reusing a socket it closes fails.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
  }
  const first = createClient(common)
  try {
    await first.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` })
  } catch (error) {
    throw translated(error)
  } finally {
    await first.close()
  }
  return [createClient({ ...common, database, clickhouse_settings: SETTINGS })]
}

async function embedded(path: string, database: string, sessions: number): Promise<ClickHouseClient[]> {
  mkdirSync(path, { recursive: true })
  const clients: ClickHouseClient[] = []
  try {
    const connect = await chdbConnections()
    for (let index = 0; index < sessions; index += 1) clients.push(createClient({ connection: connect(path) }))
  } catch (error) {
    if (/Cannot lock file|Code: 76/.test(String(error))) throw new StoreInUse(`another process has ${path} open`, { cause: error })
    throw error
  }
  await clients[0]!.command({ query: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic` })
  // Settings and database stick to a session, so they are set once and not per statement.
  const settings = Object.entries(SETTINGS).map(([name, value]) => `${name} = ${value}`).join(', ')
  for (const client of clients) {
    await client.command({ query: `USE ${database}` })
    await client.command({ query: `SET ${settings}` })
  }
  return clients
}

type Connection = NonNullable<ClickHouseClientConfigOptions['connection']>

// Loaded only where it is used: an image for use with a server goes without the engine's 546 MB. The two packages declare
// the same connection separately, so their types differ in name only.
async function chdbConnections(): Promise<(path: string) => Connection> {
  const { createChdbConnection } = await import('chdb/connection')
  return (path) => createChdbConnection({ path }) as unknown as Connection
}

// 159 time limit, 202 too many queries, 209/210 network, 241 memory, 243 disk: passing faults of the store, not of the question.
const PASSING = new Set(['159', '202', '209', '210', '241', '243', '279'])

function translated(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const passing = error instanceof ClickHouseError
    ? PASSING.has(error.code)
    : /^E[A-Z]+$/.test((error as { code?: string }).code ?? '') || /timeout|socket hang up/i.test(error.message)
  return passing ? new ServiceError('unavailable', 'ClickHouse does not answer', undefined, { cause: error }) : error
}
