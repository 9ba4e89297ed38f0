// Sums over the market after everything that writes trades: documents, a data set, labels of signals, sectors from
// EDGAR, and a rebuild. Answers equal sums in plain JavaScript over the stored trades.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { SentimentRequest } from '../../../../src/application/queries/aggregates/aggregate-requests.ts'
import { cikOf } from '../../../../src/domain/shared/identifiers.ts'
import { INTERVALS, intervalsBetween, startOfInterval } from '../../../../src/domain/shared/interval.ts'
import { newYorkDay } from '../../../../src/domain/shared/new-york-time.ts'
import type { Trade } from '../../../../src/domain/trades/trade.ts'
import { isCredible } from '../../../../src/domain/trades/credible-value.ts'
import { sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { writeInventedDataSet } from '../../../support/edgar/invented/data-set.ts'
import { inventedFiling } from '../../../support/edgar/invented/filings.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

/** Whether a listed transaction counts: at a credible price above 0, and not the company's own. */
const isOpenMarket = (trade: Trade): boolean =>
  (trade.type === 'buy' || trade.type === 'sell') &&
  isCredible(trade) &&
  Number(trade.priceFiled ?? '0') > 0 &&
  trade.insiderCik !== trade.issuerCik

const [FROM, TO] = ['2021-07-01', '2025-12-31']

describe('sums over the market', function () {
  this.timeout(240_000)
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService(() => Date.UTC(2025, 11, 31))
    folder = mkdtempSync(join(tmpdir(), 'market-'))
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Returns how many trades were summed up. */
  async function check(what: string): Promise<number> {
    const issuers = await service.store.rows<{ issuer: number }>(sql`SELECT DISTINCT issuer_cik AS issuer FROM trades`)
    const stored = await service.container.get(TYPES.analytics).trades(issuers.map(({ issuer }) => cikOf(issuer)))
    const market = stored.filter((trade) => trade.listed && isOpenMarket(trade))
    let trades = 0
    for (const by of ['filed', 'traded'] as const) {
      const day = (trade: Trade) => (by === 'filed' ? newYorkDay(trade.filedAt) : trade.tradeDay)
      for (const interval of INTERVALS.slice(1)) {
        for (const filter of [{}, { plans: ['no', 'unknown'], routine: false }] as const) {
          const counted = market.filter(
            (trade) =>
              day(trade) !== null &&
              (!('plans' in filter) || (trade.plan !== 'yes' && trade.routine === filter.routine)),
          )
          const byStart = Map.groupBy(counted, (trade) => startOfInterval(day(trade)!, interval))
          const starts = intervalsBetween(FROM, TO, interval, 520)!
          const ask: SentimentRequest = { by, interval, starts, ...filter }
          const { points } = await service.queries.sentiment(ask)
          for (const { start, buys, sells, buyers, sellers, buyValue, sellValue, sharesBought, sharesSold } of points) {
            assert.deepEqual(
              [buys, sells, buyers, sellers, buyValue, sellValue, sharesBought, sharesSold],
              sumsOf(byStart.get(start) ?? []),
              `${what}: ${JSON.stringify({ ...ask, starts: start })}`,
            )
            trades += buys + sells
          }
        }
      }
    }
    return trades
  }

  function sumsOf(trades: readonly Trade[]): number[] {
    const sides = (['buy', 'sell'] as const).map((type) => trades.filter((trade) => trade.type === type))
    const sum = (side: Trade[], text: (trade: Trade) => string, units: number) =>
      Number(side.reduce((all, trade) => all + BigInt(Math.round(Number(text(trade)) * units)), 0n)) / units
    return [
      ...sides.map((side) => side.length),
      ...sides.map((side) => new Set(side.map(({ insiderCik }) => insiderCik)).size),
      ...sides.map((side) => sum(side, ({ totalValue }) => totalValue, 100)),
      ...sides.map((side) => sum(side, ({ shares }) => shares, 10_000)),
    ]
  }

  it('are right in whatever order trades were written', async () => {
    const { container, store } = service
    const filings = Array.from({ length: 500 }, (_, index) =>
      inventedFiling(index + 1, { seed: 5, acceptedAt: (number) => Date.UTC(2024, 6, 3, 14) + number * 7_200_000 }),
    )
    const take = (some: typeof filings) =>
      service.take(...some.map(({ accession, text }) => ({ path: `${accession}.txt`, text })))
    await take(filings.slice(0, 300))
    assert.isAbove(await check('documents'), 100)

    await take(filings.slice(300))
    await service.detectSignals()
    await check('more documents')

    await writeInventedDataSet({ folder, quarter: '2024q3', rows: 1_500, seed: 1, issuers: 200 })
    await container.get(TYPES.dataSets).take(folder)
    await container.get(TYPES.loadQuarters)(['2024q3'], null, () => {})
    assert.isAbove(await check('a data set'), 500)
    await service.detectSignals()
    await check('signals of a data set')

    const sectorOf = await service.textQueries.sectors()
    const traded = await store.rows<{ issuer: number }>(sql`
      SELECT DISTINCT issuer_cik AS issuer
      FROM transaction_lists
      WHERE key >= 'f:' AND key < 'f;' AND trader != 0`)
    const issuer = traded.map(({ issuer: number }) => cikOf(number)).find((cik) => sectorOf(cik) === 'Unknown')!
    const before = await sectorMonths()
    const version = await container.get(TYPES.nextVersion)()
    await container.get(TYPES.sectorStore).write([{ issuerCik: issuer, sic: '4911', sector: 'Utilities' }], version)
    container.get(TYPES.changes).recordExtent('everything')
    assert.notDeepEqual(await sectorMonths(), before, `${issuer} is in no other sector`)

    await container.get(TYPES.rebuild)(() => {})
    await check('a rebuild')
    assert.deepEqual(await sectorMonths(), before, 'the rebuild has no sector from EDGAR')
  })

  async function sectorMonths() {
    const starts = intervalsBetween(FROM, TO, 'month', 520)!
    return (await service.queries.sentiment({ by: 'filed', interval: 'month', sector: 'Utilities', starts })).points
  }
})
