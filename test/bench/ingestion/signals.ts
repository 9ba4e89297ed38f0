// Signals over 5 million trades of 10,000 issuers, half of them in the open market: the whole history judged, with its
// memory; and then one issuer after the other judged again as after a live filing, in milliseconds, beside `SELECT 1`: its
// trades are remembered, since projecting the filing has just read them, all the rest is read.
// ROWS=5000000 LIVE=500. One JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCachedAnalyticsStore } from '../../../src/application/projection/cached-analytics-store.ts'
import { makeCachedSignalStore } from '../../../src/application/projection/cached-signal-store.ts'
import { makeProjectSignals } from '../../../src/application/projection/project-signals.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseSignalStore } from '../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import { printBench, quantile, SELECT_1 } from '../support/measure.ts'
import type { SignalQueue } from '../../../src/application/ports/analytics.ts'

const ROWS = Number(process.env.ROWS ?? 5_000_000)
const LIVE = Number(process.env.LIVE ?? 500)
const ISSUERS = 10_000
const BATCH = 500_000

// Twenty years; issuers differ in size as they do (the largest have some thousands of trades); ten insiders each, of whom the
// first is CEO; clusters come by chance, since trades of an issuer gather in quarters.
const fillSql = (from: number, rows: number) =>
  new Sql(`INSERT INTO incoming_trades (path, subject, filed_at, accession, n, id, issuer_cik, ticker,
    company_name, insider_name, insider_title, type, shares, price, total_value, significance, ceo, ceo_cfo, price_status, code,
    acquired_disposed, direct_indirect, trade_date, trade_day, filed_basis, plan, insider_cik, listed, profile_ciks, price_filed,
    security_title, symbols, filed_day, owner_ciks, owner_names, owner_titles, owner_roles, version, deleted)
  WITH cityHash64(number) AS h, cityHash64(number, 1) AS g,
    1000000 + toUInt64(floor(pow((h % 1000003) / 1000003, 1.35) * ${ISSUERS})) AS issuer,
    toDate32('2006-01-01') + 90 * (g % 81) + (cityHash64(number, issuer) % 30) AS day, 2000000 + issuer * 10 + intDiv(h, 1048576) % 10 AS owner,
    intDiv(h, 4294967296) % 100 AS dice
  SELECT 'issuer', issuer, toDateTime(day, 'UTC') + 86400 + number % 50000 AS filed_at,
    concat(leftPad(toString(number), 10, '0'), '-24-000001') AS accession, 1, concat(accession, '-nd-1'), issuer, concat('T', toString(issuer)),
    concat('Example Company ', toString(issuer)), concat('INSIDER ', toString(owner)), if(owner % 10 = 0, 'Chief Executive Officer', 'Director'),
    multiIf(dice < 15, 'buy', dice < 50, 'sell', 'award') AS type, 100 + g % 10000 AS shares, 10 + issuer % 200 AS price, shares * price, 'low',
    owner % 10 = 0, owner % 10 = 0, 'as_filed', multiIf(type = 'buy', 'P', type = 'sell', 'S', 'A'), if(type = 'sell', 'D', 'A'), 'D',
    toString(day), day, 'accepted', if(dice % 7 = 0, 'yes', 'unknown'), owner, true, [owner], price, 'Common Stock',
    [concat('T', toString(issuer))], toDate32(filed_at), [owner], [concat('INSIDER ', toString(owner))], ['Director'],
    [if(owner % 10 = 0, 3, 1)], 1, 0
  FROM numbers(${from}, ${rows}) SETTINGS max_execution_time = 0`)

const folder = mkdtempSync(join(tmpdir(), 'bench-signals-'))
const store = await ClickHouse.open({ path: folder, database: 'bench' })
let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20)
try {
  await migrateClickHouse(store)
  for (let from = 0; from < ROWS; from += BATCH) await store.command(fillSql(from, Math.min(BATCH, ROWS - from)))
  let version = 1
  let waiting: { issuerCik: string; version: number; historical: boolean }[] = []
  const queue: SignalQueue = {
    next: async () => waiting,
    requeueQuietly: async () => {},
    waiting: async () => ({ issuers: waiting.length, version }),
    done: async () => {
      waiting = []
    },
    markAsRaised: async () => {},
  }
  const nextVersion = async () => (version += 1)
  const detect = makeProjectSignals({
    store: new ClickHouseSignalStore(store),
    queue,
    rules: DEFAULT_RULES,
    nextVersion,
  })
  const analytics = makeCachedAnalyticsStore(new ClickHouseAnalyticsStore(store), new ChangeTracker())
  const live = makeProjectSignals({
    store: makeCachedSignalStore(new ClickHouseSignalStore(store), analytics, new ChangeTracker()),
    queue,
    rules: DEFAULT_RULES,
    nextVersion,
  })
  peak = 0
  let begun = performance.now()
  await detect.everything(
    () => {},
    (_, error) => {
      throw error
    },
  )
  const whole = performance.now() - begun
  const [found] = await store.rows<{ signals: number }>(
    sql`SELECT count() AS signals FROM signals FINAL WHERE path = 'issuer'`,
  )
  const [took, floor]: number[][] = [[], []]
  for (let number = 0; number < LIVE; number += 1) {
    // A trade like those before it, of an issuer taken by its size.
    await store.command(fillSql(ROWS + number, 1))
    const [row] = await store.rows<{ cik: string }>(sql`SELECT leftPad(toString(subject), 10, '0') AS cik FROM trades
      WHERE accession = ${`${String(ROWS + number).padStart(10, '0')}-24-000001`} AND path = 'issuer' LIMIT 1`)
    waiting = [{ issuerCik: row!.cik, version, historical: false }]
    await analytics.trades([row!.cik])
    begun = performance.now()
    await live.pending((_, error) => {
      throw error
    })
    took!.push(performance.now() - begun)
    begun = performance.now()
    await store.rows({ text: SELECT_1 })
    floor!.push(performance.now() - begun)
  }
  printBench('signals', {
    trades: ROWS,
    signals: found!.signals,
    wholeHistory: { seconds: whole / 1000, tradesPerSecond: ROWS / (whole / 1000), peakMiB: peak / 2 ** 20 },
    liveMs: { p50: quantile(took!, 0.5), p99: quantile(took!, 0.99) },
    ratios: { liveToSelect1: quantile(took!, 0.5) / quantile(floor!, 0.5) },
  })
} finally {
  clearInterval(watch)
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
