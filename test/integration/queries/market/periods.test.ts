// Periods of the market through everything that writes trades: documents, a data set, labels of signals, sectors from
// EDGAR, a rebuild. What is answered is what the feed sums up to, before the periods are made and after.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { SentimentAsked } from '../../../../src/application/queries/aggregates/asked-aggregates.ts'
import { cikOf } from '../../../../src/domain/shared/identifiers.ts'
import { INTERVALS, intervalsBetween } from '../../../../src/domain/shared/interval.ts'
import { sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { sumsSql, type PeriodSums } from '../../../../src/infrastructure/clickhouse/queries/aggregates/trade-sums.ts'
import { writeInventedDataSet } from '../../../support/edgar/invented/data-set.ts'
import { inventedFiling } from '../../../support/edgar/invented/filings.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const [FROM, TO] = ['2021-07-01', '2025-12-31']

describe('periods of the market', function () {
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

  const make = () => service.container.get(TYPES.marketPeriods).makeChanged(new AbortController().signal)

  async function check(what: string): Promise<number> {
    let trades = 0
    for (const by of ['filed', 'traded'] as const) {
      for (const interval of INTERVALS.slice(1)) {
        for (const filter of [{}, { plans: ['no', 'unknown'], routine: false }] as const) {
          const starts = intervalsBetween(FROM, TO, interval, 520)!
          const ask: SentimentAsked = { by, interval, starts, ...filter }
          const { points } = await service.queries.sentiment(ask)
          const range = { from: starts[0]!, end: '2026-01-01' }
          const summed = await service.store.rows<PeriodSums & { start: string }>(
            sumsSql({ list: 'f', by, interval, ranges: [range], filter }),
          )
          const expected = new Map(summed.map(({ start, ...sums }) => [start, sums]))
          for (const { start, buys, sells, buyers, sellers, buyValue, sellValue, sharesBought, sharesSold } of points) {
            const sums = expected.get(start)
            assert.deepEqual(
              [buys, sells, buyers, sellers, buyValue, sellValue, sharesBought, sharesSold],
              sums ? [sums.buys, sums.sells, sums.buyers, sums.sellers, ...amounts(sums)] : [0, 0, 0, 0, 0, 0, 0, 0],
              `${what}: ${JSON.stringify({ ...ask, starts: start })}`,
            )
            trades += buys + sells
          }
        }
      }
    }
    return trades
  }
  const amounts = ({ buyValue, sellValue, sharesBought, sharesSold }: PeriodSums) =>
    [buyValue, sellValue, sharesBought, sharesSold].map(Number)

  it('are what the feed sums up to, however it was written', async () => {
    const { container, store } = service
    const filings = Array.from({ length: 500 }, (_, index) =>
      inventedFiling(index + 1, { seed: 5, acceptedAt: (number) => Date.UTC(2024, 6, 3, 14) + number * 7_200_000 }),
    )
    const take = (some: typeof filings) =>
      service.take(...some.map(({ accession, text }) => ({ path: `${accession}.txt`, text })))
    await take(filings.slice(0, 300))
    assert.isAbove(await check('documents'), 100)
    assert.isAbove(await make(), 10)
    await check('documents, made')

    await take(filings.slice(300))
    await service.detectSignals()
    await check('more documents')
    await make()

    await writeInventedDataSet({ folder, quarter: '2024q3', rows: 1_500, seed: 1, issuers: 200 })
    await container.get(TYPES.dataSets).take(folder)
    await container.get(TYPES.loadQuarters)(['2024q3'], null, () => {})
    assert.isAbove(await check('a data set'), 500)
    await service.detectSignals()
    await check('signals of a data set')
    assert.isAbove(await make(), 10)
    await check('a data set, made')

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
    const moved = await sectorMonths()
    await make()
    assert.deepEqual(await sectorMonths(), moved)

    await container.get(TYPES.rebuild)(() => {})
    await check('a rebuild')
    assert.isAbove(await make(), 10)
    await check('a rebuild, made')
    assert.strictEqual(await make(), 0)
    assert.deepEqual(await sectorMonths(), before, 'the rebuild has no sector from EDGAR')
  })

  async function sectorMonths() {
    const starts = intervalsBetween(FROM, TO, 'month', 520)!
    return (await service.queries.sentiment({ by: 'filed', interval: 'month', sector: 'Utilities', starts })).points
  }
})
