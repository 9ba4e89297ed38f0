// The log of changes: a page of 100 over HTTP beside the same range of its primary key, asked in PostgreSQL by this
// process; from a commit until its change was handed to the socket of the last of 1,000 streams; requests of the feed
// from memory with those streams idle beside none; memory of a stream; projected filings with what callers are
// reported beside none. STREAMS=1000 ROUNDS=300 COMMITS=300 FILINGS=600 SECONDS=3. One JSON line.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeProjector } from '../../../src/application/projection/project-filings.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ensureStores } from '../../../src/infrastructure/embedded/stores.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { listChanges } from '../../../src/infrastructure/postgres/queries/list-changes.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { example, exampleQueries } from '../../support/http/example-service.ts'
import { printBench, quantile, shuffled } from '../support/measure.ts'
import { askRaw, compared, startHttpService } from '../support/sides.ts'

const STREAMS = Number(process.env.STREAMS ?? 1_000)
const ROUNDS = Number(process.env.ROUNDS ?? 300)
const COMMITS = Number(process.env.COMMITS ?? 300)
const FILINGS = Number(process.env.FILINGS ?? 600)
const SECONDS = Number(process.env.SECONDS ?? 3)
const LOGGED = 20_000
const PAGE = 100

const [change] = example('change-page').data.changes
// As a filing with three transactions.
const { transactions } = change.data
const data = JSON.stringify({ ...change.data, transactions: [...transactions, ...transactions, ...transactions] })
const figures = (times: number[]) => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) })

const folder = mkdtempSync(join(tmpdir(), 'bench-changes-'))
const stores = await ensureStores({ dataDir: folder, databaseUrl: null, redisUrl: null })
const pool = openPool({ url: stores.databaseUrl, name: 'bench' })
const options = { path: join(folder, 'clickhouse'), database: 'bench', historyDir: join(folder, 'history') }
const store = await ClickHouse.open(options)
const sockets: Socket[] = []
const services: { stop(): void }[] = []
try {
  await migratePostgres(pool)
  await migrateClickHouse(store)
  const container = createContainer({ pool, analytics: { ...options, clickHouse: store } })
  const projection = await projected()
  await append(LOGGED)
  await pool.query('VACUUM ANALYZE changes')
  const variables = { DATABASE_URL: stores.databaseUrl, CACHE_MEMORY: String(64 * 1024 ** 2), UNLIMITED: '1' }
  const [busy, calm] = [await startHttpService(variables), await startHttpService(variables)]
  services.push(busy, calm)
  const page = await pages(calm.port)
  await sleep(1_000)
  const before = await busy.rssMiB()
  for (let number = 0; number < STREAMS; number += 1) sockets.push(await opened(busy.port))
  await sleep(1_000)
  const kilobytes = (((await busy.rssMiB()) - before) * 1_024) / STREAMS
  const fanOut = await handed()
  const side = ({ pid, port }: typeof busy) => ({ url: `http://127.0.0.1:${port}/v1/feed`, pid, headers: [] })
  const load = await compared({ withStreams: side(busy), without: side(calm) }, { rounds: 3, seconds: SECONDS })

  printBench('changes', {
    ...{ streams: STREAMS, rounds: ROUNDS, commits: COMMITS, filings: FILINGS },
    ratios: {
      pageToRange: page.page.p50 / page.range.p50,
      madeToRange: page.made.p50 / page.range.p50,
      feedWithStreams: load.ratio('withStreams', 'without'),
      projectionWithLog: projection.withLog.p50 / projection.without.p50,
    },
    commitToLastStreamMs: fanOut,
    kilobytesPerStream: kilobytes,
    ms: { ...page, projection },
    perSecond: { withStreams: load.costs.withStreams.perSecond, without: load.costs.without.perSecond },
  })

  /** Projects invented filings one by one, with what callers are reported and without, in an order that changes. */
  async function projected() {
    const record = container.get(TYPES.recordFilings)
    const dependencies = {
      read: container.get(TYPES.readDocument),
      ledger: container.get(TYPES.ledger),
      analytics: container.get(TYPES.analytics),
      listings: container.get(TYPES.listings),
      alerts: container.get(TYPES.alerts),
    }
    const projectors = {
      withLog: makeProjector({ ...dependencies, doubted: container.get(TYPES.doubted) }),
      without: makeProjector(dependencies),
    }
    const times = { withLog: [] as number[], without: [] as number[] }
    const begun = Date.now()
    let number = 0
    while (number < FILINGS) {
      for (const [name, projector] of shuffled(Object.entries(projectors))) {
        const { accession, text } = inventedFiling((number += 1), { acceptedAt: (each) => begun + each * 1_000 })
        await record([{ path: `${accession}.txt`, bytes: Buffer.from(text) }])
        const from = performance.now()
        await projector.projectPending()
        if (number > FILINGS / 10) times[name as keyof typeof times].push(performance.now() - from)
      }
    }
    return { withLog: figures(times.withLog), without: figures(times.without) }
  }
} finally {
  for (const socket of sockets) socket.destroy()
  for (const service of services) service.stop()
  await store.close()
  await pool.end()
  await stores.release()
  rmSync(folder, { recursive: true, force: true })
}

/** Adds entries of callers to the log; returns the position of the last. */
async function append(count: number): Promise<number> {
  const { rows } = await pool.query<{ last: string }>(
    `WITH moved AS (UPDATE change_position SET last = last + $1 RETURNING last), logged AS (
      INSERT INTO changes (seq, id, type, issuer_ciks, data)
      SELECT last - $1 + n, 'bench/' || last - $1 + n, 'signal.changed', ARRAY['0001999001'], $2
      FROM moved, generate_series(1, $1) AS n)
     SELECT last, pg_notify('changes', '') FROM moved`,
    [count, data],
  )
  return Number(rows[0]!.last)
}

/** Asks for pages of the log over one connection, and for the same ranges of the table. */
async function pages(port: number) {
  const { rows } = await pool.query<{ from: string }>(
    'SELECT min(seq) AS "from" FROM changes WHERE id LIKE \'bench/%\'',
  )
  const start = Number(rows[0]!.from)
  const times = { page: [] as number[], made: [] as number[], range: [] as number[] }
  const make = listChanges(pool, exampleQueries)
  for (let round = -ROUNDS / 10; round < ROUNDS; round += 1) {
    const after = start + Math.floor(Math.random() * (LOGGED - PAGE))
    const asks = {
      page: () => askRaw(`http://127.0.0.1:${port}/v1/changes?after=${after}&limit=${PAGE}`),
      made: () => make({ after, limit: PAGE }),
      range: () =>
        pool.query('SELECT seq, id, type, at, data FROM changes WHERE seq > $1 ORDER BY seq LIMIT 100', [after]),
    }
    for (const [name, ask] of shuffled(Object.entries(asks))) {
      const from = performance.now()
      await ask()
      if (round >= 0) times[name as keyof typeof times].push(performance.now() - from)
    }
  }
  return { page: figures(times.page), made: figures(times.made), range: figures(times.range) }
}

/** Opens a stream, whose bytes are thrown away. */
async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  socket.on('data', () => {})
  return socket
}

/** Returns the time from a commit until its change was handed to the socket of the last stream. */
async function handed() {
  const { child } = services[0] as Awaited<ReturnType<typeof startHttpService>>
  const times: number[] = []
  const at = new Map<number, number>()
  child.on('message', (message: { handed?: number; at?: number }) => {
    if (message.handed !== undefined) at.set(message.handed, message.at!)
  })
  for (let commit = -COMMITS / 10; commit < COMMITS; commit += 1) {
    // Before the statement is sent, which is earlier than its commit.
    const from = performance.timeOrigin + performance.now()
    const position = await append(1)
    while (!at.has(position)) await sleep(1)
    if (commit >= 0) times.push(at.get(position)! - from)
    await sleep(20)
  }
  return figures(times)
}
