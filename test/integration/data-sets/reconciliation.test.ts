// After any mixture of data sets and documents, in any order, the stores equal a reconciliation of all trades of each
// issuer at once.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import type { Trade } from '../../../src/domain/trades/trade.ts'
import { ClickHouseDataSetStore } from '../../../src/infrastructure/clickhouse/data-sets/data-set-store.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { difference, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { dataSetOf, shuffle } from '../../support/edgar/invented/data-set-files.ts'
import {
  documentsOf,
  setsOf,
  TANGLED_ISSUERS,
  tangledHistory,
  type ToldFiling,
  inTwoQuarters,
} from '../../support/edgar/invented/related-trades.ts'
import { splitWorld, WORLD_ISSUERS } from '../../support/filings/arbitrary-world.ts'
import { filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { nightly, volume } from '../../support/volume.ts'
import { reconcileIssuer } from '../../../src/domain/trades/reconciliation/reconcile-issuer.ts'
import { changeInserts, relatedFilings } from '../../../src/infrastructure/clickhouse/stores/change-inserts.ts'

/** Low enough that the sums of the invented filings lie on all sides of them. */
const SIGNIFICANCE = { buyMedium: 100, buyHigh: 500, buyCritical: 1_500, sellMedium: 100, sellHigh: 500 }

type Step = (service: TestService) => Promise<unknown>

/** Each set and each handful of documents as a step of its own. */
function stepsOf(history: ToldFiling[]): Step[] {
  const documents = documentsOf(history)
  const handfuls = Array.from({ length: Math.ceil(documents.length / 8) }, (_, index) =>
    documents.slice(index * 8, index * 8 + 8),
  )
  return [
    ...setsOf(history).map(
      (set): Step =>
        (service) =>
          loadSets(service, [set]),
    ),
    ...handfuls.map(
      (some): Step =>
        (service) =>
          service.take(...some),
    ),
  ]
}

async function storedOf(service: TestService, issuers = TANGLED_ISSUERS): Promise<Trade[]> {
  const trades = await new ClickHouseAnalyticsStore(service.store).trades(issuers)
  return trades.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function expectJudged(service: TestService): Promise<Trade[]> {
  const analytics = new ClickHouseAnalyticsStore(service.store)
  const trades = await storedOf(service)
  const newest = await analytics.newestSymbols(TANGLED_ISSUERS, [])
  const listings = service.container.get(TYPES.listings)
  const related = relatedFilings((await analytics.stored(TANGLED_ISSUERS, [], [])).related)
  const byId = new Map(trades.map((trade) => [trade.id, trade]))
  const reconciled = TANGLED_ISSUERS.flatMap((issuer) =>
    reconcileIssuer(
      trades.filter(({ issuerCik }) => issuerCik === issuer),
      listings.tickersOf(issuer),
      newest.get(issuer)?.symbols ?? [],
      {
        related: related.filter(({ issuerCik }) => issuerCik === issuer),
        marked: (id) => byId.get(id),
        floors: SIGNIFICANCE,
      },
    ),
  )
  assert.strictEqual(difference({ reconciled: reconciled.map(verdictOf) }, { reconciled: trades.map(verdictOf) }), '')
  return trades
}

/** As text: a row that differs is shown whole. */
const verdictOf = (trade: Trade) =>
  JSON.stringify([
    trade.id,
    trade.ticker,
    trade.priceStatus,
    trade.listed,
    trade.duplicateOf,
    trade.supersededBy,
    trade.supersededAt,
    trade.ambiguous,
    trade.profileCiks,
    trade.significance,
  ])

async function listOne(service: TestService): Promise<void> {
  await service.container
    .get(TYPES.companyList)
    .replace([{ ticker: 'LSTD', cik: TANGLED_ISSUERS[0]!, name: 'Listed', exchange: null }], 'test', Buffer.alloc(32))
  await service.container.get(TYPES.refreshCompanies)(() => {})
}

/** Makes the service reconcile few issuers at once where it can; returns how many ranges each load took. */
function sliced(service: TestService, weight: number): number[] {
  const ranges: number[] = []
  const small = new ClickHouseDataSetStore(service.store.forBulk, weight)
  const { history } = service.container.get(TYPES.dataSetContext)
  history.ranges = async () => {
    const found = await small.ranges()
    ranges.push(found.length)
    return found
  }
  return ranges
}

const FILINGS = volume('filings of reconciled history', 64, 120)
const QUARTERS = volume('quarters of reconciled history', 2, 4)
const shapeOf = (history: ToldFiling[]) => (QUARTERS === 2 ? inTwoQuarters(history) : history)

/** Other orders in which the same sets and documents come. */
const ORDERS = [
  (steps: Step[]) => steps.toReversed(),
  (steps: Step[], seed: number) => shuffle([...steps], seeded(seed)),
].slice(0, volume('other orders of reconciled history', 1, 2))

describe('reconciled history', function () {
  this.timeout(240_000)
  const open = testServices()
  const fresh = async () => {
    const service = await open(Date.now, { ...DEFAULT_RULES, significance: SIGNIFICANCE })
    await listOne(service)
    return service
  }

  for (const seed of volume('seeds of reconciled history', [6], [6, 1])) {
    it(`is the same in any order of sets and documents, and after a rebuild (${seed})`, async () => {
      const history = shapeOf(tangledHistory(seed, FILINGS))
      const steps = stepsOf(history)
      const inOrder = await fresh()
      for (const step of steps) await step(inOrder)
      const trades = await expectJudged(inOrder)
      await inOrder.detectSignals()
      const dump = await inOrder.dump()
      for (const order of ORDERS.map((orderOf) => orderOf(steps, seed))) {
        const other = await fresh()
        // Several ranges of issuers instead of one.
        const ranges = sliced(other, 20)
        for (const step of order) {
          await step(other)
          await expectJudged(other)
        }
        await other.detectSignals()
        assert.strictEqual(difference(dump, await other.dump()), '')
        assert.isAbove(Math.max(...ranges), 1)
      }
      expectTangled(trades)
      await inOrder.container.get(TYPES.rebuild)(() => {})
      assert.strictEqual(difference(dump, await inOrder.dump()), '')
    })
  }

  it('explains suspect prices of an earlier quarter by balances, from the first that show the split on', async () => {
    const service = await open()
    const specs = splitWorld().map(({ spec }) => spec)
    const [award] = specs.slice(5)
    const late: FilingSpec = {
      ...award,
      accession: '0001999009-24-000099',
      acceptedAt: '20240705100000',
      rows: [{ ...award!.rows![0], date: '2024-07-05', shares: '300', sharesAfter: '5300' }],
    }
    const load = (quarter: string, filings: FilingSpec[]) =>
      loadSets(service, [[quarter, dataSetOf(filings.map((spec) => filingOf(spec)))]])
    const shown = async () =>
      (await storedOf(service, [WORLD_ISSUERS[0]!.cik]))
        .filter(({ accession }) => accession === specs[3]!.accession)
        .map(({ priceStatus, suspectUntil, significance }) => `${priceStatus} ${suspectUntil} ${significance}`)
    const endOf = (day: string) => Date.parse(`${day}T22:00:00-04:00`) / 1000

    await load('2024q1', specs.slice(0, 5))
    assert.deepEqual(await shown(), ['suspect 0 low', 'suspect 0 low'])
    await load('2024q3', [late])
    assert.deepEqual(await shown(), Array(2).fill(`as_filed ${endOf('2024-07-05')} high`))
    await load('2024q2', [award!])
    assert.deepEqual(await shown(), Array(2).fill(`as_filed ${endOf('2024-04-05')} high`))
  })

  it('equals trades written one by one, in all copies', async () => {
    const service = await fresh()
    for (const step of stepsOf(shapeOf(tangledHistory(11, 80)))) await step(service)
    const plain = await fresh()
    const change = { trades: await storedOf(service), goneTrades: [], entries: [], goneEntries: [], goneDetails: [] }
    await new ClickHouseAnalyticsStore(plain.store).write(changeInserts(change, 1))
    assert.strictEqual(difference({ trades: (await plain.dump()).trades! }, await service.dump()), '')
  })

  nightly('is not changed by loading a quarter again', async () => {
    const service = await fresh()
    const history = tangledHistory(12, 80)
    for (const step of stepsOf(history)) await step(service)
    await service.detectSignals()
    const dump = await service.dump()
    const sets = setsOf(history)
    for (const result of await loadSets(service, sets)) assert.deepInclude(result, { loaded: [], rows: 0 })
    assert.strictEqual(difference(dump, await service.dump()), '')
    await service.pool.query(`UPDATE data_sets SET status = 'loading'`)
    for (const result of await loadSets(service, sets)) assert.lengthOf(result.loaded, 1)
    await service.detectSignals()
    assert.strictEqual(difference(dump, await service.dump()), '')
  })
})

/** That the histories hold what they are meant to. */
function expectTangled(trades: Trade[]): void {
  const has = (what: string, which: (trade: Trade) => boolean) => assert.isAbove(trades.filter(which).length, 0, what)
  has('superseded rows', (trade) => trade.supersededBy !== '')
  has('duplicates', (trade) => trade.duplicateOf !== '')
  has(
    'suspect prices below the limit',
    (trade) => trade.priceStatus === 'suspect' && Number(trade.priceFiled) < 1_000_000,
  )
  for (const status of ['as_filed', 'zero', 'footnote_only', 'suspect', 'other_unit'] as const)
    has(`prices that are ${status}`, (trade) => trade.priceStatus === status)
  has('shown prices in another unit', (trade) => trade.priceStatus === 'other_unit' && trade.listed)
  has('plans by a footnote', (trade) => trade.planSource === 'footnote')
  has('rows of a set', (trade) => trade.id.includes('-ds-'))
  assert.isAtLeast(new Set(trades.map((trade) => trade.significance)).size, 3, 'grades')
  has('the listed symbol', (trade) => trade.ticker === 'LSTD')
}
