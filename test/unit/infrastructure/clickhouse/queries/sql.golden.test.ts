// The SQL of every query and every filter branch, as it reaches the engine. UPDATE_GOLDEN=1 records it again, so that
// the difference can be reviewed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import type { FeedFilter } from '../../../../../src/application/queries/transaction-requests.ts'
import type { SignalType } from '../../../../../src/domain/signals/signal.ts'
import type { Severity } from '../../../../../src/domain/trades/significance.ts'
import { LISTINGS_SQL, SECTORS_SQL } from '../../../../../src/infrastructure/clickhouse/queries/shared/company-list.ts'
import { topSignalsSql, topTradesSql } from '../../../../../src/infrastructure/clickhouse/queries/feed-stats.ts'
import {
  filingsSql,
  keysOfFilings,
  ownersOfFilingsSql,
  transactionsOfFilingsSql,
} from '../../../../../src/infrastructure/clickhouse/queries/filings.ts'
import { issuersOfSql } from '../../../../../src/infrastructure/clickhouse/queries/shared/filed-symbols.ts'
import {
  amendedFilingsSql,
  filingDetailsSql,
  filingNamesSql,
  listedTradesSql,
} from '../../../../../src/infrastructure/clickhouse/queries/filing.ts'
import {
  signalsOfRecordSql,
  tradesSql,
} from '../../../../../src/infrastructure/clickhouse/queries/aggregates/insider-record.ts'
import { newestSql, rankingsSql } from '../../../../../src/infrastructure/clickhouse/queries/aggregates/rankings.ts'
import { isKnownSql } from '../../../../../src/infrastructure/clickhouse/queries/aggregates/sentiment.ts'
import { sumsSql } from '../../../../../src/infrastructure/clickhouse/queries/aggregates/trade-sums.ts'
import { monthOf } from '../../../../../src/infrastructure/clickhouse/exports/columns.ts'
import { companyFileSql, symbolFileSql } from '../../../../../src/infrastructure/clickhouse/exports/directories.ts'
import {
  BALANCE_COLUMNS,
  DERIVATIVE_COLUMNS,
  filingRowFileSql,
  filingRowMonthsSql,
  HOLDING_COLUMNS,
} from '../../../../../src/infrastructure/clickhouse/exports/filing-rows.ts'
import { filingFileSql, filingMonthsSql } from '../../../../../src/infrastructure/clickhouse/exports/filings.ts'
import { signalFileSql, signalMonthsSql } from '../../../../../src/infrastructure/clickhouse/exports/signals.ts'
import { versionFileSql } from '../../../../../src/infrastructure/clickhouse/exports/transaction-versions.ts'
import {
  transactionFileSql,
  transactionMonthsSql,
} from '../../../../../src/infrastructure/clickhouse/exports/transactions.ts'
import {
  firstEvidenceSql,
  firstNameSql,
  issuerEvidenceSql,
  ownerEvidenceSql,
} from '../../../../../src/infrastructure/clickhouse/queries/positions.ts'
import { searchSql } from '../../../../../src/infrastructure/clickhouse/queries/search.ts'
import { storedTotalsSql, totalsSql } from '../../../../../src/infrastructure/clickhouse/queries/shared/list-totals.ts'
import { signalSql, tradesOfSignal } from '../../../../../src/infrastructure/clickhouse/queries/signal.ts'
import { noticesOfFilingSql } from '../../../../../src/infrastructure/clickhouse/queries/filing.ts'
import {
  filedSymbolsSql,
  noticeSql,
  noticesSql,
} from '../../../../../src/infrastructure/clickhouse/queries/notices/notices.ts'
import { noticesOfSalesSql } from '../../../../../src/infrastructure/clickhouse/queries/shared/complete-details.ts'
import {
  PRICE_STATE_SQL,
  symbolsOfTradesSql,
} from '../../../../../src/infrastructure/clickhouse/queries/shared/returns.ts'
import { closesSql } from '../../../../../src/infrastructure/clickhouse/stores/price-store.ts'
import { signalsAsOfSql, signalsSql } from '../../../../../src/infrastructure/clickhouse/queries/signals.ts'
import { profileSql, recentAsOfSql } from '../../../../../src/infrastructure/clickhouse/queries/shared/profile.ts'
import {
  conditionsOf,
  namedFilterCondition,
} from '../../../../../src/infrastructure/clickhouse/queries/feed/filter-sql.ts'
import {
  FILED_SECTORS_SQL,
  sectorCondition,
} from '../../../../../src/infrastructure/clickhouse/queries/shared/issuer-sectors.ts'
import {
  findSql,
  verifySql,
  windowSql,
  type RowCriteria,
} from '../../../../../src/infrastructure/clickhouse/queries/feed/filtered-rows.ts'
import {
  FEED_LIST,
  listOfCompany,
  listOfInsider,
} from '../../../../../src/infrastructure/clickhouse/queries/shared/transaction-list.ts'
import { Sql, sql } from '../../../../../src/infrastructure/clickhouse/connection/sql.ts'

const GOLDEN = join(import.meta.dirname, '../../../../fixtures/golden-sql.txt')
const now = Date.UTC(2026, 10, 20, 12) / 1000

function statements(): [string, Sql][] {
  const after = { place: '6553F1000001234567-24-000001 00000002', value: '' }
  const ofFeed: RowCriteria = { lists: [FEED_LIST], conditions: [], sort: 'newest', rows: 21, detail: false }
  const filters: (FeedFilter | undefined)[] = [undefined, 'buys', 'sells', 'high', 'ceo_cfo']
  const feeds = filters.flatMap((filter) =>
    [undefined, after].flatMap((cursor) =>
      [undefined, now].map((from): [string, Sql] => [
        `feed filter=${filter ?? 'none'} cursor=${cursor ? 'yes' : 'no'} window=${from ? 'yes' : 'no'}`,
        windowSql({ ...ofFeed, conditions: filter ? [namedFilterCondition(filter)] : [], after: cursor, from }),
      ]),
    ),
  )
  const keys = keysOfFilings([{ place: '6553F1000001234567-24-000001', issuer: 1067983, owners: [1214156] }])
  const bounds = {
    after: { filedAt: 1_700_000_000, accession: '0001234567-24-000001' },
    from: 1_690_000_000,
    before: 1_710_000_000,
    forms: ['4', '4/A'] as const,
    issuers: [1067983],
  }
  const filing = { accession: '0001234567-24-000001', issuerCik: '0001067983', filedAt: 1_700_000_000 }
  const types: (SignalType | undefined)[] = [undefined, 'cluster_buy']
  const severities: (Severity | undefined)[] = [undefined, 'high']
  const place = { detectedAt: 1_700_000_000, id: 'cluster_buy-1' }
  const signals = types.flatMap((type) =>
    severities.flatMap((severity) =>
      [undefined, place].map((cursor): [string, Sql] => [
        `signals type=${type ?? 'none'} severity=${severity ?? 'none'} cursor=${cursor ? 'yes' : 'no'}`,
        signalsSql({
          ...(type && { type }),
          ...(severity && { severity }),
          ...(cursor && { after: cursor }),
          rows: 21,
        }),
      ]),
    ),
  )
  const search = { symbol: "o'n", kinds: undefined, limit: 10 }
  return [
    ...feeds,
    ['feed with detail', windowSql({ ...ofFeed, detail: true })],
    ...signals,
    ['signal', signalSql('cluster_buy-1067983-0001234567-24-000001-nd-2')],
    ['transactions of a signal', tradesOfSignal(1067983, ['0001234567-24-000001-nd-2', '0001234567-24-000003-nd-1'])],
    ['top trades', topTradesSql(now)],
    ['top signals', topSignalsSql(now)],
    ["the SEC's company list", LISTINGS_SQL],
    ['sectors that EDGAR gives', SECTORS_SQL],
    ['company profile', profileSql(listOfCompany(1067983), false)],
    ['company profile as of an instant', recentAsOfSql(listOfCompany(1067983), true, now)],
    ['stored totals of companies', storedTotalsSql([listOfCompany(1067983), listOfCompany(320193)])],
    ['totals of companies', totalsSql([listOfCompany(1067983), listOfCompany(320193)])],
    ['totals of companies as of an instant', totalsSql([listOfCompany(1067983), listOfCompany(320193)], now)],
    ['search', searchSql({ ...search, words: [['neil', 'oneil'], ['o']] })],
    ['search of companies', searchSql({ ...search, words: [['j']], kinds: ['company'] })],
    ['filings', filingsSql({ lists: ['f'], rows: 21 })],
    ['filings of two owners', filingsSql({ lists: ['i0001214156', 'i0001214157'], rows: 21, ...bounds })],
    ['owners of filings', ownersOfFilingsSql(keys)],
    ['transactions of filings', transactionsOfFilingsSql(keys)],
    ['issuers of symbols', issuersOfSql(['BRK-A', 'BRK-B'])],
    ['issuers of symbols as of an instant', issuersOfSql(['BRK-A'], now)],
    ['listed trades of a filing', listedTradesSql(filing)],
    ['filings that one amends', amendedFilingsSql(filing)],
    ['what a data set says of a filing', filingDetailsSql(filing)],
    ['names in a filing', filingNamesSql({ ...filing, ownerCiks: ['0001214156'] })],
    ['insider profile', profileSql(listOfInsider(1214156), true)],
    ['evidence of an insider', ownerEvidenceSql('0001214156')],
    ['evidence of an issuer', issuerEvidenceSql(320193, 1_700_000_000)],
    ['first name of an owner', firstNameSql('0001214156')],
    ['first evidence of an issuer', firstEvidenceSql(320193)],
    ...searches(),
    ...aggregates(),
    ...monthFiles(),
    ['sectors by filings', FILED_SECTORS_SQL],
    ['signals as of an instant', signalsAsOfSql({ issuers: [1067983], minSeverity: 'medium', rows: 21, asOf: now })],
    ['notices', noticesSql({ day: '2026-01-02', rows: 21 })],
    [
      'notices by every condition',
      noticesSql({
        ...{ issuers: [1067983], insiderCiks: ['0000000001'], minValue: '1000000.5', plan: 'yes', states: ['open'] },
        ...{ filed: SPAN, after: '9B000000 0000000001-24-000001', day: '2026-01-02', rows: 21 },
      }),
    ],
    [
      'notices as of an instant',
      noticesSql({ states: ['open'], plan: 'not_stated', asOf: 1_700_000_000, day: '2023-11-14', rows: 200 }),
    ],
    ['a notice', noticeSql('0000000001-24-000001')],
    ['symbols of unlisted companies', filedSymbolsSql([1067983])],
    ['notices of sales', noticesOfSalesSql(['0000000001-24-000001-nd-1'])],
    ['what is known of prices', PRICE_STATE_SQL],
    ['closes', closesSql([sql`('EXWI', 2025)`, sql`('EXWI', 2026)`], 20_341, 20_538)],
    ['symbols of trades', symbolsOfTradesSql('i0001214156')],
    ['notices of a filing', noticesOfFilingSql('0000000001-24-000001')],
    [
      'signals of insiders and sectors',
      signalsSql({ insiders: [1234567], ofSectors: sql`issuer_cik NOT IN ${[1067983]}`, rows: 21 }),
    ],
    ['signals of insiders as of an instant', signalsAsOfSql({ insiders: [1234567], rows: 21, asOf: now })],
    ['signals of companies', signalsSql({ issuers: [1067983], detected: SPAN, minSeverity: 'medium', rows: 21 })],
  ]
}

const SPAN = { from: 1_690_000_000, before: 1_710_000_000 }

/** Every condition of a filter, in both orders, and the ways to look for rows. */
function aggregates(): [string, Sql][] {
  const range = { from: '2024-01-01', end: '2024-04-01' }
  const company = listOfCompany(1067983)
  const filter = { roles: ['ceo'], plans: ['no'], routine: false } as const
  const ranking = { of: 'companies', by: 'buyValue', days: 7, limit: 20 } as const
  return [
    ['sums of a company', sumsSql({ list: company, by: 'filed', interval: 'month', range, filter })],
    [
      'sums of a company as of an instant',
      sumsSql({ list: company, by: 'traded', interval: 'month', range, filter, asOf: now }),
    ],
    ['sums of all', sumsSql({ list: 'f', by: 'traded', interval: 'week', range, filter: {} })],
    ['whether a company is known', isKnownSql(company)],
    ['ranking of companies', rankingsSql(ranking, range, null)],
    ['ranking of insiders', rankingsSql({ ...ranking, of: 'insiders', by: 'netValue', minValue: '100' }, range, null)],
    [
      'ranking of insiders as of an instant',
      rankingsSql({ ...ranking, of: 'insiders', by: 'sells', asOf: now }, range, sql`issuer_cik IN ${[1067983]}`),
    ],
    ['newest trades of a ranking', newestSql(['f:6553F1000001234567-24-000001 00000002'])],
    ['trades of a record', tradesSql('i0001214156')],
    ['signals of a record', signalsOfRecordSql('i0001214156')],
  ]
}

function monthFiles(): [string, Sql][] {
  const month = monthOf('2024-02')
  return [
    ['months of transactions', transactionMonthsSql(SECTORS)],
    ['transactions of a month', transactionFileSql(month, SECTORS)],
    ['versions of a month', versionFileSql(month, SECTORS)],
    ['months of signals', signalMonthsSql],
    ['signals of a month', signalFileSql(month)],
    ['months of filings', filingMonthsSql],
    ['filings of a month', filingFileSql(month, [['0001234567-24-000001', now]])],
    ['filings of a month without documents', filingFileSql(month, [])],
    ['months of rows of filings', filingRowMonthsSql],
    ['derivatives of a month', filingRowFileSql('derivatives', DERIVATIVE_COLUMNS)],
    ['holdings of a month', filingRowFileSql('holdings', HOLDING_COLUMNS)],
    ['balances of a month', filingRowFileSql('balances', BALANCE_COLUMNS)],
    ['symbols in filings', symbolFileSql],
    ['companies with filings', companyFileSql(SECTORS)],
  ]
}

function searches(): [string, Sql][] {
  const conditions = conditionsOf({
    types: ['buy', 'sell'],
    codes: ['P', ''],
    roles: ['ceo', 'cfo'],
    ownership: 'direct',
    plans: ['no', 'unknown'],
    routine: false,
    late: true,
    firstBuyYears: 3,
    minSignificance: 'high',
    value: { min: '250000', max: '1000000.5' },
    shares: { min: '0.5', max: '1000000' },
    holdingChange: { min: -0.5, max: 1.25 },
    traded: { min: '2023-07-01', max: '2023-12-31' },
  })
  const place = '6553F1000001234567-24-000001 00000002'
  const feed = { lists: [FEED_LIST], conditions, rows: 42, detail: false }
  const companies = { ...feed, lists: [listOfCompany(1067983), listOfCompany(320193)], detail: true }
  const bounds = { from: SPAN.from, until: SPAN.before }
  const after = { place, value: '250000.5' }
  return [
    ['feed, window of a filter', windowSql({ ...feed, sort: 'newest', from: SPAN.from })],
    ['feed, places of a filter', findSql({ ...feed, sort: 'newest' })],
    ['feed, places behind one', findSql({ ...feed, ...bounds, sort: 'newest', after })],
    ['feed, places by value', findSql({ ...feed, ...bounds, sort: 'value' })],
    ['feed, places by value behind one', findSql({ ...feed, ...bounds, sort: 'value', after })],
    [
      'feed, places by the change of the holding behind one',
      findSql({ ...feed, conditions: [sql`late = false`], sort: 'holdingChange', after: { place, value: '0.5' } }),
    ],
    [
      'feed, rows at places by the change of the holding',
      verifySql({ ...feed, sort: 'holdingChange' }, [`f:${place}`]),
    ],
    ['companies, places', findSql({ ...companies, ...bounds, sort: 'newest', after })],
    ['feed, rows at places', verifySql({ ...feed, sort: 'newest' }, [`f:${place}`])],
    ['companies, rows at places by value', verifySql({ ...companies, sort: 'value' }, [`c0001067983:${place}`])],
    ['feed as of an instant', windowSql({ ...feed, sort: 'newest', conditions: [], asOf: now, until: now + 1 })],
    ['feed of sectors', windowSql({ ...feed, sort: 'newest', conditions: [sectorCondition(['Energy'], SECTORS)] })],
    [
      'feed of other sectors',
      windowSql({ ...feed, sort: 'newest', conditions: [sectorCondition(['Unknown'], SECTORS)] }),
    ],
  ]
}
const SECTORS = new Map([
  [1067983, 'Financials'],
  [320193, 'Energy'],
])

describe('the SQL of queries', () => {
  it('equals the recorded SQL, for every filter branch', () => {
    const written = statements()
      .map(([name, { text }]) => `-- ${name}\n${text.replace(/\s+/g, ' ').trim()}\n`)
      .join('\n')
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    assert.strictEqual(written, readFileSync(GOLDEN, 'utf8'))
  })

  // PREWHERE takes rows out before the newest of a key is chosen, and an older one comes back.
  it('never has PREWHERE, which with FINAL shows replaced rows', () => {
    for (const [name, { text }] of statements()) assert.notMatch(text, /PREWHERE/i, name)
  })

  it('takes values through typed literals only', () => {
    assert.strictEqual(sql`${"O'Neil \\ \n"}`.text, "'O\\'Neil \\\\ \n'")
    assert.strictEqual(
      sql`${['a', 'b']} ${[1, 2]} ${new Date(now * 1000)}`.text,
      "('a', 'b') (1, 2) toDateTime(1795176000, 'UTC')",
    )
    assert.throws(() => sql`${1.5}`, 'not a whole number')
    assert.throws(() => sql`${Number.NaN}`, 'not a whole number')
    assert.throws(() => sql`${'a\0b'}`, 'NUL')
    assert.throws(() => sql`${[]}`, 'empty list')
  })
})
