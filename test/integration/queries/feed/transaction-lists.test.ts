// The lists of transactions against the trades that they are made from: every place of every trade, its JSON text
// against the columns, byte for byte as JavaScript writes it. For real filings, an invented history with labels, a data
// set, and after a rebuild.
import type { Trade, TradeOwner } from '../../../../src/domain/trades/trade.ts'
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

const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0')
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** What the contract says of a trade, from its columns. */
function transactionOf(row: Trade) {
  return {
    id: row.id,
    ticker: row.ticker,
    companyName: row.companyName,
    insiderName: row.insiderName,
    insiderTitle: row.insiderTitle,
    transactionType: row.type,
    shares: Number(row.shares),
    pricePerShare: Number(row.priceFiled ?? '0'),
    totalValue: Number(row.totalValue),
    filingDate: timeOf(row.filedAt),
    significance: row.significance,
    signals: row.signals,
  }
}

function holdingChangeOf(row: Trade): number | null {
  if (row.sharesAfter === null || !['A', 'D'].includes(row.acquiredDisposed)) return null
  const moved = Number(row.shares) * (row.acquiredDisposed === 'D' ? -1 : 1)
  const before = Number(row.sharesAfter) - moved
  return before > 0 ? Math.floor((moved / before) * 10_000 + 0.5) / 10_000 : null
}

function holdingChangeKindOf(row: Trade): string {
  if (row.sharesAfter === null || !['A', 'D'].includes(row.acquiredDisposed)) return 'unknown'
  const [moved, after] = [Number(row.shares), Number(row.sharesAfter)]
  const before = row.acquiredDisposed === 'D' ? after + moved : after - moved
  if (row.sharesStatus === 'suspect' || before < 0 || (before === 0 && after === 0)) return 'unknown'
  return before === 0 ? 'new' : after === 0 ? 'closed' : 'changed'
}

/** The insider of an open-market trade, else 0. */
function traderOf(row: Trade): number {
  const isOpenMarket =
    ['buy', 'sell'].includes(row.type) && row.priceStatus === 'as_filed' && Number(row.priceFiled ?? '0') > 0
  return isOpenMarket && row.insiderCik !== row.issuerCik ? Number(row.insiderCik) : 0
}

/** What the feed is filtered by. */
function factsOf(row: Trade): string {
  const roles = row.owners.reduce((bits, owner) => bits | bitsOf(owner), Number(row.ceo) * 16 + Number(row.cfo) * 32)
  const facts = [row.type, row.code, roles, detailOf(row).ownership, row.plan, row.routine]
  const credible = !['suspect', 'foreign'].includes(row.priceStatus)
  return [
    ...[...facts, credible, row.totalValue, row.shares, row.significance],
    ...[row.tradeDay ?? '1970-01-01', traderOf(row)],
    ...[row.late, row.firstBuyYears, row.sharesStatus === 'suspect' ? null : holdingChangeOf(row)].map(String),
    holdingChangeKindOf(row) === 'new',
    ...[
      JSON.stringify(row.earlier),
      row.supersededAt,
      row.suspectUntil,
      ['signature', 'period', 'unknown'].includes(row.filedBasis),
    ],
  ].join('\t')
}

const bitsOf = (owner: TradeOwner): number =>
  [owner.isDirector, owner.isOfficer, owner.isTenPercentOwner, owner.isOther].reduce(
    (bits, is, place) => bits + Number(is) * 2 ** place,
    0,
  )

const ROLES = ['director', 'officer', 'tenPercentOwner', 'other']

function detailOf(row: Trade) {
  const folder = `https://www.sec.gov/Archives/edgar/data/${Number(row.issuerCik)}/${row.accession.replaceAll('-', '')}`
  return {
    accessionNumber: row.accession,
    transactionCode: row.code,
    acquiredDisposed: row.acquiredDisposed,
    ownership: ({ D: 'direct', I: 'indirect' } as Record<string, string>)[row.directIndirect] ?? 'unknown',
    tradeDate: row.date,
    tradeDateStatus: tradeDateStatus({ date: row.date, tradeDay: row.tradeDay, filedDay: row.filedDay }),
    sharesOwnedAfter: row.sharesAfter === null ? null : Number(row.sharesAfter),
    sharesStatus: row.sharesStatus,
    priceStatus: row.priceStatus,
    filingDateBasis: row.filedBasis,
    plan10b51: row.plan,
    planSource: row.planSource,
    ambiguousAmendment: row.ambiguous,
    issuerCik: row.issuerCik,
    insiderCik: row.insiderCik,
    form: row.amendment ? '4/A' : '4',
    securityTitle: row.securityTitle,
    routine: row.routine,
    holdingChange: holdingChangeOf(row),
    holdingChangeKind: holdingChangeKindOf(row),
    businessDaysToFile: row.businessDays,
    late: row.late,
    isWeightedAverage: row.averagePrice,
    lowPrice: row.lowPrice === null ? null : Number(row.lowPrice),
    highPrice: row.highPrice === null ? null : Number(row.highPrice),
    coOwners: row.owners
      .filter(({ cik }) => cik !== row.insiderCik)
      .map((owner) => ({
        cik: owner.cik,
        name: owner.name,
        roles: ROLES.filter((_, bit) => (bitsOf(owner) & (1 << bit)) !== 0),
        title: owner.title,
      })),
    firstBuyInYears: row.firstBuyYears,
    previousBuyDate: row.previousBuy,
    url: row.accession.startsWith('local-') ? null : `${folder}/${row.accession}-index.htm`,
  }
}

/** All places of a trade in lists: key, transaction, detail, the other side. */
function placesOf(row: Trade): string[] {
  const shown = [JSON.stringify(transactionOf(row)), JSON.stringify(detailOf(row))]
  const place = (list: string, side: [cik: number, name: string, title: string]) =>
    [`${list}:${hex(row.filedAt)}${row.accession} ${hex(row.place)}`, ...shown, ...side, row.ticker, factsOf(row)].join(
      '\t',
    )
  const ofCompany: [number, string, string] = [Number(row.insiderCik), row.insiderName, row.insiderTitle]
  const inProfile = row.owners.filter(({ cik }) => row.profileCiks.includes(cik))
  // What was superseded is in lists of its own.
  const isPresent = row.supersededBy === ''
  const [feed, company, insider] = isPresent ? ['f', 'c', 'i'] : ['F', 'C', 'I']
  return [
    ...(row.duplicateOf === '' ? [place(feed, [0, '', '']), place(`${company}${row.issuerCik}`, ofCompany)] : []),
    ...inProfile.map(({ cik, title }) => place(`${insider}${cik}`, [Number(row.issuerCik), row.companyName, title])),
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
    const stored = await service.store.rows<{ whole: string }>(sql`SELECT whole FROM trades FINAL`)
    const rows = stored.map(({ whole }) => JSON.parse(whole) as Trade)
    const listed = await service.store.texts(
      sql`
        SELECT
          key, transaction, detail, side_cik, side_name, side_title, ticker, type, code, roles, ownership, plan, routine, credible, toString(total_value),
          toString(shares), significance, trade_day, trader,
          ${new Sql(['late', 'first_buy_years', 'holding_change', 'new_holding'].map((each) => `ifNull(toString(${each}), 'null')`).join())},
          toJSONString(earlier), toUnixTimestamp(superseded_at), toUnixTimestamp(suspect_until), estimated
        FROM transaction_lists FINAL
        WHERE transaction != ''
        ORDER BY key`,
      27,
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
