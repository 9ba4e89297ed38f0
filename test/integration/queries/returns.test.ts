// Returns after filings on real stores, with invented prices: equal to plain loops, now and as of an instant; what
// price files may contain; and that nothing of it appears without prices.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import type { components } from '../../../src/contract.ts'
import type { ReadPrices } from '../../../src/application/ports/prices.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { describePriceFile } from '../../../src/infrastructure/price-file.ts'
import { backUp, restore } from '../../../src/infrastructure/postgres/backup.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import {
  csvOf,
  fileOf,
  randoms,
  toPlaces,
  weekdays,
  windowAfter,
  type Prices,
  type Window,
} from '../../support/prices.ts'
import { needClickHouse, startClickHouse, type ClickHouseServer } from '../../support/stores/clickhouse-server.ts'
import { testService, testServices, type TestService } from '../../support/service/service.ts'

type Transaction = components['schemas']['Transaction']
type ReturnAverages = components['schemas']['ReturnAverages']

const CLOSES = { return1w: 5, return1m: 21, return6m: 126 } as const
const NAMES = Object.keys(CLOSES) as (keyof typeof CLOSES)[]
const TICKERS = ['EXAA', 'EXBB', 'EX-C', 'EXDD']
const NOW = Date.UTC(2026, 5, 30, 22)

async function load(service: TestService, path: string, benchmark: string | null = null): Promise<ReadPrices> {
  const file = await describePriceFile(path)
  try {
    return await service.container.get(TYPES.loadPrices)({ file, source: path, benchmark }, () => {})
  } finally {
    rmSync(dirname(path), { recursive: true })
  }
}

const loadCsv = (service: TestService, text: string, benchmark?: string) =>
  load(service, fileOf('prices.csv', text), benchmark)

/** Prices with days that are missing, a long gap, and a share that stops. */
function inventedPrices(random: () => number): Prices {
  const prices: Prices = {}
  for (const ticker of ['EXAA', 'EXBB', 'EX-C', 'SPY']) {
    let close = 5 + random() * 200
    const days: Record<string, number> = (prices[ticker] = {})
    for (const day of weekdays('2025-01-02', '2026-06-30')) {
      close *= 0.97 + random() * 0.0605
      if (random() < 0.06) continue
      if (ticker === 'EXBB' && day > '2025-06-10' && day < '2025-09-20') continue
      if (ticker === 'EX-C' && day > '2026-02-13') continue
      days[day] = Number(close.toFixed(4))
    }
  }
  return prices
}

/** Filings at any time of day, by persons of companies, some of two trades. */
function inventedFilings(random: () => number, count: number): FilingSpec[] {
  const two = (value: number) => String(value).padStart(2, '0')
  const days = weekdays('2025-01-02', '2026-06-26')
  return Array.from({ length: count }, (_, place) => {
    const day = days[Math.floor(random() * days.length)]!
    const hour = [9, 12, 15, 15, 16, 17, 21][Math.floor(random() * 7)]!
    const minutes = hour === 16 ? '0000' : `${two(Math.floor(random() * 60))}59`
    const company = Math.floor(random() * TICKERS.length)
    const person = 101 + Math.floor(random() * 3)
    const sells = random() < 0.4
    const row = {
      ...(sells ? ({ code: 'S', acquiredDisposed: 'D' } as const) : ({ code: 'P', acquiredDisposed: 'A' } as const)),
      date: day,
      ...{ shares: String(1000 + Math.floor(random() * 90_000)), price: '12.50', securityTitle: 'Common Stock' },
    } as const
    return {
      accession: `0001999001-25-${String(place + 1).padStart(6, '0')}`,
      acceptedAt: `${day.replaceAll('-', '')}${two(hour)}${minutes}`,
      issuer: { cik: `000199900${company + 1}`, tickerRaw: TICKERS[company]!.replace('-', '.') },
      owners: [{ cik: `0001999${person}`, name: `SAMPLE ${person}`, isOfficer: true, officerTitle: 'CEO' }],
      rows: random() < 0.3 ? [row, { ...row, shares: '777' }] : [row],
    }
  })
}

const expected = (prices: Prices, { ticker, filingDate }: Transaction, asOf?: string) =>
  Object.fromEntries(
    NAMES.map((name) => {
      const window = windowAfter(prices, ticker, filingDate, CLOSES[name], asOf)
      return [name, window && toPlaces(window.change)]
    }),
  )

const shown = ({ detail }: Transaction) => Object.fromEntries(NAMES.map((name) => [name, detail![name]]))

function checkAll(prices: Prices, transactions: readonly Transaction[], asOf?: string): void {
  assert.isNotEmpty(transactions)
  for (const each of transactions)
    assert.deepEqual(shown(each), expected(prices, each, asOf), each.id + each.filingDate)
}

/** The mean of what the loops say of each event. */
function averaged(prices: Prices, events: readonly { ticker: string; at: string }[]): ReturnAverages {
  const averageOf = (name: keyof typeof CLOSES) => {
    const windows = events
      .map(({ ticker, at }) => windowAfter(prices, ticker, at, CLOSES[name]))
      .filter((window) => window !== null)
    const spy = windows.flatMap(({ from, to }: Window) => {
      const [before, after] = [prices.SPY![from], prices.SPY![to]]
      return before === undefined || after === undefined ? [] : [after / before - 1]
    })
    const mean = (values: number[]) =>
      values.length === 0 ? null : toPlaces(values.reduce((sum, value) => sum + value, 0) / values.length)
    const average = mean(windows.map(({ change }) => change))
    return { n: windows.length, average, benchmark: mean(spy), benchmarkN: spy.length }
  }
  return { return1w: averageOf('return1w'), return1m: averageOf('return1m'), return6m: averageOf('return6m') }
}

const near = (found: ReturnAverages, wanted: ReturnAverages) => {
  for (const name of NAMES) {
    for (const key of ['n', 'benchmarkN'] as const) assert.strictEqual(found[name][key], wanted[name][key], name)
    for (const key of ['average', 'benchmark'] as const) {
      if (wanted[name][key] === null) assert.isNull(found[name][key])
      else assert.approximately(found[name][key]!, wanted[name][key]!, 0.000_11, `${name} ${key}`)
    }
  }
}

describe('returns after filings', function () {
  this.timeout(120_000)
  const random = randoms(7)
  const prices = inventedPrices(random)
  let service: TestService
  before(async () => {
    service = await testService(() => NOW)
    await service.take(...inventedFilings(random, 120))
    await service.detectSignals()
  })
  after(() => service.close())

  const feed = async (ask: object = {}) =>
    (await service.queries.feed({ limit: 200, detail: true, ...ask })).transactions

  it('do not appear without prices', async () => {
    for (const { detail } of await feed()) assert.doesNotHaveAnyKeys(detail!, NAMES)
    assert.isNull(await service.textQueries.ruleReturns())
    const { record } = (await service.queries.insider('1999101', true))!
    assert.notProperty(record, 'returns')
  })

  it('equal those of plain loops in every answer with details', async () => {
    const changes = service.container.get(TYPES.changes)
    const before = changes.version()
    const read = await loadCsv(service, csvOf(prices), 'SPY')
    assert.isFalse(changes.isCurrent({ parts: [], readsFilings: false }, before), 'answers in memory are made again')
    const count = Object.values(prices).reduce((sum, days) => sum + Object.keys(days).length, 0)
    assert.deepInclude(read, { rows: count, symbols: 4, unknownSymbols: 1, rejected: 0, rejects: [] })
    const transactions = await feed()
    checkAll(prices, transactions)
    // The invented world has all there is: known and unknown ones, of each length, and a company without prices.
    for (const name of NAMES) {
      const values = transactions.map((each) => each.detail![name])
      assert.isAbove(values.filter((value) => value !== null).length, 20, name)
      assert.isAbove(values.filter((value) => value === null).length, 20, name)
    }
    checkAll(prices, await feed({ sort: 'value' }))
    checkAll(prices, await feed({ filter: 'sells' }))
    checkAll(prices, (await service.queries.company('EXAA', true))!.recentTransactions)
    checkAll(prices, (await service.queries.insider('1999101', true))!.recentTransactions)
    const [first] = (await service.queries.signals({ limit: 50 })).signals
    checkAll(prices, (await service.queries.signal(first!.id, true))!.counted)
    const { next } = await service.textQueries.feedExport({ detail: true })
    checkAll(
      prices,
      (await next()).map((json) => JSON.parse(json) as Transaction),
    )
    assert.notProperty((await service.queries.feed({ limit: 1 })).transactions[0], 'detail')
  })

  it('use no price after the requested instant', async () => {
    for (const at of ['2025-03-14T19:59:59Z', '2025-03-14T20:00:00Z', '2025-08-01T12:00:00Z', '2026-01-05T21:00:00Z'])
      checkAll(prices, await feed({ asOf: Date.parse(at) / 1000 }), at)
  })

  it("are averaged over a person's filings, and compared with the benchmark", async () => {
    for (const cik of ['0001999101', '0001999102', '0001999103']) {
      const trades = (await feed()).filter(({ detail }) => detail!.insiderCik === cik)
      const { record } = (await service.queries.insider(cik, true))!
      for (const [side, type] of [
        ['buys', 'buy'],
        ['sells', 'sell'],
      ] as const) {
        const ofSide = trades.filter(({ transactionType }) => transactionType === type)
        const filings = new Map(
          ofSide.map(({ detail, ticker, filingDate }) => [detail!.accessionNumber, { ticker, at: filingDate }]),
        )
        near(record!.returns![side], averaged(prices, filings.values().toArray()))
      }
    }
  })

  it('are averaged over the signals of a rule', async () => {
    const { signals } = await service.queries.signals({ limit: 200 })
    const rules = (await service.textQueries.ruleReturns())!
    const directionOf = ({ id }: { id: string }) =>
      id.endsWith('-buy') || id.startsWith('cluster_buy') ? 'buys' : 'sells'
    let count = 0
    for (const type of Object.keys(rules) as (keyof typeof rules)[]) {
      for (const side of ['buys', 'sells'] as const) {
        const found = signals.filter((each) => each.type === type && directionOf(each) === side)
        near(
          rules[type][side],
          averaged(
            prices,
            found.map(({ ticker, detectedAt }) => ({ ticker, at: detectedAt })),
          ),
        )
        count += rules[type][side].return1w.n
      }
    }
    assert.isAbove(count, 10)
  })

  it('are the same after a rebuild, and after ClickHouse was lost', async () => {
    const [before, rules] = [await feed(), await service.textQueries.ruleReturns()]
    for (const table of ['prices', 'price_state']) await service.store.command(new Sql(`TRUNCATE TABLE ${table}`))
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await feed(), before)
    assert.deepEqual(await service.textQueries.ruleReturns(), rules)
  })
})

describe('a backup', function () {
  this.timeout(60_000)
  const fresh = testServices()
  it('contains the prices, so that a restored service answers the same', async () => {
    const random = randoms(3)
    const prices = inventedPrices(random)
    const [service, restored] = [await fresh(() => NOW), await fresh(() => NOW)]
    await service.take(...inventedFilings(random, 20))
    await service.detectSignals()
    await loadCsv(service, csvOf(prices), 'SPY')
    const folder = mkdtempSync(join(tmpdir(), 'test-prices-backup-'))
    await backUp(service.pool, folder, () => {})
    await restore(restored.pool, folder, () => {})
    rmSync(folder, { recursive: true })
    await restored.container.get(TYPES.rebuild)(() => {})
    checkAll(prices, (await restored.queries.feed({ limit: 200, detail: true })).transactions)
    assert.deepEqual(await restored.textQueries.ruleReturns(), await service.textQueries.ruleReturns())
    // It goes on from what was restored.
    await loadCsv(restored, 'ticker,date,close\nEXAA,2025-01-02,1\n')
    assert.property((await restored.textQueries.ruleReturns())!.reversal.buys.return1w, 'benchmark')
  })
})

describe('prices on a ClickHouse server', function () {
  this.timeout(60_000)
  let server: ClickHouseServer | undefined
  let service: TestService | undefined
  before(async function () {
    needClickHouse(this)
    server = await startClickHouse()
    service = await testService(() => NOW, undefined, server.url)
  })
  after(async () => {
    await service?.close()
    await server?.close()
  })

  it('are sent there, and unusable lines are reported with their numbers', async () => {
    const random = randoms(11)
    const prices = inventedPrices(random)
    await service!.take(...inventedFilings(random, 10))
    const { rejects } = await loadCsv(service!, `${csvOf(prices)}\nEXAA,never,1\nEXAA,2026-01-02,`)
    const count = Object.values(prices).reduce((sum, days) => sum + Object.keys(days).length, 0)
    assert.deepEqual(rejects, [
      { line: count + 2, reason: 'date is not a day such as 2026-03-31: "never"' },
      { line: count + 3, reason: 'has no close' },
    ])
    checkAll(prices, (await service!.queries.feed({ limit: 200, detail: true })).transactions)
  })
})

describe('files of prices', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  const stored = async () => {
    const found = await service.store.rows<{ symbol: string; days: string[]; closes: number[] }>(sql`
      SELECT symbol, arrayMap(day -> toString(toDate32(day)), days) AS days, closes
      FROM prices FINAL
      ORDER BY symbol, year`)
    const recorded = await service.pool.query('SELECT symbol, days, closes FROM closing_prices ORDER BY symbol, year')
    assert.deepEqual(
      recorded.rows.map(({ symbol, closes }) => ({ symbol, closes })),
      found.map(({ symbol, closes }) => ({ symbol, closes })),
    )
    return found.map(({ symbol, days, closes }) =>
      [symbol, ...days.map((day, place) => `${day} ${closes[place]}`)].join(' '),
    )
  }

  it('replace prices of repeated days, and add others', async () => {
    await loadCsv(
      service,
      'ticker,date,close\nEXAA,2025-12-30,1\nEXAA,2025-12-31,2\nEXAA,2026-01-02,3\nBRK.B,2026-01-02,400.5\n',
    )
    await loadCsv(
      service,
      '\uFEFFClose,"Volume",Date,Ticker\r\n2.5,9,2025-12-31,exaa\r\n4,9,2026-01-05,EXAA\r\n4.5,9,2026-01-05,EXAA\r\n',
    )
    assert.deepEqual(await stored(), [
      'BRK-B 2026-01-02 400.5',
      'EXAA 2025-12-30 1 2025-12-31 2.5',
      'EXAA 2026-01-02 3 2026-01-05 4.5',
    ])
  })

  it('report unusable rows with reasons', async () => {
    const read = await loadCsv(
      service,
      [
        'name,ticker,date,close',
        '"Example, Inc",EXAA,2026-01-02,10',
        'x,,2026-01-02,10',
        'x,NOT A SYMBOL,2026-01-02,10',
        'x,12345,2026-01-02,10',
        '',
        'x,EXAA,01/02/2026,10',
        'x,EXAA,2026-02-30,10',
        'x,EXAA,,10',
        'x,EXAA,2026-01-03,10',
        'x,EXAA,2026-07-01,10',
        'x,EXAA,2026-01-05',
        'x,EXAA,2026-01-05,0',
        'x,EXAA,2026-01-05,-1',
        'x,EXAA,2026-01-05,nan',
        'x,EXAA,2026-01-05,ten',
        '"never closed,EXAA,2026-01-05,10',
        'x,"EXAA","2026-01-06 00:00:00-05:00"," 11.5 "',
      ].join('\n'),
    )
    assert.deepEqual(
      read.rejects.map(({ line, reason }) => `${line} ${reason}`),
      [
        '3 has no ticker',
        '4 ticker is not a symbol: "NOT A SYMBOL"',
        '5 ticker is not a symbol: "12345"',
        '7 date is not a day such as 2026-03-31: "01/02/2026"',
        '8 date is not a day such as 2026-03-31: "2026-02-30"',
        '9 has no date',
        '10 date is a Saturday or Sunday: "2026-01-03"',
        '11 date has no close yet: "2026-07-01"',
        '12 has no close',
        '13 close is not above 0: "0"',
        '14 close is not above 0: "-1"',
        '15 close is not a number: "nan"',
        '16 close is not a number: "ten"',
      ],
    )
    assert.deepInclude(read, { rows: 3, rejected: 13, firstDay: '2026-01-02', lastDay: '2026-01-06' })
    assert.deepEqual(await stored(), ['EXAA 2026-01-02 10 2026-01-05 10 2026-01-06 11.5'])
  })

  it('are read from Parquet, whatever types its columns have', async function () {
    // The engine writes the files where this process reads them.
    if (!service.store.isEmbedded) this.skip()
    const rows = [
      `'EXAA' AS ticker, toDate32('2026-01-02') AS date, 10.25 AS close`,
      `CAST('exbb', 'LowCardinality(Nullable(String))') AS Ticker, toDateTime64('2026-01-02 00:00:00', 6, 'UTC') AS "Date",
        CAST('10.25', 'Decimal(18, 4)') AS "CLOSE", 1 AS volume`,
      `toFixedString('EXCC', 4) AS ticker, '2026-01-02' AS date, toFloat32(10.25) AS close`,
      `'EXDD' AS ticker, toDate('2026-01-02') AS date, CAST(arrayJoin([NULL, 7]), 'Nullable(UInt32)') AS close`,
    ]
    const counts: string[] = []
    for (const row of rows) {
      const path = fileOf('prices.parquet', '')
      await service.store.command(
        new Sql(
          `INSERT INTO FUNCTION file('${path}', Parquet) SELECT ${row} SETTINGS engine_file_truncate_on_insert = 1`,
        ),
      )
      const { rows: used, rejects } = await load(service, path)
      counts.push([used, ...rejects.map(({ line, reason }) => `${line} ${reason}`)].join(' '))
    }
    assert.deepEqual(counts, ['1', '1', '1', '1 1 has no close'])
    assert.deepEqual(await stored(), [
      'EXAA 2026-01-02 10.25',
      'EXBB 2026-01-02 10.25',
      'EXCC 2026-01-02 10.25',
      'EXDD 2026-01-02 7',
    ])
  })

  const refusal = (loading: Promise<unknown>) =>
    loading.then(
      () => assert.fail('was loaded'),
      (error: Error) => error.message.replace(/\S*test-prices-[^ ]*\//, ''),
    )

  it('are refused if no row can be used', async () => {
    const load = (text: string, benchmark?: string) => refusal(loadCsv(service, text, benchmark))
    assert.strictEqual(
      await load('ticker,date,close\n\nEXAA,2026-01-02,x\n'),
      `prices.csv has no price that can be used; the first row that can't, 3: close is not a number: "x"`,
    )
    assert.strictEqual(await load('ticker,date,close\n'), 'prices.csv has no price that can be used')
    assert.strictEqual(
      await load('ticker,date,close\nEXAA,2026-01-02,1\n', 'SPY'),
      'prices.csv has no close of the benchmark SPY',
    )
    assert.deepEqual(await stored(), [])
    assert.isNull(await service.textQueries.ruleReturns())
  })

  it('keep the benchmark until another is named', async () => {
    await loadCsv(service, 'ticker,date,close\nSPY,2026-01-02,1\n', 'SPY')
    await loadCsv(service, 'ticker,date,close\nEXAA,2026-01-02,1\n')
    assert.property((await service.textQueries.ruleReturns())!.reversal.buys.return1w, 'benchmark')
    await loadCsv(service, 'ticker,date,close\nEXAA,2026-01-02,1\n', '')
    assert.notProperty((await service.textQueries.ruleReturns())!.reversal.buys.return1w, 'benchmark')
  })
})
