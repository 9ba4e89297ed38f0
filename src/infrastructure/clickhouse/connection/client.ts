// The connection to ClickHouse: to a server over HTTP, or to the engine in this process, through the same client. All
// statements of the service go through it.
import { Readable } from 'node:stream'
import { createClient, type ClickHouseClient } from '@clickhouse/client'
import { timeLeft, timeToBegin } from '../../deadline.ts'
import { tracedWithin } from '../../traced.ts'
import {
  parseRows,
  requireColumns,
  requireLines,
  requireOneShape,
  requireParquet,
  UnexpectedAnswer,
  type JsonFormat,
} from './answer-shape.ts'
import { insertsInto, insertsInTurn } from './cluster.ts'
import { isConnectionClosed, translateError, unavailable } from './errors.ts'
import { cleanSession, insertLines, openEngine, type SessionKind } from './embedded-engine.ts'
import { BULK_MS, CALLERS_MS, connecting, prepareServer, SLOTS, WORK_MS } from './server.ts'
import { limitClause, serverSettings } from './settings.ts'
import { SessionPool } from './session-pool.ts'
import { Sql } from './sql.ts'

export interface ClickHouseOptions {
  /** A server, such as `http://user:password@host:8123`; `path` if not given. */
  url?: string | undefined
  /** Data directory of the embedded engine. Only one process can have it open. */
  path?: string | undefined
  database: string
  /** The name of the cluster that `url` is a replica of; undefined for a standalone server. */
  cluster?: string | undefined
}

export type InsertRow = Record<string, unknown>

type StatementKind = 'query' | 'command' | 'insert'

/** A statement that ended, for metrics. */
export interface EndedStatement {
  /** The connections that it ran on: those of API queries, of live work, or of long statements. */
  connections: SessionKind
  kind: StatementKind
  /** Includes the wait for a session. */
  seconds: number
  isOk: boolean
}

/** What went wrong on the connections since they were opened, for metrics. */
interface ConnectionFaults {
  /** Sessions of the embedded engine in which a failed statement had left output. */
  uncleanSessions: number
  /** Answers that were not of their statement's shape, and so were not used. */
  badAnswers: number
}

/**
 * Limits of one statement: `clause` is appended to a SELECT so that the store ends it when its caller no longer
 * waits.
 */
interface StatementLimits {
  clause: string
  signal: { abort_signal?: AbortSignal }
}
type StatementWork<T> = (client: ClickHouseClient, limits: StatementLimits) => Promise<T>

interface Connections {
  connections: SessionKind
  database: string
  clients: ClickHouseClient[]
  /** Statements that each client runs at a time. */
  statementsEach: number
  /** Milliseconds after which a statement is given up; Infinity for no limit. */
  longestMs: number
  /** Opens a session in place of one that is given up; null for a server, whose statements share no session. */
  openSession: (() => Promise<ClickHouseClient>) | null
}

export class ClickHouse {
  readonly database: string
  /** Whether the engine runs in this process and reads its files. */
  readonly isEmbedded: boolean
  /** The name of the cluster; null for one server and for the embedded engine. */
  cluster: string | null = null
  /** Called for every statement when it ends. */
  observe: (statement: EndedStatement) => void = () => {}
  /** Separate connections to the same server, or sessions of the same engine. */
  #beside: { callers: ClickHouse; bulk: ClickHouse } | null = null
  #inTurn: ReturnType<typeof insertsInTurn> = (_, insert) => insert()
  #connections: SessionKind
  #longestMs: number
  #clients: Set<ClickHouseClient>
  #sessions: SessionPool<ClickHouseClient>
  #openSession: Connections['openSession']
  readonly #closing = new AbortController()
  readonly #faults: ConnectionFaults = { uncleanSessions: 0, badAnswers: 0 }

  private constructor({ connections, database, clients, statementsEach, longestMs, openSession }: Connections) {
    this.#connections = connections
    this.database = database
    this.isEmbedded = openSession !== null
    this.#longestMs = longestMs
    this.#clients = new Set(clients)
    this.#sessions = new SessionPool(clients, statementsEach)
    this.#openSession = openSession
  }

  /** Connects and creates the database. Throws one clear line if another process has the data directory open. */
  static async open({ url, path, database, cluster }: ClickHouseOptions): Promise<ClickHouse> {
    if (!/^[a-z_][a-z0-9_]*$/.test(database)) throw new Error(`not a valid database name: ${database}`)
    if (!url) {
      const { sessions, openSession } = await openEngine(path!, database)
      const engine = (kind: SessionKind) =>
        new ClickHouse({
          connections: kind,
          database,
          clients: sessions[kind],
          statementsEach: 1,
          longestMs: Infinity,
          openSession: () => openSession(kind),
        })
      return engine('work').#with({ callers: engine('callers'), bulk: engine('bulk') })
    }
    await prepareServer(url, database, cluster)
    const settings = serverSettings(cluster !== undefined)
    const server = (kind: SessionKind, silentMs: number, longestMs = Infinity) =>
      new ClickHouse({
        connections: kind,
        database,
        clients: [createClient({ ...connecting(url, silentMs), database, clickhouse_settings: settings[kind] })],
        statementsEach: SLOTS,
        longestMs,
        openSession: null,
      })
    const [store, bulk] = [server('work', WORK_MS), server('bulk', BULK_MS)]
    if (cluster !== undefined) {
      const turns = insertsInTurn()
      for (const each of [store, bulk]) [each.cluster, each.#inTurn] = [cluster, turns]
    }
    return store.#with({ callers: server('callers', CALLERS_MS, CALLERS_MS), bulk })
  }

  #with(beside: { callers: ClickHouse; bulk: ClickHouse }): this {
    this.#beside = beside
    for (const each of Object.values(beside)) each.observe = (statement) => this.observe(statement)
    return this
  }

  /** The connections for API queries, on which a statement has a limit in total. */
  get forCallers(): ClickHouse {
    return this.#beside?.callers ?? this
  }

  /** The connections for long statements, such as those that load history. */
  get forBulk(): ClickHouse {
    return this.#beside?.bulk ?? this
  }

  /**
   * Returns the rows of a SELECT, columns as its aliases. They are parsed in one turn of the event loop: more than some
   * ten thousand are read by several statements, or by `lines` for a thread of computations.
   */
  rows<T>(query: Sql): Promise<T[]> {
    return this.#json<T>(query, 'JSONEachRow')
  }

  /** Returns the rows of a SELECT as arrays in the order of its columns: half the bytes of `rows`. */
  arrays<T extends readonly unknown[]>(query: Sql): Promise<T[]> {
    return this.#json<T>(query, 'JSONCompactEachRow')
  }

  /**
   * Returns the rows of a SELECT unparsed, each as `arrays` returns it and a line of JSON: for a thread of
   * computations, which `parseRows` reads them in.
   */
  lines(query: Sql): Promise<Buffer> {
    return this.#query(async (client, limits) => {
      return requireLines(await this.#answer(client, query, 'JSONCompactEachRow', limits), 'JSONCompactEachRow')
    })
  }

  /**
   * Returns the rows of a SELECT as the texts of its `columns`, without escapes: for texts that contain neither tabs
   * nor new lines, such as JSON. Rows are read in blocks of `blockRows`, so that a page in the order of the key stops
   * early.
   */
  async texts<Row extends readonly (string | undefined)[]>(
    query: Sql,
    columns: Row['length'],
    blockRows: number,
  ): Promise<Row[]> {
    const blocks = `max_block_size = ${blockRows}`
    const text = await this.#query(async (client, { signal, clause }) => {
      const settings = clause === '' ? ` SETTINGS ${blocks}` : `${clause}, ${blocks}`
      const answer = await client.query({ query: query.text + settings, format: 'TabSeparatedRaw', ...signal })
      return requireColumns(await answer.text(), columns)
    })
    // Each row ends with a new line; the last column may be empty.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t') as readonly (string | undefined)[] as Row)
  }

  async command(query: Sql): Promise<void> {
    await this.#inTurn(insertsInto(query.text), () =>
      this.#run('command', (client) => client.command({ query: query.text })),
    )
  }

  async insert(table: string, rows: InsertRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.#inTurn(table, () =>
      this.#run('insert', (client) => client.insert({ table, values: rows, format: 'JSONEachRow' })),
    )
  }

  /** Inserts rows as they are made, in inserts of this many, each of which becomes one part of the table. */
  async insertBatches(table: string, rows: Iterable<InsertRow>, batchRows = 10_000): Promise<void> {
    let batch: InsertRow[] = []
    for (const row of rows) {
      if (batch.push(row) < batchRows) continue
      await this.insert(table, batch)
      batch = []
    }
    await this.insert(table, batch)
  }

  /** Inserts rows that are JSON already, an object a line, such as a thread of computations makes them. */
  async insertLines(table: string, lines: Uint8Array): Promise<void> {
    if (lines.length === 0) return
    await this.#inTurn(table, () =>
      this.isEmbedded
        ? this.#run('insert', (client) => insertLines(client, table, lines))
        : this.insertStream(table, 'JSONEachRow', Readable.from([lines])),
    )
  }

  /** Returns the rows of a SELECT of so many columns as tab-separated text, with ClickHouse's escapes. */
  async tabSeparated(query: Sql, columns: number): Promise<string> {
    return this.#query(async (client, { signal, clause }) => {
      const answer = await client.query({ query: query.text + clause, format: 'TabSeparated', ...signal })
      return requireColumns(await answer.text(), columns)
    })
  }

  /** Returns the rows of a SELECT that names the format Parquet, as the bytes of a file. */
  async parquet(query: Sql): Promise<Buffer> {
    return this.#query(async (client) => {
      const { stream } = await client.exec({ query: query.text })
      return requireParquet(joined((await stream.toArray()) as Buffer[]))
    })
  }

  /** Inserts bytes in one of the engine's own formats; servers only. */
  async insertStream(table: string, format: string, bytes: Readable): Promise<void> {
    await this.#run('insert', async (client) => {
      // The connection is not free again until its answer is read.
      const { stream } = await client.exec({ query: `INSERT INTO ${table} FORMAT ${format}`, values: bytes })
      for await (const _ of stream) {
        /* empty */
      }
    })
  }

  /** Returns the number of running statements and of those waiting for a session. */
  load(): { busy: number; waiting: number } {
    const { callers, bulk } = this.#beside ?? {}
    const beside = [callers?.load(), bulk?.load()].filter((load) => load !== undefined)
    return beside.reduce(
      (sum, { busy, waiting }) => ({ busy: sum.busy + busy, waiting: sum.waiting + waiting }),
      this.#sessions.load,
    )
  }

  /** Returns what went wrong on the connections of all kinds. */
  faults(): ConnectionFaults {
    const { callers, bulk } = this.#beside ?? {}
    const beside = [callers?.faults(), bulk?.faults()].filter((faults) => faults !== undefined)
    return beside.reduce(
      (sum, { uncleanSessions, badAnswers }) => ({
        uncleanSessions: sum.uncleanSessions + uncleanSessions,
        badAnswers: sum.badAnswers + badAnswers,
      }),
      { ...this.#faults },
    )
  }

  async ping(): Promise<void> {
    await this.rows(new Sql('SELECT 1 AS one'))
  }

  /** Waits for running statements: the embedded engine must not be closed while it works. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#sessions.drain()
    await Promise.all([
      ...[...this.#clients].map((client) => client.close()),
      this.#beside?.callers.close(),
      this.#beside?.bulk.close(),
    ])
  }

  #json<T>(query: Sql, format: JsonFormat): Promise<T[]> {
    return this.#query(async (client, limits) => {
      const bytes = await this.#answer(client, query, format, limits)
      return requireOneShape(parseRows<T>(bytes), format)
    })
  }

  async #answer(
    client: ClickHouseClient,
    query: Sql,
    format: JsonFormat,
    { signal, clause }: StatementLimits,
  ): Promise<Buffer> {
    const { stream } = await client.exec({ query: `${query.text}${clause}\nFORMAT ${format}`, ...signal })
    return joined((await stream.toArray()) as Buffer[])
  }

  /** Runs a query, which changes nothing, once more if the server had just closed its connection. */
  #query<T>(work: StatementWork<T>): Promise<T> {
    return this.#run('query', (client, limits) =>
      work(client, limits).catch((error: unknown) => {
        if (this.isEmbedded || !isConnectionClosed(error)) throw error
        return work(client, limits)
      }),
    )
  }

  #run<T>(kind: StatementKind, work: StatementWork<T>): Promise<T> {
    const facts = { 'db.system.name': 'clickhouse', 'clickhouse.connections': this.#connections }
    return tracedWithin(`clickhouse ${kind}`, facts, () => this.#observed(kind, work))
  }

  async #observed<T>(kind: StatementKind, work: StatementWork<T>): Promise<T> {
    const start = performance.now()
    const late = new AbortController()
    const longestMs = Math.min(this.#longestMs, timeLeft() ?? Infinity)
    const timer = longestMs === Infinity ? undefined : setTimeout(() => late.abort(), longestMs)
    let isOk = false
    try {
      const result = await this.#work(work, late.signal)
      isOk = true
      return result
    } catch (error) {
      if (error instanceof UnexpectedAnswer) this.#faults.badAnswers += 1
      throw late.signal.aborted || error instanceof UnexpectedAnswer ? unavailable(error) : translateError(error)
    } finally {
      clearTimeout(timer)
      this.observe({ connections: this.#connections, kind, seconds: (performance.now() - start) / 1000, isOk })
    }
  }

  /** Waits for a session, then for `work`, which `late` ends. */
  async #work<T>(work: StatementWork<T>, late: AbortSignal): Promise<T> {
    const { session, release } = await this.#sessions.acquire(Math.min(timeToBegin(), this.#longestMs))
    const signal = this.isEmbedded ? {} : { abort_signal: late }
    const begin = async () => work(session, { clause: limitClause(), signal })
    const working = begin()
    void working.then(
      () => release(),
      async () => release(await this.#cleaned(session)),
    )
    // The embedded engine continues until the clause ends the statement, and keeps its session until then.
    return this.isEmbedded ? unlessAborted(working, late) : working
  }

  /** Returns a session for the next statement in place of one on which a statement failed: itself if it is clean. */
  async #cleaned(failed: ClickHouseClient): Promise<ClickHouseClient> {
    if (this.#openSession === null) return failed
    const { session, hadLeftover } = await cleanSession(failed, this.#openSession, this.#closing.signal)
    if (hadLeftover) this.#faults.uncleanSessions += 1
    this.#clients.delete(failed)
    this.#clients.add(session)
    return session
  }
}

/** Joins chunks. The embedded engine returns everything in one. */
const joined = (chunks: Buffer[]): Buffer => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))

async function unlessAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(new Error('the statement took too long'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([working, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
