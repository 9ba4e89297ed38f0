// Answers as of an instant equal, byte for byte, those of a store with exactly the filings accepted by then: every
// query, for histories in any order of arrival, and after a rebuild.
import { assert } from 'chai'
import type { Queries } from '../../../src/application/queries/queries.ts'
import type {
  RankingsRequest,
  SentimentRequest,
} from '../../../src/application/queries/aggregates/aggregate-requests.ts'
import type { FeedExportRequest, FeedRequest } from '../../../src/application/queries/transaction-requests.ts'
import { ServiceError } from '../../../src/application/errors.ts'
import { JsonText } from '../../../src/application/queries/json-text.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { isEstimated } from '../../../src/domain/filings/acceptance-time.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { dataSetOf, shuffle, type Tables } from '../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import {
  arbitraryWorld,
  FIRST_TRANCHE,
  splitWorld,
  withDataSets,
  WORLD_ISSUERS,
  WORLD_OWNERS,
  type WorldFiling,
} from '../../support/filings/arbitrary-world.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const NOW = Date.UTC(2026, 0, 1) / 1000
const FILINGS = 30
/** Of the feeds that are read page by page, and of all others. */
const [PAGE, WHOLE] = [4, 100]
/** Of the times of acceptance each so many is asked for, with the second before it. */
const STRIDE = volume('instants between those asked for', 15, 1)
/** The same in worlds with data sets, from the second one on. */
const SET_STRIDE = volume('instants between those asked for in worlds with data sets', 5, 1)

const FEEDS: Omit<FeedRequest, 'limit' | 'asOf'>[] = [
  {},
  { detail: true },
  { filter: 'high' },
  { filter: 'buys' },
  { filter: 'ceo_cfo' },
  { minSignificance: 'medium', types: ['buy', 'sell'] },
  { companies: [{ ticker: 'ANVL', cik: null }] },
  { companies: WORLD_ISSUERS.map(({ cik }) => ({ ticker: null, cik })), minSignificance: 'high' },
  { insiderCiks: [WORLD_OWNERS[0]!.cik] },
  { insiderCiks: WORLD_OWNERS.slice(1, 4).map(({ cik }) => cik), types: ['buy'] },
  { sort: 'value', filed: { from: 0 } },
  { value: { min: '400000' } },
  { value: { max: '45000' }, insiderCiks: WORLD_OWNERS.map(({ cik }) => cik) },
  { sort: 'value', companies: [{ ticker: 'BELW', cik: null }], minSignificance: 'medium' },
  { filed: { from: Date.UTC(2024, 2, 14) / 1000, before: Date.UTC(2024, 2, 20) / 1000 } },
]

/** Sums over all months of a world and those around them, by both days, whole and filtered. */
const STARTS = ['2024-02-01', '2024-03-01', '2024-04-01', '2024-05-01']
const WEEKS = ['2024-03-04', '2024-03-11', '2024-03-18', '2024-03-25', '2024-04-01']
const SUMS: Omit<SentimentRequest, 'company' | 'asOf'>[] = [
  { interval: 'month', by: 'filed', starts: STARTS },
  { interval: 'month', by: 'traded', starts: STARTS },
  { interval: 'week', by: 'filed', starts: WEEKS, roles: ['director'] },
  { interval: 'week', by: 'traded', starts: WEEKS, routine: false, plans: ['no', 'unknown'] },
]

/** Over the market and a sector, in which all companies of a world are. */
const MARKET_SUMS: Omit<SentimentRequest, 'company' | 'asOf'>[] = SUMS.map(({ roles: _, ...sums }, place) => ({
  ...sums,
  ...(place % 2 === 1 && { sector: 'Technology' as const }),
}))
const RANKINGS: Omit<RankingsRequest, 'asOf'>[] = [
  { of: 'companies', by: 'buyValue', days: 92, to: '2024-05-15', limit: 20 },
  { of: 'companies', by: 'netValue', days: 5, to: '2024-03-18', limit: 20, plans: ['no', 'unknown'] },
  { of: 'companies', by: 'sellers', days: 31, to: '2024-04-10', limit: 2, sectors: ['Technology'] },
  { of: 'insiders', by: 'sells', days: 92, to: '2024-05-15', limit: 3 },
  { of: 'insiders', by: 'buyValue', days: 31, to: '2024-04-01', limit: 20, sectors: ['Technology'], routine: false },
]

/** Returns the bytes of an answer; what the error says if it is one. */
async function bytesOf(asked: Promise<unknown>): Promise<string> {
  const found = await asked.catch((error: unknown) => {
    if (error instanceof ServiceError) return { error: error.code }
    throw error
  })
  const answer = found && typeof found === 'object' && 'page' in found ? found.page : found
  return answer instanceof JsonText ? answer.text : JSON.stringify(answer)
}

/** Reads all pages. */
async function pagesOf(ask: (cursor?: string) => Promise<unknown>): Promise<string[]> {
  const pages: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await bytesOf(ask(cursor))
    pages.push(page)
    cursor = (JSON.parse(page) as { nextCursor?: string }).nextCursor
    if (cursor === undefined) return pages
  }
}

/** Reads a feed as a file, for what is not sorted by value. */
async function linesOf(queries: Queries, ask: FeedExportRequest): Promise<string[]> {
  try {
    const { next } = await queries.feedExport(ask)
    return await next()
  } catch (error) {
    if (error instanceof ServiceError) return [JSON.stringify({ error: error.code })]
    throw error
  }
}

/** Returns the answers to all questions by what was asked. */
async function answersOf(queries: Queries, asOf?: number): Promise<Map<string, string[]>> {
  const instant = asOf === undefined ? {} : { asOf }
  const answers = new Map<string, string[]>()
  for (const feed of FEEDS) {
    const limit = FEEDS.indexOf(feed) % 4 === 0 ? PAGE : WHOLE
    const ask = (cursor?: string) =>
      queries.feed({ ...feed, ...instant, limit, ...(cursor !== undefined && { cursor }) })
    answers.set(`feed ${JSON.stringify(feed)}`, await pagesOf(ask))
    if (!feed.sort) answers.set(`export ${JSON.stringify(feed)}`, await linesOf(queries, { ...feed, ...instant }))
  }
  for (const minSeverity of [undefined, 'medium', 'high'] as const) {
    const given = { ...(minSeverity && { minSeverity }), ...instant, limit: PAGE }
    const ask = (cursor?: string) => queries.signals({ ...given, ...(cursor !== undefined && { cursor }) })
    answers.set(`signals ${minSeverity}`, await pagesOf(ask))
  }
  for (const { cik } of WORLD_OWNERS) {
    const given = { insiderCiks: [cik], ...instant, limit: WHOLE }
    answers.set(`signals of ${cik}`, [await bytesOf(queries.signals(given))])
  }
  for (const { cik, ticker } of WORLD_ISSUERS) {
    answers.set(`company ${ticker}`, [await bytesOf(queries.company(ticker, true, asOf))])
    answers.set(`company ${cik}`, [await bytesOf(queries.company(cik, false, asOf))])
    for (const sums of SUMS)
      for (const company of [
        { ticker, cik: null },
        { ticker: null, cik },
      ])
        answers.set(`sums ${ticker} ${company.cik} ${JSON.stringify(sums)}`, [
          await bytesOf(queries.sentiment({ ...sums, company, ...instant })),
        ])
  }
  for (const sums of MARKET_SUMS)
    answers.set(`market ${JSON.stringify(sums)}`, [await bytesOf(queries.sentiment({ ...sums, ...instant }))])
  for (const ranking of RANKINGS)
    answers.set(`ranking ${JSON.stringify(ranking)}`, [await bytesOf(queries.rankings({ ...ranking, ...instant }))])
  const named = WORLD_ISSUERS.map(({ ticker }) => ({ ticker, cik: null }))
  answers.set('companies', [await bytesOf(queries.companies(named, asOf))])
  for (const { ticker } of WORLD_ISSUERS)
    answers.set(`holders ${ticker}`, [await bytesOf(queries.holders(ticker, 20, asOf))])
  for (const { cik } of WORLD_OWNERS) {
    answers.set(`insider ${cik}`, [await bytesOf(queries.insider(cik, true, asOf))])
    answers.set(`positions ${cik}`, [await bytesOf(queries.positions(cik, asOf))])
  }
  return answers
}

/**
 * Compares answers. What is unknown to a store without later filings is known to one that has them, with zeros and
 * empty lists.
 */
function assertSame(actual: Map<string, string[]>, expected: Map<string, string[]>, at: string): void {
  for (const [asked, answer] of expected) {
    const isUnknown = answer.some((page) => page === 'null' || page.includes('"error":'))
    const lacks = asked === 'companies' && !answer[0]!.endsWith('"unknown":[]}')
    if (isUnknown) {
      const page = actual.get(asked)!.join('')
      // Without a line, a file says the same.
      if (!asked.startsWith('export'))
        if (asked.startsWith('sums') && !page.includes('"error":')) assertEmpty(page, `${asked} ${at}`)
        else
          assert.match(
            page,
            /"(?:recentTransactions|transactions|companies|classes)":\[\]|^null$|"error":/,
            `${asked} ${at}`,
          )
    } else if (!lacks) assert.deepEqual(actual.get(asked), answer, `${asked} ${at}`)
  }
}

/** That each interval is there and has nothing. */
function assertEmpty(page: string, asked: string): void {
  const { points } = JSON.parse(page) as Awaited<ReturnType<Queries['sentiment']>>
  assert.isNotEmpty(points, asked)
  for (const { start: _, shareRatio, valueRatio, personRatio, ...sums } of points) {
    assert.deepEqual([shareRatio, valueRatio, personRatio], [null, null, null], asked)
    assert.deepEqual(new Set(Object.values(sums)), new Set([0]), asked)
  }
}

describe('answers as of an instant', function () {
  this.timeout(600_000)
  const open = testServices()
  const fresh = async ({ isListed = true } = {}) => {
    const service = await open()
    if (!isListed) return service
    const listed = WORLD_ISSUERS.map(({ cik, ticker, names: [name] }) => ({ ticker, cik, name: name!, exchange: null }))
    await service.container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32))
    await service.container.get(TYPES.refreshCompanies)(() => {})
    return service
  }
  const taken = async (service: TestService, filings: WorldFiling[]) => {
    await service.take(...filings.map(({ path, text }) => ({ path, text })))
    await service.detectSignals()
  }
  /** Loads what data sets have of a world; keys of rows are the same in every part of it. */
  const loaded = async (service: TestService, told: WorldFiling[]) => {
    const isAlone = ({ by }: WorldFiling) => by === 'set'
    const ordered = [...told.filter(isAlone), ...told.filter((filing) => !isAlone(filing))]
    const quarters = Map.groupBy(ordered, ({ spec }) => (spec.acceptedAt! < '20240401' ? '2024q1' : '2024q2'))
    const sets = [...quarters].map(([quarter, filings]): [string, Tables] => [
      quarter,
      dataSetOf(filings.map(({ spec }) => filingOf(spec))),
    ])
    await loadSets(service, sets)
    await service.detectSignals()
  }

  /** The answers of a store that takes filings as they were accepted, by the instants at which they were given. */
  async function lived(world: WorldFiling[], isListed: boolean, isAskedAt = (place: number) => place % STRIDE === 0) {
    const service = await fresh({ isListed })
    const answers = new Map<number, Map<string, string[]>>()
    const told: WorldFiling[] = []
    let isLoaded = true
    const asked = async (asOf: number) => {
      if (!isLoaded) await loaded(service, told)
      isLoaded = true
      answers.set(asOf, await answersOf(service.textQueries, asOf))
    }
    const instants = [...Map.groupBy(world, (filing) => filing.at)]
    for (const [place, [at, filings]] of instants.entries()) {
      const isAsked = isAskedAt(place)
      if (isAsked) await asked(at - 1)
      const { set = [], others = [] } = Object.groupBy(filings, ({ by }) => (by === 'set' ? 'set' : 'others'))
      await taken(service, others)
      told.push(...set)
      isLoaded &&= set.length === 0
      if (isAsked) await asked(at)
    }
    return answers
  }

  for (const seed of volume('worlds as of every instant', [13], [6, 13, 20]))
    for (const isListed of volume('whether companies are listed', [true], [true, false]))
      it(`are those of a store without later filings (${seed}, ${isListed ? '' : 'un'}listed companies)`, async () => {
        const world = arbitraryWorld(seed, FILINGS)
        const expected = await lived(world, isListed)
        const whole = await fresh({ isListed })
        const arrived = shuffle([...world], seeded(seed))
        for (let from = 0; from < arrived.length; from += 7) await taken(whole, arrived.slice(from, from + 7))
        const check = async (when: string, every = 1) => {
          for (const [asOf, answers] of [...expected].filter((_, place) => (expected.size - 1 - place) % every === 0))
            assertSame(await answersOf(whole.textQueries, asOf), answers, `at ${asOf} ${when}`)
        }
        await check('in another order')
        await whole.container.get(TYPES.rebuild)(() => {})
        await check('after a rebuild', 5)
        await assertRich(whole)
      })

  for (const seed of volume('worlds with data sets as of every instant', [60], [4, 11, 13]))
    it(`are those of a store without later filings, some of them by data sets (${seed})`, async () => {
      const world = withDataSets(arbitraryWorld(seed, volume('filings of a world with data sets', 12, FILINGS)), seed)
      const expected = await lived(world, true, (place) => place % SET_STRIDE === 1 % SET_STRIDE)
      const whole = await fresh()
      const arrived = shuffle([...world], seeded(seed)).filter(({ by }) => by !== 'set')
      await taken(whole, arrived.slice(0, arrived.length / 2))
      await loaded(
        whole,
        world.filter(({ by }) => by !== 'document'),
      )
      await taken(whole, arrived.slice(arrived.length / 2))
      for (const [asOf, answers] of expected)
        assertSame(await answersOf(whole.textQueries, asOf), answers, `at ${asOf} with data sets`)
      assert.hasAllKeys(
        Map.groupBy(world, ({ by }) => by),
        ['set', 'both', 'document'],
      )
      await assertAmended(whole)
    })

  /** The filings of a split world whose instants are asked for: suspect, explained, amended. */
  const SPLIT_PLACES = [3, 5, 7]
  const explainedIn = async ({ store }: TestService) => {
    const [found] = await store.rows<{ rows: number; superseded: number }>(sql`
      SELECT count() AS rows, countIf(superseded_by != '') AS superseded
      FROM transactions FINAL
      WHERE toUnixTimestamp(suspect_until) != 0 AND priceStatus = 'as_filed'`)
    return found
  }

  it('are those of a store without later filings, where one explains suspect prices', async () => {
    const world = splitWorld()
    const expected = await lived(world, true, (place) => SPLIT_PLACES.includes(place))
    const whole = await fresh()
    await taken(whole, world.toReversed())
    const check = async (when: string) => {
      for (const [asOf, answers] of expected)
        assertSame(await answersOf(whole.textQueries, asOf), answers, `at ${asOf} ${when}`)
      assert.deepEqual(await explainedIn(whole), { rows: 2, superseded: 1 })
    }
    await check('in the reverse order')
    await whole.container.get(TYPES.rebuild)(() => {})
    await check('after a rebuild')
  })

  for (const seed of volume('mixes of documents and data sets that explain suspect prices', [2], [1, 2, 3, 4, 5, 6]))
    it(`are those of a store without later filings, where data sets explain suspect prices (${seed})`, async () => {
      const world = withDataSets(splitWorld(), seed)
      const expected = await lived(world, true, (place) => SPLIT_PLACES.includes(place))
      const whole = await fresh()
      const [first, ...others] = shuffle([...world], seeded(seed)).filter(({ by }) => by !== 'set')
      await taken(whole, [first!])
      const [early, late] = [true, false].map((isEarly) =>
        world.filter(({ by, spec }) => by !== 'document' && spec.acceptedAt! < '20240401' === isEarly),
      )
      // The later quarter first.
      await loaded(whole, late!)
      await loaded(whole, early!)
      await taken(whole, others)
      for (const [asOf, answers] of expected)
        assertSame(await answersOf(whole.textQueries, asOf), answers, `at ${asOf} with data sets`)
      assert.deepEqual(await explainedIn(whole), { rows: 2, superseded: 1 })
    })

  /** That rows of data sets are there, and superseded. */
  async function assertAmended({ store }: TestService): Promise<void> {
    const [found] = await store.rows<Record<string, number>>(sql`
      SELECT countIf(id LIKE '%-ds-%') AS several, countIf(filingDateBasis = 'filed-date') AS undated,
        countIf(filingDateBasis = 'filed-date' AND superseded_by != '') AS superseded,
        countIf(filingDateBasis = 'filed-date' AND notEmpty(earlier)) AS changed,
        countIf(superseded_by != '' AND shares = ${FIRST_TRANCHE}) AS tranches
      FROM transactions FINAL`)
    for (const [what, rows] of Object.entries(found!)) assert.isAbove(rows, 0, what)
  }

  /** That the worlds hold what they are meant to. */
  async function assertRich({ store }: TestService): Promise<void> {
    const [found] = await store.rows<Record<string, number>>(sql`
      SELECT
        countIf(superseded_by != '') AS superseded, countIf(duplicate_of != '') AS duplicates,
        countIf(length(ownerCiks) > 1) AS joint, countIf(notEmpty(earlier)) AS changed,
        countIf(filingDateBasis = 'signature') AS estimated,
        countIf(superseded_by != '' AND shares = ${FIRST_TRANCHE}) AS tranches,
        countIf(superseded_by IN (
          SELECT accession
          FROM directory FINAL
          WHERE kind = 'issuer' AND form = '4/A' AND original_date = '')) AS undated
      FROM transactions FINAL`)
    for (const [what, rows] of Object.entries(found!)) assert.isAbove(rows, 0, what)
    const [signals] = await store.rows<Record<string, number>>(sql`
      SELECT
        countIf(length(states) > 1) AS grown,
        countIf(arrayExists(each -> each.signal = '', states)) AS ended
      FROM signal_states FINAL`)
    for (const [what, rows] of Object.entries(signals!)) assert.isAbove(rows, 0, what)
  }

  it('of the present equal those without asOf, except filings with an estimated day', async () => {
    const world = arbitraryWorld(3, FILINGS)
    const isDated = ({ path }: WorldFiling) => path.endsWith('.txt')
    const service = await fresh()
    await taken(service, world.filter(isDated))
    // A cursor has its instant, and the record of an insider is of now alone.
    const comparable = (page: string) => page.replace(/"nextCursor":"[^"]*"/, '').replace(/,"record":\{.*\}(?=\}$)/, '')
    const withoutCursor = (answers: Map<string, string[]>) =>
      [...answers].map(([asked, pages]) => [asked, pages.map(comparable)])
    assert.deepEqual(
      withoutCursor(await answersOf(service.textQueries, NOW)),
      withoutCursor(await answersOf(service.textQueries)),
    )
    const feed = async (asOf?: number) =>
      (await service.queries.feed({ detail: true, limit: 100, ...(asOf !== undefined && { asOf }) })).transactions
    const before = await feed(NOW)
    await taken(
      service,
      world.filter((filing) => !isDated(filing)),
    )
    const [then, now] = [await feed(NOW), await feed()]
    assert.deepEqual(then, before)
    // Their labels may be others: signals of now count the trades of an unknown day.
    assert.isBelow(then.length, now.length)
    assert.deepEqual(
      then.map(({ id }) => id),
      now.filter(({ detail }) => !isEstimated(detail!.filingDateBasis)).map(({ id }) => id),
    )
  })

  it('keep their instant in the cursor', async () => {
    const world = arbitraryWorld(1, FILINGS)
    const service = await fresh()
    await taken(service, world)
    const { queries } = service
    const { nextCursor } = await queries.feed({ asOf: NOW, limit: 1 })
    const { nextCursor: ofSignals } = await queries.signals({ asOf: NOW, limit: 1 })
    assert.lengthOf((await queries.feed({ asOf: NOW, limit: 2, cursor: nextCursor! })).transactions, 2)
    const refused = await Promise.all([
      bytesOf(service.textQueries.feed({ limit: 1, cursor: nextCursor! })),
      bytesOf(service.textQueries.feed({ asOf: NOW - 1, limit: 1, cursor: nextCursor! })),
      bytesOf(service.textQueries.signals({ asOf: NOW - 1, limit: 1, cursor: ofSignals! })),
      bytesOf(service.textQueries.signals({ limit: 1, cursor: ofSignals! })),
    ])
    assert.deepEqual(new Set(refused), new Set(['{"error":"invalid_cursor"}']))
  })

  it('follow a symbol to the company that had it then', async () => {
    const service = await fresh({ isListed: false })
    const filed = (number: number, cik: string) => ({
      accession: `0001999001-25-${String(number).padStart(6, '0')}`,
      acceptedAt: `202503${10 + number}120000`,
      issuer: { cik, name: `Example ${number}`, tickerRaw: 'SWAP' },
    })
    await service.take(filed(1, '0000000301'), filed(2, '0000000302'))
    const at = (day: number) => Date.UTC(2025, 2, day, 20) / 1000
    const { queries } = service
    assert.strictEqual((await queries.company('SWAP', false, at(11)))!.name, 'Example 1')
    assert.strictEqual((await queries.company('SWAP', false, at(12)))!.name, 'Example 2')
    const named = [{ ticker: 'SWAP', cik: null }]
    assert.strictEqual((await queries.companies(named, at(11))).companies[0]!.cik, '0000000301')
    const { transactions } = await queries.feed({ companies: named, asOf: at(11), limit: 10 })
    assert.deepEqual(
      transactions.map(({ companyName }) => companyName),
      ['Example 1'],
    )
    // Nobody had it: as without asOf.
    const before = (await queries.company('SWAP', false, at(1)))!
    assert.deepInclude(before, { name: 'Example 2', totalBuys: 0, totalSells: 0 })
    assert.lengthOf(before.recentTransactions, 0)
  })
})
