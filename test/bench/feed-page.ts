// A cold feed page over 5 million rows against `SELECT 1` on the same engine in the same run, at three depths and for each
// filter; and the two table designs against each other: rows replaced (read with FINAL) or immutable (plain MergeTree).
// ROWS=5000000 ROUNDS=200. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse } from '../../src/infrastructure/clickhouse/client.ts'
import { migrateClickHouse } from '../../src/infrastructure/clickhouse/migrate.ts'
import { feed } from '../../src/infrastructure/clickhouse/queries/feed.ts'
import { encodeCursor } from '../../src/infrastructure/clickhouse/cursor.ts'
import { Sql, sql } from '../../src/infrastructure/clickhouse/sql.ts'
import { printBench, quantile, shuffled } from './measure.ts'

const ROWS = Number(process.env.ROWS ?? 5_000_000)
const ROUNDS = Number(process.env.ROUNDS ?? 200)
// 20 years of filings, two trades each.
const START = 1_163_000_000
const STEP = Math.floor(20 * 365 * 86_400 / (ROWS / 2))

async function fill(store: ClickHouse): Promise<void> {
  await store.command(sql`INSERT INTO trades (path, subject, filed_at, accession, n, id, issuer_cik, ticker, company_name, insider_name, insider_title,
    type, shares, price, total_value, significance, signals, ceo_cfo, price_status, version, deleted) SELECT 'feed' AS path, 0 AS subject, toDateTime(${START} + intDiv(number, 2) * ${STEP}, 'UTC') AS filed_at,
    concat(leftPad(toString(intDiv(number, 2)), 10, '0'), '-24-000001') AS accession, number % 2 + 1 AS n,
    concat(accession, '-nd-', toString(n)) AS id, number % 8000 + 1 AS issuer_cik, concat('T', toString(number % 8000)) AS ticker,
    concat('Example Company ', toString(number % 8000)) AS company_name, concat('Insider ', toString(number % 90000)) AS insider_name,
    ['Director', 'Chief Executive Officer', 'Chief Financial Officer, Director', 'Officer'][number % 4 + 1] AS insider_title,
    ['buy', 'sell', 'award', 'exercise', 'tax_withholding', 'other'][cityHash64(number) % 6 + 1] AS type,
    number % 100000 AS shares, (number % 50000) / 100 AS price, shares * price AS total_value,
    multiIf(cityHash64(number, 1) % 100 = 0, 'critical', cityHash64(number, 1) % 100 < 4, 'high', 'low') AS significance,
    [] AS signals, cityHash64(number, 2) % 20 = 0 AS ceo_cfo, 'as_filed' AS price_status, 1 AS version, 0 AS deleted
    FROM numbers(${ROWS}) SETTINGS max_execution_time = 0`)
  await store.command(sql`OPTIMIZE TABLE trades FINAL SETTINGS max_execution_time = 0`)
  await store.command(sql`CREATE TABLE trades_plain AS trades ENGINE = MergeTree ORDER BY (path, subject, filed_at DESC, accession DESC, n DESC)
    SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1`)
  await store.command(sql`INSERT INTO trades_plain SELECT * FROM trades SETTINGS max_execution_time = 0`)
  await store.command(sql`OPTIMIZE TABLE trades_plain FINAL SETTINGS max_execution_time = 0`)
}

function cursorAt(of: string, depth: number): string {
  const filing = Math.floor((ROWS / 2) * (1 - depth) - Math.random() * 1000)
  return encodeCursor(of, [START + filing * STEP, `${String(filing).padStart(10, '0')}-24-000001`, 1])
}

const folder = mkdtempSync(join(tmpdir(), 'bench-feed-'))
const store = await ClickHouse.open({ path: folder, database: 'bench' })
try {
  await migrateClickHouse(store)
  await fill(store)
  const ask = feed(store)
  // The same question with the table's other design, through the same window and cursor code.
  const plain = feed({
    rows: (query: Sql) => store.rows(new Sql(query.text.replace('FROM trades FINAL', 'FROM trades_plain'))),
  } as unknown as ClickHouse)
  const asks: Record<string, () => Promise<unknown>> = {
    select1: () => store.rows(sql`SELECT 1 AS one`),
    newest: () => ask({ limit: 20 }),
    depth50: () => ask({ limit: 20, cursor: cursorAt('feed:', 0.5) }),
    depth99: () => ask({ limit: 20, cursor: cursorAt('feed:', 0.985) }),
    plainNewest: () => plain({ limit: 20 }),
    plainDepth50: () => plain({ limit: 20, cursor: cursorAt('feed:', 0.5) }),
  }
  for (const filter of ['buys', 'sells', 'high', 'ceo_cfo'] as const) {
    asks[filter] = () => ask({ filter, limit: 20, cursor: cursorAt(`feed:${filter}`, 0.5) })
  }
  await Promise.all(Object.values(asks).map((act) => act()))
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(asks).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, act] of shuffled(Object.entries(asks))) {
      const start = performance.now()
      await act()
      times[name]!.push(performance.now() - start)
    }
  }
  const p50 = (name: string) => quantile(times[name]!, 0.5)
  printBench('feed-page', {
    rows: ROWS,
    ms: Object.fromEntries(Object.keys(asks).map((name) => [name, { p50: p50(name), p99: quantile(times[name]!, 0.99) }])),
    ratios: {
      newestToSelect1: p50('newest') / p50('select1'),
      depth50ToSelect1: p50('depth50') / p50('select1'),
      depth99ToDepth50: p50('depth99') / p50('depth50'),
      worstFilterToUnfiltered: Math.max(...['buys', 'sells', 'high', 'ceo_cfo'].map(p50)) / p50('depth50'),
      replacedToImmutableNewest: p50('newest') / p50('plainNewest'),
      replacedToImmutableDepth50: p50('depth50') / p50('plainDepth50'),
    },
  })
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
