// The SQL of every question and every filter branch, as it reaches the engine. UPDATE_GOLDEN=1 writes it anew; the
// difference is then there to be reviewed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import type { FeedFilter, Severity, SignalType } from '../../../../../src/application/queries/queries.ts'
import * as company from '../../../../../src/infrastructure/clickhouse/queries/company.ts'
import { topSignalsSql, topTradesSql } from '../../../../../src/infrastructure/clickhouse/queries/feed-stats.ts'
import { feedSql } from '../../../../../src/infrastructure/clickhouse/queries/feed.ts'
import * as insider from '../../../../../src/infrastructure/clickhouse/queries/insider.ts'
import { signalSql, tradesOfSignalSql } from '../../../../../src/infrastructure/clickhouse/queries/signal.ts'
import { signalsSql } from '../../../../../src/infrastructure/clickhouse/queries/signals.ts'
import { sql, type Sql } from '../../../../../src/infrastructure/clickhouse/connection/sql.ts'

const GOLDEN = join(import.meta.dirname, '../../../../fixtures/golden-sql.txt')
const now = new Date(Date.UTC(2026, 10, 20, 12))

function statements(): [string, Sql][] {
  const after = { filedAt: 1_700_000_000, accession: '0001234567-24-000001', place: 2 }
  const filters: (FeedFilter | undefined)[] = [undefined, 'buys', 'sells', 'high', 'ceo_cfo']
  const feeds = filters.flatMap((filter) =>
    [undefined, after].flatMap((cursor) =>
      [null, now].map((oldest): [string, Sql] => [
        `feed filter=${filter ?? 'none'} cursor=${cursor ? 'yes' : 'no'} window=${oldest ? 'yes' : 'no'}`,
        feedSql({ ...(filter && { filter }), ...(cursor && { after: cursor }), oldest, rows: 21 }),
      ]),
    ),
  )
  const types: (SignalType | undefined)[] = [undefined, 'cluster_buy']
  const severities: (Severity | undefined)[] = [undefined, 'high']
  const place = { detectedAt: 1_700_000_000, id: 'cluster_buy-1' }
  const signals = types.flatMap((type) =>
    severities.flatMap((severity) =>
      [undefined, place].flatMap((cursor) =>
        [null, now].map((oldest): [string, Sql] => [
          `signals type=${type ?? 'none'} severity=${severity ?? 'none'} cursor=${cursor ? 'yes' : 'no'} window=${oldest ? 'yes' : 'no'}`,
          signalsSql({
            ...(type && { type }),
            ...(severity && { severity }),
            ...(cursor && { after: cursor }),
            oldest,
            rows: 21,
          }),
        ]),
      ),
    ),
  )
  return [
    ...feeds,
    ['feed with detail', feedSql({ oldest: null, rows: 21, detail: 'full' })],
    ['feed with detail, beside older rows', feedSql({ oldest: null, rows: 21, detail: 'of-every-generation' })],
    ...signals,
    ['signal', signalSql('cluster_buy-1067983-0001234567-24-000001-nd-2')],
    [
      'transactions of a signal',
      tradesOfSignalSql(1067983, ['0001234567-24-000001-nd-2', '0001234567-24-000003-nd-1']),
    ],
    ['top buys', topTradesSql('buy', now)],
    ['top sells', topTradesSql('sell', now)],
    ['top signals', topSignalsSql(now)],
    ['issuer of a symbol', company.issuerOfSql('BRK-B')],
    ['issuer in the SEC list', company.listedAsSql(1067983)],
    ['issuer in its filings', company.filedAsSql(1067983)],
    ['company totals', company.companyTotalsSql(1067983)],
    ['company recent', company.recentOfCompanySql(1067983)],
    ['company top insiders', company.topInsidersSql(1067983)],
    ['insider name', insider.insiderNameSql(1214156)],
    ['insider titles', insider.insiderTitlesSql(1214156)],
    ['insider companies', insider.insiderCompaniesSql(1214156)],
    ['insider recent', insider.recentOfInsiderSql(1214156)],
  ]
}

describe('the SQL of queries', () => {
  it('is what was reviewed, for every filter branch', () => {
    const written = statements()
      .map(([name, { text }]) => `-- ${name}\n${text.replace(/\s+/g, ' ').trim()}\n`)
      .join('\n')
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    assert.strictEqual(written, readFileSync(GOLDEN, 'utf8'))
  })

  it('takes values through typed literals only', () => {
    assert.strictEqual(sql`${"O'Neil \\ \n"}`.text, "'O\\'Neil \\\\ \n'")
    assert.strictEqual(sql`${['a', 'b']} ${[1, 2]} ${now}`.text, "('a', 'b') (1, 2) toDateTime(1795176000, 'UTC')")
    assert.throws(() => sql`${1.5}`, 'not a whole number')
    assert.throws(() => sql`${Number.NaN}`, 'not a whole number')
    assert.throws(() => sql`${'a\0b'}`, 'NUL')
    assert.throws(() => sql`${[]}`, 'empty list')
  })
})
