// Filings per second from document to visible in the feed, end to end: read, recorded in PostgreSQL, projected into
// ClickHouse; beside the reading alone. And one filing at a time: from the document in hand to the feed, in
// milliseconds, half of an issuer that the projection remembers and half of one that it reads first; beside it the
// least that a store needs at that moment for anything. All those issuers are watched, so that each filing also queues
// an event: from the document in hand until it is queued. FILINGS=5000 ONE_BY_ONE=1000. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ensureStores } from '../../../src/infrastructure/embedded/stores.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { newYork } from '../../support/edgar/simulator/new-york.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { addKey } from '../../support/service/alerts.ts'
import { printBench, quantile } from '../support/measure.ts'

const FILINGS = Number(process.env.FILINGS ?? 5_000)
const ONE_BY_ONE = Number(process.env.ONE_BY_ONE ?? 1_000)

const ISSUERS = Math.ceil(FILINGS / 10)
const cikOf = (number: number) => String(1_900_000 + (number % ISSUERS)).padStart(10, '0')

// As filings come: 1.5 rows each, 10 filings an issuer and 3 an insider on average, over ten years; those that are
// ingested one by one are of now.
function invented(number: number): { path: string; bytes: Buffer } {
  const accession = `0001999001-25-${String(number).padStart(6, '0')}`
  const now = number < FILINGS ? null : newYork(Date.now())
  const day = now?.date ?? new Date(Date.UTC(2015, 0, 1) + (number % 3650) * 86_400_000).toISOString().slice(0, 10)
  const text = submissionText({
    accession,
    acceptedAt:
      now?.stamp ??
      `${day.replaceAll('-', '')}${String(100_000 + (number % 50_000)).padStart(6, '0')}`.replace(
        /[6-9](\d)(?=(\d\d)?$)/g,
        '5$1',
      ),
    issuer: { cik: cikOf(number), tickerRaw: `EX${number % ISSUERS}` },
    owners: [{ cik: String(1_700_000 + (number % Math.ceil(FILINGS / 3))).padStart(10, '0'), isDirector: true }],
    rows: Array.from({ length: 1 + (number % 2) }, (_, row) => ({
      date: day,
      shares: String(100 + number + row),
      price: '25.5',
    })),
  })
  return { path: `${accession}.txt`, bytes: Buffer.from(text) }
}

// Nine of ten issuers are in the SEC's list; of the others the symbols typed are looked up.
const listed = Array.from({ length: ISSUERS }, (_, number) => number)
  .filter((number) => number % 10 > 0)
  .map((number) => ({ ticker: `EX${number}`, cik: cikOf(number), name: `Example ${number}`, exchange: 'NYSE' }))

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const figures = (times: number[]) => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) })

const folder = mkdtempSync(join(tmpdir(), 'bench-ingest-'))
const stores = await ensureStores({ dataDir: folder, databaseUrl: null, redisUrl: null })
const pool = openPool({ url: stores.databaseUrl, name: 'bench' })
const options = { path: join(folder, 'clickhouse'), database: 'bench', historyDir: join(folder, 'history') }
const store = await ClickHouse.open(options)
try {
  await migratePostgres(pool)
  await migrateClickHouse(store)
  const container = createContainer({ pool, analytics: { ...options, clickHouse: store } })
  const [read, record, projector] = [
    container.get(TYPES.readDocument),
    container.get(TYPES.recordFilings),
    container.get(TYPES.projector),
  ]
  const analytics = container.get(TYPES.analytics)
  await container.get(TYPES.companyList).replace(listed, 'bench', Buffer.alloc(32))
  await container.get(TYPES.refreshCompanies)(() => {})
  const documents = Array.from({ length: FILINGS + ONE_BY_ONE }, (_, number) => invented(number))
  const bulk = documents.slice(0, FILINGS)

  let start = performance.now()
  for (const { bytes, path } of bulk) await read(bytes, path)
  const reading = performance.now() - start
  start = performance.now()
  for (let from = 0; from < bulk.length; from += 100) await record(bulk.slice(from, from + 100))
  const recording = performance.now() - start
  start = performance.now()
  await projector.projectPending()
  const projecting = performance.now() - start

  // From here on pages show it, and answers in memory are made again.
  let visibleAt = 0
  const changes = container.get(TYPES.changes)
  const recordChange = changes.record.bind(changes)
  let isFirst = false
  changes.record = (change) => {
    if (isFirst) visibleAt = performance.now()
    isFirst = false
    recordChange(change)
  }
  const cached: number[] = [],
    readFirst: number[] = [],
    settled: number[] = [],
    engine: number[] = [],
    disk: number[] = []
  await pool.query('CREATE TABLE bare (n integer)')
  await addKey(pool, 'bench')
  await pool.query(
    `INSERT INTO watchlist (key_id, ticker, webhook_url)
    SELECT 'bench', ticker, 'https://example.com/' FROM unnest($1::text[]) AS ticker`,
    [listed.map(({ ticker }) => ticker)],
  )
  for (const [number, document] of documents.slice(FILINGS).entries()) {
    const issuer = cikOf(FILINGS + number)
    const isRemembered = number % 4 < 2
    analytics.invalidate()
    if (isRemembered) await Promise.all([analytics.trades([issuer]), analytics.newestSymbols([issuer], [])])
    isFirst = true
    const begun = performance.now()
    settled.push(await timed(() => record([document]).then(() => projector.projectPending())))
    ;(isRemembered ? cached : readFirst).push(visibleAt - begun)
    engine.push(await timed(() => store.ping()))
    disk.push(await timed(() => pool.query('INSERT INTO bare VALUES (1)')))
  }
  const perSecond = (ms: number) => FILINGS / (ms / 1000)
  const { rows: queued } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM deliveries')
  printBench('ingest', {
    filings: FILINGS,
    filingsPerSecond: {
      endToEnd: perSecond(recording + projecting),
      readAlone: perSecond(reading),
      recorded: perSecond(recording),
      projected: perSecond(projecting),
    },
    ratios: { endToEndToReadAlone: reading / (recording + projecting) },
    documentToVisibleMs: {
      ...figures([...cached, ...readFirst]),
      cached: figures(cached),
      readFirst: figures(readFirst),
    },
    // The event is committed with what marks the filing as projected.
    documentToQueuedMs: { ...figures(settled), queued: queued[0]!.n, filings: ONE_BY_ONE },
    leastMs: { 'SELECT 1': figures(engine), 'PostgreSQL insert': figures(disk) },
  })
} finally {
  await store.close()
  await pool.end()
  await stores.release()
  rmSync(folder, { recursive: true, force: true })
}
