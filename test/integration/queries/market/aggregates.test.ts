// Sums over open-market trades against plain JavaScript over all stored trades: random histories at the edges of days,
// with trades that change, are withdrawn or move to another sector.
import { assert } from 'chai'
import fc from 'fast-check'
import { ChangeTracker } from '../../../../src/application/changes/change-tracker.ts'
import type { DirectoryEntry } from '../../../../src/application/ports/analytics.ts'
import {
  MEASURES,
  type RankingsRequest,
  type SentimentRequest,
} from '../../../../src/application/queries/aggregates/aggregate-requests.ts'
import type { Queries } from '../../../../src/application/queries/queries.ts'
import { SECTORS, type Sector } from '../../../../src/domain/filings/sector.ts'
import { INTERVALS, intervalsBetween, type Interval } from '../../../../src/domain/shared/interval.ts'
import { OWNER_ROLES, PLANS, filterFacts, passes } from '../../../../src/domain/trades/transaction-filter.ts'
import type { Trade } from '../../../../src/domain/trades/trade.ts'
import type { ClickHouse } from '../../../../src/infrastructure/clickhouse/connection/client.ts'
import { sql, Sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { rankings } from '../../../../src/infrastructure/clickhouse/queries/aggregates/rankings.ts'
import type { CompanyLists } from '../../../../src/infrastructure/clickhouse/queries/shared/company-list.ts'
import { clickHouseQueries } from '../../../../src/infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseAnalyticsStore } from '../../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { exampleTrade } from '../../../support/filings/trade.ts'
import { parsed } from '../../../support/service/parsed-queries.ts'
import { freshClickHouse, type TestClickHouse } from '../../../support/stores/clickhouse.ts'
import { compute } from '../../../support/workers/shared-workers.ts'
import { volume } from '../../../support/volume.ts'
import { changeInserts } from '../../../../src/infrastructure/clickhouse/stores/change-inserts.ts'

const ISSUERS = ['0001999001', '0001999002', '0001999003']
// The first issuer files for trades of its own.
const INSIDERS = ['0001999101', '0001999102', '0001999103', '0001999001']
const at = (text: string): number => Date.parse(text) / 1000
// Before and after midnight in New York: winter, summer, both changes of the clock, a leap day, the end of a year.
const TIMES = [
  ...['2020-02-29T04:59:59Z', '2020-02-29T05:00:00Z', '2020-03-01T04:59:59Z', '2020-03-01T05:00:00Z'],
  ...['2020-03-08T06:59:59Z', '2020-03-09T03:59:59Z', '2020-03-09T04:00:00Z', '2020-06-30T12:00:00Z'],
  ...['2020-11-01T03:59:59Z', '2020-11-01T04:00:00Z', '2020-11-02T04:59:59Z', '2020-11-02T05:00:00Z'],
  ...['2021-01-01T04:59:59Z', '2021-01-01T05:00:00Z'],
].map(at)
const TRADE_DAYS = ['2019-12-31', '2020-02-28', '2020-02-29', '2020-03-01', '2020-10-31', '2020-12-31']
const NOW = at('2021-01-01T15:00:00Z')

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const mostly = <const A, const B>(usual: A, others: readonly B[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(others) })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

const facts = fc.record({
  filedAt: oneOf(TIMES),
  filing: fc.integer({ min: 1, max: 4 }),
  place: fc.integer({ min: 1, max: 2 }),
  issuer: oneOf(ISSUERS),
  insider: oneOf(INSIDERS),
  isDirector: fc.boolean(),
  ceo: fc.boolean(),
  type: oneOf(['buy', 'sell', 'buy', 'sell', 'award'] as const),
  plan: oneOf(PLANS),
  routine: fc.boolean(),
  amount: oneOf([
    ['1', '0.001', '0'],
    ['10.5', '2', '21'],
    ['3', '33333333333.33', '99999999999.99'],
    ['1000', '0', '0'],
  ] as const),
  tradeDay: fc.option(oneOf(TRADE_DAYS), { nil: null }),
  priceStatus: mostly('as_filed', ['suspect', 'foreign', 'other_unit'] as const),
  sharesStatus: mostly('as_filed', ['suspect'] as const),
  listed: mostly(true, [false]),
  /** Seconds after which an amendment took its place. */
  supersededAfter: fc.option(oneOf([1, 3_600, 86_400 * 90, 86_400 * 400]), { nil: null, freq: 2 }),
  isEstimated: mostly(false, [true]),
})
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

function tradeOf(each: Facts): Trade {
  const { filedAt, place, ceo, type, plan, routine, amount, priceStatus, sharesStatus, listed, insider } = each
  const { issuer, supersededAfter, isEstimated } = each
  const accession = `0001234567-${issuer.slice(-2)}-${String(each.filing).padStart(6, '0')}`
  const owner = { cik: insider, name: `OWNER ${insider}`, title: 'Officer', isDirector: each.isDirector }
  const tradeDay = each.tradeDay && each.tradeDay <= dayIn('America/New_York', filedAt) ? each.tradeDay : null
  return exampleTrade({
    ...{ accession, place, filedAt, ceo, type, plan, routine, priceStatus, sharesStatus, tradeDay },
    ...{ issuerCik: issuer, companyName: `Example ${issuer}`, id: `${accession}-${filedAt}-nd-${place}` },
    owners: [{ ...owner, isOfficer: true, isTenPercentOwner: false, isOther: false }],
    listed: listed && supersededAfter === null,
    filedDay: dayIn('America/New_York', filedAt),
    filedBasis: isEstimated ? 'signature' : 'accepted',
    code: type === 'buy' ? 'P' : 'S',
    date: tradeDay ?? '0020-01-01',
    ...{ shares: amount[0], priceFiled: amount[1], totalValue: amount[2] },
    foreign: priceStatus === 'foreign',
    ...{ businessDays: 2, late: false },
    duplicateOf: listed ? '' : 'another',
    supersededBy: supersededAfter === null ? '' : '0001234567-99-000001',
    supersededAt: supersededAfter === null ? 0 : filedAt + supersededAfter,
  })
}

/** By the time zones of the system, not by our own rules. */
function dayIn(timeZone: string, seconds: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(seconds * 1000)
}

function startOf(day: string, interval: Interval): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (interval === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (interval === 'month') date.setUTCDate(1)
  if (interval === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3), 1)
  return date.toISOString().slice(0, 10)
}

/** Whether a trade was listed: now, or at an instant. */
const isListed = (trade: Trade, asOf?: number): boolean =>
  asOf === undefined
    ? trade.listed
    : trade.filedBasis === 'accepted' &&
      trade.duplicateOf === '' &&
      trade.filedAt <= asOf &&
      (trade.supersededBy === '' || trade.supersededAt > asOf)

const isOpenMarket = ({ type, priceStatus, sharesStatus, priceFiled, insiderCik, issuerCik }: Trade): boolean =>
  ['buy', 'sell'].includes(type) &&
  priceStatus === 'as_filed' &&
  sharesStatus === 'as_filed' &&
  Number(priceFiled) > 0 &&
  insiderCik !== issuerCik

const cents = (text: string): bigint => BigInt(Math.round(Number(text) * 100))
const steps = (text: string): bigint => BigInt(Math.round(Number(text) * 10_000))

function summedUp(trades: readonly Trade[]) {
  const [bought, sold] = [trades.filter(({ type }) => type === 'buy'), trades.filter(({ type }) => type === 'sell')]
  const persons = (of: Trade[]) => new Set(of.map(({ insiderCik }) => insiderCik)).size
  const sum = (of: Trade[], value: (trade: Trade) => bigint) => of.reduce((all, trade) => all + value(trade), 0n)
  const value = (of: Trade[]) => sum(of, ({ totalValue }) => cents(totalValue))
  const shares = (of: Trade[]) => sum(of, (trade) => steps(trade.shares))
  return {
    ...{ buys: bought.length, sells: sold.length, buyers: persons(bought), sellers: persons(sold) },
    ...{ sharesBought: Number(shares(bought)) / 1e4, sharesSold: Number(shares(sold)) / 1e4 },
    ...{ buyValue: Number(value(bought)) / 100, sellValue: Number(value(sold)) / 100 },
    netValue: Number(value(bought) - value(sold)) / 100,
    shareRatio: ratio(Number(shares(bought)), Number(shares(sold))),
    valueRatio: ratio(Number(value(bought)), Number(value(sold))),
    personRatio: ratio(persons(bought), persons(sold)),
  }
}

function ratio(bought: number, sold: number): number | null {
  const size = (100 * Math.abs(bought - sold)) / (bought + sold)
  return bought + sold === 0 ? null : (Math.sign(bought - sold) * Math.round((size + 1e-11) * 100)) / 100 + 0
}

const instants = maybe(
  fc.tuple(oneOf(TIMES.slice(3)), oneOf([-1, 0, 3_599, 3_600])).map(([time, after]) => time + after),
)

const asks: fc.Arbitrary<Omit<SentimentRequest, 'starts'>> = fc
  .record({
    company: maybe(oneOf(ISSUERS).map((cik) => ({ ticker: null, cik }))),
    sector: maybe(oneOf(['Energy', 'Health Care', 'Unknown'] as const)),
    interval: oneOf(INTERVALS),
    by: oneOf(['filed', 'traded'] as const),
    plans: maybe(some(PLANS)),
    routine: maybe(fc.boolean()),
    roles: maybe(some(OWNER_ROLES)),
    asOf: instants,
  })
  .map(({ company, sector, roles, plans, routine, asOf, ...ask }) => ({
    ...ask,
    ...(asOf !== undefined && { asOf }),
    ...(company ? { company, ...(roles && { roles }) } : sector ? { sector } : {}),
    ...(plans && { plans }),
    ...(routine !== undefined && { routine }),
  }))

describe('sums over open-market trades', function () {
  this.timeout(1_800_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  async function world(first: readonly Facts[]) {
    const { store } = clickHouse
    for (const table of ['trades', 'transaction_lists', 'directory', 'parties'])
      await store.command(sql`TRUNCATE TABLE ${new Sql(table)}`)
    const analytics = new ClickHouseAnalyticsStore(store)
    const sectorOf = new Map<string, Sector>()
    let version = 0
    // Sectors are read again at each change; without knowing of changes they may be a quarter of a second old.
    const changes = new ChangeTracker()
    const write = async (trades: readonly Trade[], gone: readonly Trade[] = [], entries: DirectoryEntry[] = []) => {
      const keyed = new Map(trades.map((trade) => [trade.id, trade]))
      const isRestored = ({ id, supersededBy }: Trade) => supersededBy !== '' && keyed.get(id)?.supersededBy === ''
      const change = { trades: [...keyed.values()], goneTrades: [...gone], entries, restored: gone.filter(isRestored) }
      await analytics.write(changeInserts({ ...change, goneEntries: [], goneDetails: [] }, ++version))
      changes.recordExtent('everything')
    }
    const move = async (issuerCik: string, sector: Sector) => {
      // A filing that says nothing of a sector leaves the company where it was.
      if (sector !== 'Unknown' || !sectorOf.has(issuerCik)) sectorOf.set(issuerCik, sector)
      const accession = `0001234567-21-${String(version).padStart(6, '0')}`
      const said = {
        companyName: `Example ${issuerCik}`,
        symbols: [],
        sic: sector === 'Unknown' ? null : '1311',
        owners: [],
        isEstimated: false,
        ...{ originalDate: null, period: null, amendmentWords: [] },
      }
      const filing = { accession, form: '4' as const, filedAt: TIMES[0]! + version, issuerCik }
      await write([], [], [{ ...filing, ...said, office: null, sector }])
    }
    await write(first.map(tradeOf))
    for (const issuer of ISSUERS) await move(issuer, 'Unknown')
    const queries = clickHouseQueries(store, () => NOW * 1000, { changes, isUpToDate: () => true }, compute)
    return {
      write,
      move,
      sectorOf: (issuer: string): Sector => sectorOf.get(issuer) ?? 'Unknown',
      queries: parsed(queries as unknown as Queries),
      trades: async () => (await analytics.trades(ISSUERS)).filter(isOpenMarket),
    }
  }
  type World = Awaited<ReturnType<typeof world>>

  async function check({ queries, trades, sectorOf }: World, ask: Omit<SentimentRequest, 'starts'>): Promise<void> {
    const { company, sector, interval, by } = ask
    const starts = intervalsBetween('2019-12-31', '2021-01-02', interval, 520)!
    const filter = { ...(ask.plans && { plans: ask.plans }), ...(ask.roles && { roles: ask.roles }) }
    const asked = { ...filter, ...(ask.routine !== undefined && { routine: ask.routine }) }
    const stored = (await trades()).filter(
      (trade) =>
        isListed(trade, ask.asOf) &&
        passes(asked, filterFacts(trade)) &&
        (!company || trade.issuerCik === company.cik) &&
        (!sector || sectorOf(trade.issuerCik) === sector),
    )
    const day = (trade: Trade) => (by === 'filed' ? dayIn('America/New_York', trade.filedAt) : trade.tradeDay)
    const byStart = Map.groupBy(
      stored.filter((trade) => day(trade) !== null),
      (trade) => startOf(day(trade)!, interval),
    )
    const expected = starts.map((start) => ({ start, ...summedUp(byStart.get(start) ?? []) }))
    const { points, ...said } = await queries.sentiment({ ...ask, starts })
    assert.deepEqual(points, expected, JSON.stringify(ask))
    const ticker = company ? `CIK${company.cik}` : null
    assert.deepEqual(said, { ticker, sector: sector ?? null, interval, by })
  }

  const steps_ = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), changed: fc.array(facts, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('take back' as const), place: fc.nat() }),
    fc.record({
      kind: fc.constant('move' as const),
      issuer: oneOf(ISSUERS),
      sector: oneOf(['Energy', 'Health Care', 'Unknown'] as const),
    }),
  )

  it('equal sums in plain JavaScript, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 20, maxLength: 60 }),
        fc.array(fc.tuple(steps_, fc.array(asks, { minLength: 3, maxLength: 5 })), { minLength: 4, maxLength: 8 }),
        async (first, steps) => {
          const made = await world(first)
          for (const [step, questions] of steps) {
            const stored = await made.trades()
            const one = stored[('place' in step ? step.place : 0) % Math.max(1, stored.length)]
            if (step.kind === 'move') await made.move(step.issuer, step.sector)
            else if (step.kind === 'take back' && one) await made.write([], [one])
            else if (step.kind === 'write') {
              // Some in place of what is stored under the same key, as another copy of a document is.
              const ids = new Map(stored.map((trade) => [trade.id, trade]))
              const written = step.changed.map(tradeOf)
              await made.write(
                written,
                written.flatMap(({ id }) => ids.get(id) ?? []),
              )
            }
            for (const ask of questions) await check(made, ask)
          }
        },
      ),
      { numRuns: volume('worlds for sums over trades', 6, 100), endOnFailure: true },
    )
  })

  it('answer 0 for a ratio that rounds to it from below, not -0', async () => {
    const [plain] = fc.sample(facts, { seed: 9, numRuns: 1 })
    const base = { ...plain!, plan: 'no', priceStatus: 'as_filed', sharesStatus: 'as_filed', listed: true } as const
    const trade = { ...base, supersededAfter: null, insider: INSIDERS[0]!, filedAt: TIMES[7]! }
    const made = await world([
      { ...trade, filing: 1, type: 'buy', amount: ['3', '33333333333.33', '99999999999.99'] },
      { ...trade, filing: 2, type: 'sell', amount: ['3', '33333333333.33', '99999999999.99'] },
      { ...trade, filing: 3, type: 'sell', amount: ['10.5', '2', '21'] },
    ])
    const { points } = await made.queries.sentiment({ interval: 'quarter', by: 'filed', starts: ['2020-04-01'] })
    assert.deepInclude(points[0], { netValue: -21, valueRatio: 0 })
  })

  it('rank what is left where a filing is withdrawn while its company is looked up', async () => {
    const [plain] = fc.sample(facts, { seed: 9, numRuns: 1 })
    const base = { ...plain!, plan: 'no', priceStatus: 'as_filed', sharesStatus: 'as_filed', listed: true } as const
    const trade = { ...base, supersededAfter: null, type: 'buy', insider: INSIDERS[0]!, filedAt: NOW - 3_600 } as const
    const amount = ['10.5', '2', '21'] as const
    const made = await world([
      { ...trade, filing: 1, issuer: ISSUERS[0]!, amount },
      { ...trade, filing: 2, issuer: ISSUERS[1]!, amount },
    ])
    const { store } = clickHouse
    const [withdrawn] = await made.trades()
    let isLate = false
    const interrupted = {
      rows: async <T>(query: Sql) => {
        const rows = await store.rows<T>(query)
        if (!isLate) await made.write([], [withdrawn!])
        isLate = true
        return rows
      },
      texts: (...asked: Parameters<ClickHouse['texts']>) => store.texts(...asked),
    } as Pick<ClickHouse, 'rows' | 'texts'> as ClickHouse
    const lists = async () => ({ byIssuer: new Map() }) as unknown as Awaited<ReturnType<CompanyLists>>
    const ask = rankings(
      interrupted,
      lists,
      async () => new Map(),
      () => NOW * 1000,
    )
    const { companies } = await ask({ of: 'companies', by: 'buyValue', days: 7, limit: 10 })
    const left = ISSUERS.slice(0, 2).filter((issuer) => issuer !== withdrawn!.issuerCik)
    assert.deepEqual(
      companies?.map(({ cik }) => cik),
      left,
    )
  })

  it('give no ranking, and no end to the request, where the ranked trades are gone time after time', async () => {
    await world(fc.sample(facts, { seed: 9, numRuns: 80 }))
    const { store } = clickHouse
    const reads: Sql[] = []
    const emptied = {
      rows: <T>(query: Sql) => store.rows<T>(query),
      texts: async (query: Sql) => (reads.push(query), []),
    } as unknown as ClickHouse
    const lists = async () => ({ byIssuer: new Map() }) as unknown as Awaited<ReturnType<CompanyLists>>
    const sectors = async () => new Map<number, string>()
    const ask = rankings(emptied, lists, sectors, () => NOW * 1000)
    const failure = await ask({ of: 'companies', by: 'buyValue', days: 365, limit: 10 }).then(() => null, String)
    assert.match(failure!, /retry later/)
    assert.lengthOf(reads, 5)
  })

  it('add up: sectors to the market, and days to a month', async () => {
    const made = await world(fc.sample(facts, { seed: 9, numRuns: 80 }))
    await made.move(ISSUERS[0]!, 'Energy')
    await made.move(ISSUERS[1]!, 'Health Care')
    const ask = async (interval: Interval, sector?: Sector) => {
      const starts = intervalsBetween('2019-12-31', '2021-01-02', interval, 520)!
      const found = await made.queries.sentiment({ interval, by: 'filed', starts, ...(sector && { sector }) })
      return found.points
    }
    const total = (points: Awaited<ReturnType<typeof ask>>, name: 'buys' | 'sells' | 'buyValue' | 'netValue') =>
      points.reduce((sum, point) => sum + Math.round(point[name] * 100), 0)
    const [months, days] = [await ask('month'), await ask('day')]
    const sectors = await Promise.all(SECTORS.map((sector) => ask('month', sector)))
    for (const name of ['buys', 'sells', 'buyValue', 'netValue'] as const) {
      assert.notEqual(total(months, name), 0)
      assert.strictEqual(total(days, name), total(months, name), name)
      assert.strictEqual(total(sectors.flat(), name), total(months, name), name)
    }
  })

  it('rank companies and insiders as plain JavaScript does', async () => {
    const rankings: fc.Arbitrary<RankingsRequest> = fc
      .record({
        of: oneOf(['companies', 'insiders'] as const),
        by: oneOf(MEASURES),
        days: oneOf([1, 2, 62, 92]),
        to: maybe(oneOf(['2020-02-29', '2020-03-08', '2020-11-01', '2021-01-01', '2021-03-31'])),
        asOf: instants,
        limit: oneOf([1, 2, 20]),
        sectors: maybe(some(['Energy', 'Unknown'] as const)),
        plans: maybe(some(PLANS)),
        minValue: maybe(oneOf(['0.01', '21', '99999999999.99'])),
      })
      .map(({ sectors, plans, minValue, to, asOf, ...ask }) => ({
        ...ask,
        ...(to !== undefined && { to }),
        ...(asOf !== undefined && { asOf }),
        ...(sectors && { sectors }),
        ...(plans && { plans }),
        ...(minValue !== undefined && { minValue }),
      }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 10, maxLength: 60 }),
        fc.array(rankings, { minLength: 10, maxLength: 10 }),
        async (first, questions) => {
          const made = await world(first)
          await made.move(ISSUERS[0]!, 'Energy')
          for (const ask of questions) {
            const to = ask.to ?? dayIn('America/New_York', ask.asOf ?? NOW)
            const from = new Date(Date.parse(to) - (ask.days - 1) * 86_400_000).toISOString().slice(0, 10)
            const filedOn = ({ filedAt }: Trade) => dayIn('America/New_York', filedAt)
            const within = (await made.trades()).filter(
              (trade) =>
                filedOn(trade) >= from &&
                filedOn(trade) <= to &&
                isListed(trade, ask.asOf) &&
                passes({ ...(ask.plans && { plans: ask.plans }) }, filterFacts(trade)) &&
                (!ask.sectors || ask.sectors.includes(made.sectorOf(trade.issuerCik))),
            )
            const value = (sums: ReturnType<typeof summedUp>) =>
              ask.by === 'netValue' ? sums.netValue : ask.by.startsWith('buy') ? sums.buyValue : sums.sellValue
            const expected = [
              ...Map.groupBy(within, (each) => (ask.of === 'companies' ? each.issuerCik : each.insiderCik)),
            ]
              .map(([cik, trades]) => ({
                cik,
                ...summedUp(trades),
                day:
                  trades
                    .map(({ tradeDay }) => tradeDay ?? '')
                    .sort()
                    .at(-1) || null,
              }))
              .filter((each) => each[ask.by] > 0 && (ask.minValue === undefined || value(each) >= Number(ask.minValue)))
              .sort((a, b) => b[ask.by] - a[ask.by] || value(b) - value(a) || (a.cik < b.cik ? -1 : 1))
              .slice(0, ask.limit)
            const found = await made.queries.rankings(ask)
            assert.deepEqual([found.from, found.to], [from, to])
            assert.deepEqual(
              (found.companies ?? found.insiders)!.map(({ cik, buys, sells, netValue, lastTransactionDate, rank }) => ({
                cik,
                buys,
                sells,
                netValue,
                lastTransactionDate,
                rank,
              })),
              expected.map(({ cik, buys, sells, netValue, day }, index) => ({
                cik,
                buys,
                sells,
                netValue,
                lastTransactionDate: day,
                rank: index + 1,
              })),
              JSON.stringify(ask),
            )
          }
        },
      ),
      { numRuns: volume('worlds for rankings', 6, 100) },
    )
  })
})
