// The filters of the feed against plain JavaScript over all stored trades: random histories with withdrawn and
// rewritten rows, random filters, and writes between pages.
import { assert } from 'chai'
import fc from 'fast-check'
import type { DirectoryEntry } from '../../../../src/application/ports/analytics.ts'
import type { FeedRequest, RowFilter } from '../../../../src/application/queries/transaction-requests.ts'
import type { Queries } from '../../../../src/application/queries/queries.ts'
import { SECTORS } from '../../../../src/domain/filings/sector.ts'
import {
  filterFacts,
  OWNERSHIPS,
  passes,
  PLANS,
  OWNER_ROLES,
} from '../../../../src/domain/trades/transaction-filter.ts'
import { SEVERITIES } from '../../../../src/domain/trades/significance.ts'
import type { Trade } from '../../../../src/domain/trades/trade.ts'
import { limitTo } from '../../../../src/infrastructure/clickhouse/connection/session-pool.ts'
import { sql, Sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { feedExport } from '../../../../src/infrastructure/clickhouse/queries/feed/export.ts'
import { linksAsOf } from '../../../../src/infrastructure/clickhouse/queries/notices/known-links.ts'
import { companyLists } from '../../../../src/infrastructure/clickhouse/queries/shared/company-list.ts'
import { issuerSectors } from '../../../../src/infrastructure/clickhouse/queries/shared/issuer-sectors.ts'
import { presentPrices } from '../../../../src/infrastructure/clickhouse/queries/shared/returns.ts'
import { clickHouseQueries } from '../../../../src/infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseAnalyticsStore } from '../../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { exampleTrade } from '../../../support/filings/trade.ts'
import { parsed } from '../../../support/service/parsed-queries.ts'
import { freshClickHouse, NOTHING_KEPT, type TestClickHouse } from '../../../support/stores/clickhouse.ts'
import { compute } from '../../../support/workers/shared-workers.ts'
import { volume } from '../../../support/volume.ts'
import { changeInserts } from '../../../../src/infrastructure/clickhouse/stores/change-inserts.ts'

const ISSUERS = ['0001999001', '0001999002', '0001999003']
const OTHERS = Array.from({ length: 12 }, (_, number) => String(1_999_900 + number).padStart(10, '0'))
const SECTOR_OF: Record<string, (typeof SECTORS)[number]> = { '0001999001': 'Energy', '0001999002': 'Health Care' }
const INSIDERS = ['0001999101', '0001999102', '0001999103', '0001999104']
const DAY = 86_400
const TIMES = [1_600_000_000, 1_600_000_000 + 3 * DAY, 1_610_000_000, 1_610_000_001, 1_640_000_000]
const CHANGES = [-1, -0.5, -0.0909, 0, 0.1, 1, 1.05, 500]
const TRADE_DAYS = ['2020-09-01', '2020-09-18', '2020-12-31', '2021-12-01']
const VALUES = ['0', '0.01', '99.99', '100', '100.01', '5000000000000']
const TYPES = ['buy', 'sell', 'award', 'other'] as const
const CODES = ['P', 'S', 'A', '']

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

/** What varies: few values, so that conditions meet some rows and not others. */
const facts = fc.record({
  filedAt: oneOf(TIMES),
  filing: fc.integer({ min: 1, max: 4 }),
  place: fc.integer({ min: 1, max: 3 }),
  issuer: oneOf(ISSUERS),
  owners: fc.uniqueArray(oneOf(INSIDERS), { minLength: 1, maxLength: 2 }),
  bits: fc.integer({ min: 0, max: 15 }),
  ceo: fc.boolean(),
  cfo: fc.boolean(),
  type: oneOf(TYPES),
  code: oneOf(CODES),
  directIndirect: oneOf(['D', 'I', '']),
  plan: oneOf(PLANS),
  routine: fc.boolean(),
  significance: oneOf(SEVERITIES),
  totalValue: oneOf(VALUES),
  shares: oneOf(['1', '10.5', '1000']),
  acquiredDisposed: oneOf(['A', 'D', '']),
  sharesAfter: fc.option(oneOf(['0', '1', '11', '2000', '99999999999']), { nil: null }),
  late: fc.option(fc.boolean(), { nil: null }),
  firstBuyYears: fc.option(oneOf([0, 1, 3, 20]), { nil: null }),
  tradeDay: fc.option(oneOf(TRADE_DAYS), { nil: null }),
  priceStatus: oneOf(['as_filed', 'suspect', 'foreign', 'other_unit'] as const),
  sharesStatus: oneOf(['as_filed', 'as_filed', 'suspect'] as const),
  listed: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
})
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

function tradeOf(each: Facts): Trade {
  const accession = `0001234567-${each.issuer.slice(-2)}-${String(each.filing).padStart(6, '0')}`
  const owners = each.owners.map((cik) => ({
    cik,
    name: `OWNER ${cik}`,
    title: 'Officer',
    isDirector: (each.bits & 1) !== 0,
    isOfficer: (each.bits & 2) !== 0,
    isTenPercentOwner: (each.bits & 4) !== 0,
    isOther: (each.bits & 8) !== 0,
  }))
  const { filedAt, place, ceo, cfo, type, code, directIndirect, plan, routine, significance, totalValue } = each
  const { shares, priceStatus, sharesStatus, listed, acquiredDisposed, sharesAfter, late, firstBuyYears } = each
  // One after the day of filing is impossible, which is the next business day at night and on weekends and holidays.
  const last = new Date((filedAt + 6 * DAY) * 1000).toISOString()
  const tradeDay = (each.tradeDay ?? '9999') <= last ? each.tradeDay : null
  return exampleTrade({
    ...{ accession, place, filedAt, owners, ceo, cfo, type, code, directIndirect, plan, routine, significance },
    ...{ totalValue, shares, tradeDay, priceStatus, sharesStatus, listed, issuerCik: each.issuer },
    ...{ acquiredDisposed, sharesAfter, late, firstBuyYears },
    id: `${accession}-${filedAt}-nd-${place}`,
    date: tradeDay ?? '0020-01-01',
    // A row that the feed hides still counts for its first owner.
    profileCiks: each.owners.slice(0, listed ? 2 : 1),
  })
}

const bounds = <T>(values: readonly T[], compare: (a: T, b: T) => number) =>
  fc.tuple(maybe(oneOf(values)), maybe(oneOf(values))).map(([a, b]) => {
    const [min, max] = a !== undefined && b !== undefined && compare(a, b) > 0 ? [b, a] : [a, b]
    return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
  })
const byNumber = (a: string, b: string) => Number(a) - Number(b)
const given = <T extends object>(bound: T) => (Object.keys(bound).length > 0 ? bound : undefined)

const filters: fc.Arbitrary<RowFilter & Pick<FeedRequest, 'sort'>> = fc
  .record({
    filter: fc.option(oneOf(['buys', 'sells', 'high', 'ceo_cfo'] as const), { nil: undefined, freq: 5 }),
    companies: fc.option(
      // With many others, so that they are looked for in the feed.
      fc
        .tuple(some(ISSUERS), fc.boolean())
        .map(([ciks, isMany]) => [...ciks, ...(isMany ? OTHERS : [])].map((cik) => ({ ticker: null, cik }))),
      { nil: undefined, freq: 3 },
    ),
    insiderCiks: fc.option(some(INSIDERS), { nil: undefined, freq: 3 }),
    types: fc.option(some(TYPES), { nil: undefined, freq: 3 }),
    codes: fc.option(some(CODES), { nil: undefined, freq: 3 }),
    roles: fc.option(some(OWNER_ROLES), { nil: undefined, freq: 3 }),
    sectors: fc.option(some(['Energy', 'Health Care', 'Unknown'] as const), { nil: undefined, freq: 3 }),
    ownership: fc.option(oneOf(OWNERSHIPS), { nil: undefined, freq: 3 }),
    plans: fc.option(some(PLANS), { nil: undefined, freq: 3 }),
    routine: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
    late: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
    firstBuyYears: fc.option(oneOf([1, 3, 4, 20]), { nil: undefined, freq: 3 }),
    holdingChange: fc.option(bounds(CHANGES, (a, b) => a - b).map(given), { nil: undefined, freq: 3 }),
    minSignificance: fc.option(oneOf(SEVERITIES), { nil: undefined, freq: 3 }),
    value: fc.option(bounds(VALUES, byNumber).map(given), { nil: undefined, freq: 3 }),
    shares: fc.option(bounds(['1', '10.5', '10.6', '999999999999999'], byNumber).map(given), {
      nil: undefined,
      freq: 3,
    }),
    traded: fc.option(bounds(TRADE_DAYS, (a, b) => (a < b ? -1 : 1)).map(given), { nil: undefined, freq: 3 }),
    filed: fc.option(
      bounds([...TIMES, 1_620_000_000], (a, b) => a - b).map(({ min, max }) =>
        given({ ...(min !== undefined && { from: min }), ...(max !== undefined && { before: max }) }),
      ),
      { nil: undefined, freq: 3 },
    ),
    sort: fc.option(oneOf(['value', 'holdingChange'] as const), { nil: undefined, freq: 2 }),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))

/** The same in plain JavaScript. */
function matches(filter: RowFilter, trade: Trade): boolean {
  const { companies, insiderCiks, sectors, filed } = filter
  const seed = {
    buys: trade.type === 'buy',
    sells: trade.type === 'sell',
    high: ['high', 'critical'].includes(trade.significance),
    ceo_cfo: trade.ceo || trade.cfo,
  }
  return (
    passes(filter, filterFacts(trade)) &&
    (!filter.filter || seed[filter.filter]) &&
    (!companies || companies.some(({ cik }) => cik === trade.issuerCik)) &&
    (insiderCiks ? trade.profileCiks.some((cik) => insiderCiks.includes(cik)) : trade.listed) &&
    (!sectors || sectors.includes(SECTOR_OF[trade.issuerCik] ?? 'Unknown')) &&
    (filed?.from === undefined || trade.filedAt >= filed.from) &&
    (filed?.before === undefined || trade.filedAt < filed.before)
  )
}

const newestFirst = (a: Trade, b: Trade) =>
  b.filedAt - a.filedAt || (a.accession < b.accession ? 1 : a.accession > b.accession ? -1 : b.place - a.place)
const highestFirst = (a: Trade, b: Trade) => Number(b.totalValue) - Number(a.totalValue) || newestFirst(a, b)
const size = (trade: Trade) => Math.abs(filterFacts(trade).holdingChange!)
const ORDERS = {
  newest: { has: () => true, by: newestFirst },
  value: { has: (trade: Trade) => filterFacts(trade).credible, by: highestFirst },
  holdingChange: {
    has: (trade: Trade) => filterFacts(trade).holdingChange !== null,
    by: (a: Trade, b: Trade) => size(b) - size(a) || newestFirst(a, b),
  },
}

describe('the filters of the feed', function () {
  this.timeout(240_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  const entry = (issuer: string, filedAt: number): DirectoryEntry => ({
    accession: `0001234567-20-${issuer.slice(-6)}`,
    form: '4',
    filedAt,
    issuerCik: issuer,
    companyName: 'Example',
    symbols: [],
    sic: SECTOR_OF[issuer] ? '1311' : null,
    office: null,
    sector: SECTOR_OF[issuer] ?? 'Unknown',
    isEstimated: false,
    ...{ originalDate: null, period: null, amendmentWords: [] },
    owners: [],
  })

  /** Writes the trades as the projection does; returns a writer of further ones. */
  async function world(first: readonly Facts[]) {
    const { store } = clickHouse
    for (const table of ['trades', 'transaction_lists', 'directory'])
      await store.command(sql`TRUNCATE TABLE ${new Sql(table)}`)
    const analytics = new ClickHouseAnalyticsStore(store)
    let version = 0
    const write = async (some: readonly Facts[], gone: readonly Facts[] = []) => {
      const keyed = new Map(some.map(tradeOf).map((trade) => [trade.id, trade]))
      version += 1
      const entries = version === 1 ? ISSUERS.map((issuer) => entry(issuer, TIMES[0]!)) : []
      const goneTrades = gone.map(tradeOf).filter(({ id }) => !keyed.has(id))
      const change = { trades: [...keyed.values()], goneTrades, entries, goneEntries: [], goneDetails: [] }
      await analytics.write(changeInserts(change, version))
    }
    await write(first)
    const { feed } = parsed(clickHouseQueries(store, Date.now, NOTHING_KEPT, compute) as unknown as Queries)
    const lists = companyLists(store, NOTHING_KEPT)
    const details = {
      sectors: issuerSectors(store, lists, NOTHING_KEPT),
      prices: presentPrices(store, NOTHING_KEPT),
      linksAsOf: linksAsOf(store, compute),
    }
    const exported = feedExport(store, lists, details, { limit: limitTo(2), chunkRows: 3 })
    return { write, feed, exported, trades: () => analytics.trades(ISSUERS) }
  }

  async function pages(
    feed: (ask: FeedRequest) => Promise<any>,
    filter: RowFilter,
    limit: number,
    between = async () => {},
  ) {
    const ids: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await feed({ ...filter, limit, ...(cursor && { cursor }) })
      ids.push(...page.transactions.map(({ id }: { id: string }) => id))
      if (!page.hasMore) return ids
      assert.lengthOf(page.transactions, limit, 'a page that is not the last is full')
      cursor = page.nextCursor
      await between()
    }
  }

  async function chunks(exported: Queries['feedExport'], filter: RowFilter) {
    const ids: string[] = []
    const { next } = await exported({ ...filter, detail: true })
    for (;;) {
      const rows = (await next()).map((json) => JSON.parse(json))
      if (rows.length === 0) return ids
      ids.push(...rows.map(({ id }) => id))
    }
  }

  it('equal plain JavaScript filters over all stored trades, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 5, maxLength: 40 }),
        fc.array(fc.tuple(facts, facts), { maxLength: 15 }),
        fc.array(fc.tuple(filters, fc.integer({ min: 1, max: 9 })), { minLength: 8, maxLength: 8 }),
        async (first, changes, asks) => {
          const { write, feed, exported, trades } = await world(first)
          // Each written again under the keys that are there, and some taken back.
          for (const [changed, gone] of changes) {
            const at = (each: Facts) => first[(each.filing * 3 + each.place) % first.length]!
            const { filedAt, filing, place, issuer, owners } = at(changed)
            await write([{ ...changed, filedAt, filing, place, issuer, owners }], [at(gone)])
          }
          const stored = await trades()
          for (const [ask, limit] of asks) {
            const expected = stored
              .filter((trade) => matches(ask, trade) && ORDERS[ask.sort ?? 'newest'].has(trade))
              .sort(ORDERS[ask.sort ?? 'newest'].by)
            const found = await pages(feed, ask, limit)
            assert.deepEqual(
              found,
              expected.map(({ id }) => id),
              JSON.stringify(ask),
            )
            const { sort, ...filter } = ask
            if (sort === undefined) assert.deepEqual(await chunks(exported, filter), found, JSON.stringify(ask))
          }
        },
      ),
      { numRuns: volume('worlds for the filters of the feed', 12, 200) },
    )
  })

  it('find a trade on the day of a filing that was accepted on the evening before the weekend', async () => {
    const one = fc.sample(facts, { seed: 7, numRuns: 1 })[0]!
    const filedAt = Date.UTC(2026, 10, 7, 4, 30) / 1000
    const { feed, exported } = await world([{ ...one, listed: true, filedAt, tradeDay: '2026-11-09' }])
    for (const [min, found] of [
      ['2026-11-09', 1],
      ['2026-11-10', 0],
    ] as const) {
      assert.lengthOf(await pages(feed, { traded: { min } }, 5), found)
      assert.lengthOf(await chunks(exported, { traded: { min } }), found)
    }
  })

  it('show nothing twice and miss nothing that was there, while rows arrive and change between pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 20, maxLength: 40 }),
        fc.array(fc.array(facts, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 10 }),
        filters,
        async (first, arriving, ask) => {
          const { write, feed, trades } = await world(first)
          const before = await trades()
          const changed = new Set<string>()
          let step = 0
          const found = await pages(feed, ask, 2, async () => {
            const next = arriving[step++ % arriving.length]!
            for (const each of next) changed.add(tradeOf(each).id)
            await write(next)
          })
          assert.strictEqual(new Set(found).size, found.length, JSON.stringify(ask))
          const stayed = before.filter(
            (trade) => !changed.has(trade.id) && matches(ask, trade) && ORDERS[ask.sort ?? 'newest'].has(trade),
          )
          for (const { id } of stayed) assert.include(found, id, JSON.stringify(ask))
        },
      ),
      { numRuns: volume('feeds read while they change', 12, 200) },
    )
  })

  it('show the latest state of a row that was rewritten twenty times', async () => {
    const one = fc.sample(facts, { seed: 7, numRuns: 1 })[0]!
    const { write, feed } = await world([{ ...one, listed: true, significance: 'low' }])
    for (let time = 1; time <= 20; time += 1) {
      const significance = SEVERITIES[time % SEVERITIES.length]!
      await write([{ ...one, listed: true, significance }])
      for (const minSignificance of SEVERITIES) {
        const isThere = SEVERITIES.indexOf(significance) >= SEVERITIES.indexOf(minSignificance)
        assert.lengthOf(
          await pages(feed, { minSignificance }, 5),
          isThere ? 1 : 0,
          `${time} ${significance} ${minSignificance}`,
        )
      }
    }
  })
})
