// The one way to ClickHouse: a server over HTTP, or the engine in this process, through the same client and SQL.
import { mkdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import {
  ClickHouseError, ClickHouseLogLevel, createClient, type ClickHouseClient, type ClickHouseClientConfigOptions,
  type ClickHouseSettings,
} from '@clickhouse/client'
import { ServiceError } from '../../application/errors.ts'
import { CLUSTER_SETTINGS, DDL_SETTINGS, EXACT_SETTINGS, insertsInto, inTurn, onCluster, type Cluster } from './cluster.ts'
import { makeClusterDatabase } from './cluster-nodes.ts'
import type { Sql } from './sql.ts'

export interface ClickHouseOptions {
  /** A server, such as `http://user:password@host:8123`; else `path`. */
  url?: string | undefined
  /** Data directory of the embedded engine. One process may have it open. */
  path?: string | undefined
  database: string
  /** The servers' name of the cluster that `url` is a node of; none for a server by itself. */
  cluster?: string | undefined
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

// Of a server: a statement that fails half way through its answer is told by its status. Else the fault stands behind the
// rows sent so far, which look like an answer. Up to a mebibyte it keeps an answer in memory. Progress in headers would
// send the status first, and the client takes such a failed command for done.
const WHOLE = { wait_end_of_query: 1, http_response_buffer_size: '1048576' } as const

export type StatementKind = 'query' | 'command' | 'insert'

// Of a server, in milliseconds without a byte from it; for callers in all. It ends questions after 4 s and live work after
// 20 s by its own clock where it can; loading history has no such end.
const CALLERS_MS = 5_000
const WORK_MS = 30_000
const BULK_MS = 3_600_000
/** Statements under way at once on the connections of each kind. */
const SLOTS = 16

/** Of the three kinds of connections to a server: live work, questions of callers, history and rebuilds. */
export function serverSettings(isCluster: boolean): Record<'work' | 'callers' | 'bulk', ClickHouseSettings> {
  const reading = { ...SETTINGS, ...WHOLE, ...(isCluster && CLUSTER_SETTINGS) }
  const writing = { ...reading, ...(isCluster && EXACT_SETTINGS) }
  return { work: writing, callers: { ...reading, max_execution_time: 4 }, bulk: { ...writing, max_execution_time: 0 } }
}

type Work<T> = (client: ClickHouseClient, within?: { abort_signal: AbortSignal }) => Promise<T>

export class ClickHouse {
  readonly database: string
  /** The engine runs in this process and reads its files. */
  readonly isEmbedded: boolean
  /** Null for one server and for the embedded engine. */
  cluster: Cluster | null = null
  /** Told of every statement when it is over; the wait for a session counts. */
  observe: (kind: StatementKind, seconds: number, isOk: boolean) => void = () => {}
  /** On connections of their own, of the same server. */
  #beside: { callers: ClickHouse; bulk: ClickHouse } | null = null
  #inTurn: ReturnType<typeof inTurn> = (_, insert) => insert()
  #longestMs: number | null
  #idle: ClickHouseClient[]
  #all: ClickHouseClient[]
  #slots: number
  #waiting: ((client: ClickHouseClient) => void)[] = []

  private constructor(
    database: string, isEmbedded: boolean, clients: ClickHouseClient[], atOncePerClient: number, longestMs: number | null = null,
  ) {
    this.database = database
    this.isEmbedded = isEmbedded
    this.#longestMs = longestMs
    this.#all = clients
    this.#idle = clients.flatMap((client) => Array<ClickHouseClient>(atOncePerClient).fill(client))
    this.#slots = this.#idle.length
  }

  /** Connects and makes the database. Throws with one clear line if another process has the data directory open. */
  static async open({ url, path, database, cluster, sessions = 4 }: ClickHouseOptions): Promise<ClickHouse> {
    if (!/^[a-z_][a-z0-9_]*$/.test(database)) throw new Error(`not a database name: ${database}`)
    if (!url) return new ClickHouse(database, true, await embedded(path!, database, sessions), 1)
    const nodes = cluster === undefined ? null : { name: cluster, database }
    await makeDatabase(url, database, nodes)
    const settings = serverSettings(nodes !== null)
    const server = (kind: keyof typeof settings, silentMs: number, longestMs: number | null = null) =>
      new ClickHouse(database, false,
        [createClient({ ...connecting(url, silentMs), database, clickhouse_settings: settings[kind] })], SLOTS, longestMs)
    const store = server('work', WORK_MS)
    store.#beside = { callers: server('callers', CALLERS_MS, CALLERS_MS), bulk: server('bulk', BULK_MS) }
    const turns = inTurn()
    if (nodes) for (const each of [store, store.#beside.bulk]) [each.cluster, each.#inTurn] = [nodes, turns]
    for (const each of Object.values(store.#beside)) each.observe = (...statement) => store.observe(...statement)
    return store
  }

  /** For questions that somebody waits for: on a server, connections of their own and 5 s in all. */
  get forCallers(): ClickHouse {
    return this.#beside?.callers ?? this
  }

  /** For statements that take minutes, such as those that load history. */
  get forBulk(): ClickHouse {
    return this.#beside?.bulk ?? this
  }

  /** The rows of a SELECT, columns as its aliases. */
  async rows<T>(query: Sql): Promise<T[]> {
    const text = await this.#ask(async (client, within) =>
      (await client.query({ query: query.text, format: 'JSONEachRow', ...within })).text())
    return text === '' ? [] : JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as T[]
  }

  async command(query: Sql): Promise<void> {
    await this.#inTurn(insertsInto(query.text), () => this.#run('command', (client) => client.command({ query: query.text })))
  }

  /** A change of tables or databases, on a cluster carried out by all of its nodes. */
  async ddl(statement: Sql): Promise<void> {
    if (!this.cluster) return this.command(statement)
    for (const query of onCluster(statement.text, this.cluster)) {
      await this.forBulk.#run('command', (client) => client.command({ query, clickhouse_settings: DDL_SETTINGS }))
    }
  }

  async insert(table: string, rows: InsertRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#inTurn(table, () =>
      this.#run('insert', (client) => client.insert({ table, values: rows, format: 'JSONEachRow' })))
  }

  /** The rows of a SELECT as tab-separated text, with ClickHouse's escapes. */
  async tabSeparated(query: Sql): Promise<string> {
    return this.#ask(async (client, within) =>
      (await client.query({ query: query.text, format: 'TabSeparated', ...within })).text())
  }

  /** Bytes in one of the engine's own formats; networked servers only. */
  async insertStream(table: string, format: string, bytes: Readable): Promise<void> {
    await this.#run('insert', async (client) => {
      // Until its answer is read, the connection is not free again.
      const { stream } = await client.exec({ query: `INSERT INTO ${table} FORMAT ${format}`, values: bytes })
      for await (const _ of stream) { /* empty */ }
    })
  }

  /** Statements under way, and those that wait for a session. */
  load(): { busy: number; waiting: number } {
    const { callers, bulk } = this.#beside ?? {}
    const beside = [callers?.load(), bulk?.load()].filter((load) => load !== undefined)
    const own = { busy: this.#slots - this.#idle.length, waiting: this.#waiting.length }
    return beside.reduce((sum, { busy, waiting }) => ({ busy: sum.busy + busy, waiting: sum.waiting + waiting }), own)
  }

  async ping(): Promise<void> {
    await this.#ask(async (client, within) => (await client.query({ query: 'SELECT 1', format: 'JSONEachRow', ...within })).text())
  }

  /** Waits for what is under way: the embedded engine may not be closed with work running. */
  async close(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot += 1) await this.#acquire()
    await Promise.all([...this.#all.map((client) => client.close()), this.#beside?.callers.close(), this.#beside?.bulk.close()])
  }

  /** A question changes nothing, so one that met a connection the server had just closed is asked once more. */
  #ask<T>(work: Work<T>): Promise<T> {
    return this.#run('query', (client, within) => work(client, within).catch((error: unknown) => {
      if (this.isEmbedded || !isCut(error)) throw error
      return work(client, within)
    }))
  }

  async #run<T>(kind: StatementKind, work: Work<T>): Promise<T> {
    const start = performance.now()
    const late = new AbortController()
    const timer = this.#longestMs === null ? undefined : setTimeout(() => late.abort(), this.#longestMs)
    let isOk = false
    try {
      const client = await this.#acquire(late.signal)
      const result = await work(client, timer && { abort_signal: late.signal }).finally(() => this.#release(client))
      isOk = true
      return result
    } catch (error) {
      throw late.signal.aborted ? unavailable(error) : translated(error)
    } finally {
      clearTimeout(timer)
      this.observe(kind, (performance.now() - start) / 1000, isOk)
    }
  }

  // First come, first served: left to the engine's own lock, p99 of 8 callers was 1.5 s instead of 37 ms.
  #acquire(signal?: AbortSignal): Promise<ClickHouseClient> | ClickHouseClient {
    const idle = this.#idle.pop()
    if (idle) return idle
    const { promise, resolve, reject } = Promise.withResolvers<ClickHouseClient>()
    this.#waiting.push(resolve)
    signal?.addEventListener('abort', () => {
      const place = this.#waiting.indexOf(resolve)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      reject(new Error('no connection came free'))
    })
    return promise
  }

  #release(client: ClickHouseClient): void {
    const next = this.#waiting.shift()
    if (next) next(client)
    else this.#idle.push(client)
  }
}

function connecting(url: string, silentMs: number) {
  return {
    url,
    application: 'insider-trading-data-service',
    // What it would write to the console, it throws as well, and we log that.
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: silentMs,
    max_open_connections: SLOTS,
    // Below the server's own keep-alive (10 s by default, 3 s in old versions): reusing a socket it closes fails.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
  }
}

async function makeDatabase(url: string, database: string, cluster: Cluster | null): Promise<void> {
  const client = createClient(connecting(url, cluster ? BULK_MS : WORK_MS))
  try {
    if (!cluster) return await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` }).then(() => {})
    await makeClusterDatabase({
      rows: async ({ text }) => (await client.query({ query: text, format: 'JSONEachRow' })).json(),
      ddl: async ({ text }) => { await client.command({ query: text, clickhouse_settings: DDL_SETTINGS }) },
    }, cluster)
  } catch (error) {
    throw translated(error)
  } finally {
    await client.close()
  }
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

// 159 time limit, 202 too many queries, 209/210 network, 241 memory, 243 disk; on a cluster 242, 285, 286, 289, 319: too few
// replicas or one that is behind, 279 no replica, 999 Keeper: passing faults of the store, not of the question.
const PASSING = new Set(['159', '202', '209', '210', '241', '242', '243', '279', '285', '286', '289', '319', '999'])

function translated(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const passing = error instanceof ClickHouseError
    ? PASSING.has(error.code)
    : /^E(?!RR_)[A-Z_]+$/.test((error as { code?: string }).code ?? '') || /timeout|socket hang up|aborted/i.test(error.message)
  return passing ? unavailable(error) : error
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'ClickHouse does not answer', undefined, { cause })
}

function isCut(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return code === 'ECONNRESET' || code === 'EPIPE' || /socket hang up/.test(message)
}
