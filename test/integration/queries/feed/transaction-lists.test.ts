// The lists of transactions against the trades that they are made from: every place of every trade, its JSON text
// against the columns, byte for byte as JavaScript writes it. For real filings, an invented history with labels, a data
// set, and after a rebuild.
import { tradeDateStatus } from '../../../../src/domain/trades/trade-date.ts'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../../src/container/tokens.ts'
import { Sql, sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { writeInventedDataSet } from '../../../support/edgar/invented/data-set.ts'
import { inventedFiling } from '../../../support/edgar/invented/filings.ts'
import { documentsFolder, haveRealFilings } from '../../../support/filings/truth.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

interface Row {
  [column: string]: any
  owner_ciks: number[]
  owner_titles: string[]
  profile_ciks: number[]
}

const cikOf = (cik: number) => String(cik).padStart(10, '0')
const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0')
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** What the contract says of a trade, from its columns. */
function transactionOf(row: Row) {
  return {
    id: row.id,
    ticker: row.ticker,
    companyName: row.company_name,
    insiderName: row.insider_name,
    insiderTitle: row.insider_title,
    transactionType: row.type,
    shares: Number(row.shares_text),
    pricePerShare: Number(row.price_text),
    totalValue: Number(row.total_value_text),
    filingDate: timeOf(row.at),
    significance: row.significance,
    signals: row.signals,
  }
}

function holdingChangeOf(row: Row): number | null {
  if (row.shares_after_text === null || !['A', 'D'].includes(row.acquired_disposed)) return null
  const moved = Number(row.shares_text) * (row.acquired_disposed === 'D' ? -1 : 1)
  const before = Number(row.shares_after_text) - moved
  return before > 0 ? Math.floor((moved / before) * 10_000 + 0.5) / 10_000 : null
}

function holdingChangeKindOf(row: Row): string {
  if (row.shares_after_text === null || !['A', 'D'].includes(row.acquired_disposed)) return 'unknown'
  const [moved, after] = [Number(row.shares_text), Number(row.shares_after_text)]
  const before = row.acquired_disposed === 'D' ? after + moved : after - moved
  if (row.shares_status === 'suspect' || before < 0 || (before === 0 && after === 0)) return 'unknown'
  return before === 0 ? 'new' : after === 0 ? 'closed' : 'changed'
}

/** The insider of an open-market trade, else 0. */
function traderOf(row: Row): number {
  const isOpenMarket =
    ['buy', 'sell'].includes(row.type) && row.price_status === 'as_filed' && Number(row.price_text) > 0
  return isOpenMarket && row.insider_cik !== row.issuer_cik ? row.insider_cik : 0
}

/** What the feed is filtered by. */
function factsOf(row: Row): string {
  const roles = (row.owner_roles as number[]).reduce((bits, each) => bits | each, row.ceo * 16 + row.cfo * 32)
  const facts = [row.type, row.code, roles, detailOf(row).ownership, row.plan, row.routine]
  const credible = !['suspect', 'foreign'].includes(row.price_status)
  return [
    ...[...facts, credible, row.total_value_text, row.shares_text, row.significance],
    ...[row.trade_day ?? '1970-01-01', traderOf(row)],
    ...[row.late, row.first_buy_years, row.shares_status === 'suspect' ? null : holdingChangeOf(row)].map(String),
    holdingChangeKindOf(row) === 'new',
    ...[
      JSON.stringify(row.earlier),
      row.superseded,
      row.explained,
      ['signature', 'period', 'unknown'].includes(row.filed_basis),
    ],
  ].join('\t')
}

const ROLES = ['director', 'officer', 'tenPercentOwner', 'other']

function detailOf(row: Row) {
  const folder = `https://www.sec.gov/Archives/edgar/data/${row.issuer_cik}/${row.accession.replaceAll('-', '')}`
  return {
    accessionNumber: row.accession,
    transactionCode: row.code,
    acquiredDisposed: row.acquired_disposed,
    ownership: { D: 'direct', I: 'indirect' }[row.direct_indirect as string] ?? 'unknown',
    tradeDate: row.trade_date,
    tradeDateStatus: tradeDateStatus({ date: row.trade_date, tradeDay: row.trade_day, filedDay: row.filed_day }),
    sharesOwnedAfter: row.shares_after_text === null ? null : Number(row.shares_after_text),
    sharesStatus: row.shares_status,
    priceStatus: row.price_status,
    filingDateBasis: row.filed_basis,
    plan10b51: row.plan,
    planSource: row.plan_source,
    ambiguousAmendment: row.ambiguous,
    issuerCik: cikOf(row.issuer_cik),
    insiderCik: cikOf(row.insider_cik),
    form: row.amendment ? '4/A' : '4',
    securityTitle: row.security_title,
    routine: row.routine,
    holdingChange: holdingChangeOf(row),
    holdingChangeKind: holdingChangeKindOf(row),
    businessDaysToFile: row.business_days,
    late: row.late,
    isWeightedAverage: row.average_price,
    lowPrice: row.low_price_text === null ? null : Number(row.low_price_text),
    highPrice: row.high_price_text === null ? null : Number(row.high_price_text),
    coOwners: row.owner_ciks.flatMap((cik, index) =>
      cik === row.insider_cik
        ? []
        : [
            {
              cik: cikOf(cik),
              name: row.owner_names[index],
              roles: ROLES.filter((_, bit) => (row.owner_roles[index] & (1 << bit)) !== 0),
              title: row.owner_titles[index],
            },
          ],
    ),
    firstBuyInYears: row.first_buy_years,
    previousBuyDate: row.previous_buy,
    url: row.accession.startsWith('local-') ? null : `${folder}/${row.accession}-index.htm`,
  }
}

function summedOf(row: Row, [cik, name, title]: [number, string, string]) {
  const counts = ['buy', 'sell'].includes(row.type) && !['suspect', 'foreign'].includes(row.price_status)
  return [cikOf(cik), name, title, row.ticker, row.type, counts ? row.total_value_text : '', row.trade_day]
}

/** All places of a trade in lists: key, transaction, detail, what is summed up. */
function placesOf(row: Row): string[] {
  const shown = [JSON.stringify(transactionOf(row)), JSON.stringify(detailOf(row))]
  const place = (list: string, summed: string) =>
    [`${list}:${hex(row.at)}${row.accession} ${hex(row.n)}`, ...shown, summed, factsOf(row)].join('\t')
  const ofCompany = JSON.stringify(summedOf(row, [row.insider_cik, row.insider_name, row.insider_title]))
  const owners = row.owner_ciks.map((cik, index) => ({ cik, title: row.owner_titles[index]! }))
  const inProfile = owners.filter(({ cik }) => row.profile_ciks.includes(cik))
  // What was superseded is in lists of its own.
  const isPresent = row.superseded_by === ''
  const [feed, company, insider] = isPresent ? ['f', 'c', 'i'] : ['F', 'C', 'I']
  return [
    ...(row.duplicate_of === '' ? [place(feed, ''), place(`${company}${cikOf(row.issuer_cik)}`, ofCompany)] : []),
    ...inProfile.map(({ cik, title }) =>
      place(`${insider}${cikOf(cik)}`, JSON.stringify(summedOf(row, [row.issuer_cik, row.company_name, title]))),
    ),
  ]
}

describe('the lists of transactions', function () {
  this.timeout(240_000)
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'test-lists-'))
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())
  after(() => rmSync(folder, { recursive: true, force: true }))

  const assertEqualToTrades = async (atLeast: number) => {
    const texts = ['shares', 'price', 'total_value', 'shares_after', 'low_price', 'high_price']
      .map((column) => `toString(${column}) AS ${column}_text`)
      .join(', ')
    const times = [
      'toUnixTimestamp(filed_at) AS at, toUnixTimestamp(superseded_at) AS superseded',
      'toUnixTimestamp(suspect_until) AS explained',
    ].join(', ')
    const rows = await service.store.rows<Row>({
      text: `SELECT *, ${texts}, ${times} FROM trades FINAL WHERE path = 'issuer'`,
    })
    const listed = await service.store.texts(
      sql`
        SELECT
          key, transaction, detail, summed, type, code, roles, ownership, plan, routine, credible, total_value, shares,
          significance, trade_day, trader,
          ${new Sql(['late', 'first_buy_years', 'holding_change', 'new_holding'].map((each) => `ifNull(toString(${each}), 'null')`).join())},
          toJSONString(earlier), toUnixTimestamp(superseded_at), toUnixTimestamp(suspect_until), estimated
        FROM transaction_lists FINAL
        WHERE transaction != ''
        ORDER BY key`,
      24,
      8_192,
    )
    assert.isAtLeast(rows.length, atLeast)
    const expected = rows.flatMap(placesOf).sort()
    const found = listed.map((row) => row.join('\t')).sort()
    for (const [place, row] of expected.entries()) assert.strictEqual(found[place], row)
    assert.lengthOf(found, expected.length)
  }

  const assertEqualToDirectory = async () => {
    const filings = await service.store.rows<Record<string, unknown>>(sql`
      SELECT
        concat(if(kind = 'issuer', 'c', 'i'), key, '#', hex(toUnixTimestamp(filed_at)), accession) AS row,
        name, directory.symbols AS symbols, sector, sic, estimated
      FROM directory FINAL
      WHERE kind != 'symbol'`)
    const listed = await service.store.texts(
      sql`
        SELECT key, summed, estimated
        FROM transaction_lists FINAL
        WHERE transaction = '' AND NOT endsWith(key, '=')`,
      3,
      8_192,
    )
    const expected = filings.map(({ row, name, symbols, sector, sic, estimated }: any) => [
      row,
      JSON.stringify([name, symbols, sector, sic]),
      String(estimated),
    ])
    assert.sameDeepMembers(listed, expected)
  }

  it('equal the columns, for all real filings', async function () {
    if (!haveRealFilings) this.skip()
    const files = readdirSync(documentsFolder)
    await service.take(...files.map((path) => ({ path, text: readFileSync(join(documentsFolder, path), 'latin1') })))
    await service.detectSignals()
    await assertEqualToTrades(190)
    await assertEqualToDirectory()
  })

  it('equal the columns, for an invented history, a data set and a rebuild', async () => {
    const filings = Array.from({ length: 400 }, (_, index) =>
      inventedFiling(index + 1, { seed: 5, acceptedAt: (number) => Date.UTC(2025, 1, 3, 14) + number * 3_600_000 }),
    )
    await service.take(...filings.map(({ accession, text }) => ({ path: `${accession}.txt`, text })))
    await writeInventedDataSet({ folder, quarter: '2024q3', rows: 1_500, seed: 1, issuers: 200 })
    const { container } = service
    await container.get(TYPES.dataSets).take(folder)
    await container.get(TYPES.loadQuarters)(['2024q3'], null, () => {})
    await service.detectSignals()
    await assertEqualToTrades(1_500)
    await container.get(TYPES.rebuild)(() => {})
    await assertEqualToTrades(1_500)
    await assertEqualToDirectory()
  })

  it('write names and amounts as JavaScript does', async () => {
    const names = ['A "quoted" \\ name/', 'Ünïcode & <b>', "O'Neil, Jr.", 'tab\tand line'.replaceAll(/\s/g, ' ')]
    await service.take(
      ...names.map((name, index) => ({
        accession: `0001999001-26-00000${index}`,
        acceptedAt: `2026030${index + 1}163000`,
        owners: [{ cik: `000000001${index}`, name, isOfficer: true, officerTitle: name }],
        rows: [
          { shares: '123456789012.3456', price: '0.0001' },
          { shares: '99999999999999', price: '1234567.8901' },
          { shares: '0.1', price: '1234567.89' },
        ],
      })),
    )
    await assertEqualToTrades(12)
  })
})
