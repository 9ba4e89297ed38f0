// A cold feed page over 5 million rows against `SELECT 1` on the same engine in the same run, at three depths and for each
// filter; and the two table designs against each other: rows replaced (read with FINAL) or immutable (plain MergeTree).
// ROWS=5000000 ROUNDS=200. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClickHouse } from '../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../src/infrastructure/clickhouse/connection/migrate.ts'
import { feed } from '../../src/infrastructure/clickhouse/queries/feed.ts'
import { Sql, sql } from '../../src/infrastructure/clickhouse/connection/sql.ts'
import { NOTHING_KEPT } from '../support/stores/clickhouse.ts'
import { cursorAt, fillFeed } from './invented-feed.ts'
import { printBench, quantile, shuffled } from './measure.ts'

const ROWS = Number(process.env.ROWS ?? 5_000_000)
const ROUNDS = Number(process.env.ROUNDS ?? 200)
/** The same rows in the table's other design. */
async function fillPlain(store: ClickHouse): Promise<void> {
  await store.command(sql`CREATE TABLE trades_plain AS trades ENGINE = MergeTree ORDER BY (path, subject, filed_at DESC, accession DESC, n DESC)
    SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 10737418240, allow_experimental_reverse_key = 1`)
  await store.command(sql`INSERT INTO trades_plain SELECT * FROM trades SETTINGS max_execution_time = 0`)
  await store.command(sql`OPTIMIZE TABLE trades_plain FINAL SETTINGS max_execution_time = 0`)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-feed-'))
const store = await ClickHouse.open({ path: folder, database: 'bench' })
try {
  await migrateClickHouse(store)
  await fillFeed(store, ROWS)
  await fillPlain(store)
  const ask = feed(store, async () => 'none', NOTHING_KEPT)
  // The same question with the table's other design, through the same window and cursor code.
  const plain = feed(
    {
      rows: (query: Sql) => store.rows(new Sql(query.text.replace('FROM trades FINAL', 'FROM trades_plain'))),
    } as unknown as ClickHouse,
    async () => 'none',
    NOTHING_KEPT,
  )
  const asks: Record<string, () => Promise<unknown>> = {
    select1: () => store.rows(sql`SELECT 1 AS one`),
    newest: () => ask({ limit: 20 }),
    depth50: () => ask({ limit: 20, cursor: cursorAt('feed:', 0.5, ROWS) }),
    depth99: () => ask({ limit: 20, cursor: cursorAt('feed:', 0.985, ROWS) }),
    plainNewest: () => plain({ limit: 20 }),
    plainDepth50: () => plain({ limit: 20, cursor: cursorAt('feed:', 0.5, ROWS) }),
  }
  for (const filter of ['buys', 'sells', 'high', 'ceo_cfo'] as const) {
    asks[filter] = () => ask({ filter, limit: 20, cursor: cursorAt(`feed:${filter}`, 0.5, ROWS) })
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
    ms: Object.fromEntries(
      Object.keys(asks).map((name) => [name, { p50: p50(name), p99: quantile(times[name]!, 0.99) }]),
    ),
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
