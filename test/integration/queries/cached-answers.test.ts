// Answers from memory equal those from the stores, whatever is queried, ingested, amended, detected, listed or rebuilt
// in between, and however the clock moves.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { TYPES } from '../../../src/container/tokens.ts'
import { clickHouseQueries, type ClickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import { createHttpServer, type HttpService } from '../../../src/infrastructure/http/server.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { INVENTED_COMPANIES } from '../../support/edgar/invented/world.ts'
import { send } from '../../support/http/contract-client.ts'
import { exampleDependencies } from '../../support/http/example-service.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { NOTHING_KEPT } from '../../support/stores/clickhouse.ts'
import { compute } from '../../support/workers/shared-workers.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const SEEDS = volume('seeds of cached answers', [1], [1, 2, 3, 4, 5, 6, 7, 8])
const STEPS = volume('random steps of cached answers', 20, 400)
const FIXED = [
  ...['/v1/feed', '/v1/feed/stats', '/v1/signals', '/v1/rankings?days=92'],
  '/v1/signals?sectors=Technology,Unknown&filedFrom=2026-01-01&limit=100',
  '/v1/sentiment?interval=day&from=2026-01-01&to=2026-06-30',
  '/v1/feed?sort=value&limit=5',
  '/v1/rankings?to=2026-02-05&days=10&of=insiders',
  '/v1/rankings?asOf=2026-02-10T00:00:00Z&days=31&sectors=Technology,Energy',
  '/v1/sentiment?asOf=2026-02-05T12:00:00Z&interval=week&sector=Energy',
  '/v1/sentiment?interval=week&from=2026-01-01&to=2026-06-30&by=traded&sector=Technology',
]
const HOUR = 3_600_000
const START = Date.UTC(2026, 1, 2, 14)

describe('answers from memory', function () {
  this.timeout(240_000)

  for (const seed of SEEDS) {
    it(`are those of the stores through ${STEPS} random steps (seed ${seed})`, async () => {
      const world = await openWorld(seed)
      try {
        for (let step = 0; step < STEPS; step += 1) {
          await world.step()
          await world.compare(step)
        }
        assert.isAbove(await world.hits(), STEPS, 'answers came from memory')
      } finally {
        await world.close()
      }
    })
  }
})

async function openWorld(seed: number) {
  let now = START
  const service = await testService(() => now)
  const random = seeded(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const companies = INVENTED_COMPANIES.slice(0, 5)
  const filings = Array.from({ length: 900 }, (_, index) =>
    inventedFiling(index + 1, { seed, acceptedAt: (number) => START - 40 * HOUR + number * HOUR }),
  ).filter(({ spec }) => companies.some(({ cik }) => cik === spec.issuer!.cik))
  const cache = new AnswerCache({ maxBytes: 8 << 20, changes: service.container.get(TYPES.changes), clock: () => now })
  const registry = new Registry()
  const [remembering, asking] = await Promise.all([
    serve(service, () => now, registry, cache),
    serve(service, () => now, new Registry()),
  ])
  const targets = new Set(FIXED)
  let taken = 0

  const actions: (readonly [weight: number, act: () => Promise<unknown>])[] = [
    [8, async () => service.take(...filings.slice(taken, (taken += 1 + Math.floor(random() * 4))).map(asFile))],
    // One that was taken before, out of order or again.
    [2, async () => service.take(asFile(pick(filings)))],
    [4, () => service.detectSignals()],
    [3, async () => (now += Math.floor(random() * 3 * HOUR))],
    [1, () => listCompanies(service, companies, random)],
    [0.2, () => service.container.get(TYPES.rebuild)(() => {})],
    [1, () => makeAll()],
    [2, () => service.take(movingFiling())],
    [6, async () => targets.add(await anyTarget())],
    [2, () => readOn()],
  ]
  const issuer = { cik: companies[0]!.cik, name: companies[0]!.name, tickerRaw: companies[0]!.ticker }
  const filedAt = (time: number) => new Date(time).toISOString().replace(/\D/g, '').slice(0, 14)
  let moves = 0
  /** A filing without trades, newer than all others, that moves its company to the other of two sectors. */
  const movingFiling = (): FilingSpec => ({
    accession: `0001999999-26-${String((moves += 1)).padStart(6, '0')}`,
    acceptedAt: filedAt(START + 2_000 * HOUR + moves * 60_000),
    formType: '3',
    rows: [],
    sic: moves % 2 === 0 ? 'CRUDE PETROLEUM & NATURAL GAS [1311]' : 'SEMICONDUCTORS & RELATED DEVICES [3674]',
    issuer,
  })
  // A company with a signal from the first step on.
  const members = [1, 2, 3].map((number): FilingSpec => ({
    accession: `0001999998-26-00000${number}`,
    acceptedAt: filedAt(START - number * HOUR),
    owners: [{ cik: `000199999${number}`, name: `MEMBER ${number}`, isDirector: true }],
    rows: [{ date: '2026-01-30', shares: '2000', price: '12.5' }],
    issuer,
  }))
  await service.take(...members)
  await service.detectSignals()
  const makeAll = async () => {
    const nextVersion = service.container.get(TYPES.nextVersion)
    await service.container.get(TYPES.analytics).refreshParties({ nextVersion })
  }
  // Two walks through the feed, which continue from step to step while rows come and go.
  const walks = [3, 5].map((limit) => ({ limit, cursor: '' }))
  const readOn = async () => {
    const walk = pick(walks)
    for (let pages = 1 + Math.floor(random() * 5); pages > 0; pages -= 1) {
      const target = `/v1/feed?limit=${walk.limit}${walk.cursor && `&cursor=${walk.cursor}`}`
      const [remembered, asked] = await Promise.all([
        send(remembering.url, 'GET', target),
        send(asking.url, 'GET', target),
      ])
      assert.deepEqual(remembered.body, asked.body, target)
      walk.cursor = asked.body.data.nextCursor ?? ''
    }
  }
  /** As somebody types the name of a company or of one of its insiders, or a symbol. */
  const typed = ({ ticker, name, insiders }: (typeof companies)[number]): string => {
    const words = pick([name, pick(insiders).name, ticker]).split(' ')
    return pick([words[0]!.slice(0, 1 + Math.floor(random() * 4)), pick(words), words.slice(0, 2).join(' ')])
  }
  const anyTarget = async (): Promise<string> => {
    const company = pick(companies)
    const { data } = (await send(asking.url, 'GET', '/v1/feed?limit=7')).body
    const row = data.transactions.at(-1)
    const { data: detected } = (await send(asking.url, 'GET', '/v1/signals?limit=3')).body
    return pick([
      `/v1/companies/${company.ticker}`,
      `/v1/companies/CIK${company.cik}`,
      `/v1/companies/${company.ticker}?detail=full`,
      `/v1/feed?limit=${1 + Math.floor(random() * 9)}&filter=${pick(['buys', 'sells', 'high', 'ceo_cfo'])}`,
      ...(data.nextCursor ? [`/v1/feed?limit=7&cursor=${data.nextCursor}`] : []),
      ...(row ? [`/v1/insiders/${await insiderOf(service, row.id)}`] : []),
      ...(row ? [`/v1/insiders/${await insiderOf(service, row.id)}/positions`] : []),
      `/v1/companies/${company.ticker}/holders?limit=3`,
      ...detected.signals.map(({ id }: { id: string }) => `/v1/signals/${id}`),
      `/v1/companies?tickers=${company.ticker},ZZZZ,${pick(companies).ticker}X,CIK${pick(companies).cik}`,
      '/v1/filings?limit=9',
      `/v1/filings?tickers=${company.ticker}&limit=3`,
      ...(row ? [`/v1/filings/${row.id.replace(/-nd-\d+$/, '')}`] : []),
      `/v1/signals?severity=${pick(['high', 'medium'])}`,
      `/v1/search?limit=20&q=${encodeURIComponent(typed(company))}`,
    ])
  }
  return {
    step: async () => {
      let place = random() * actions.reduce((sum, [weight]) => sum + weight, 0)
      await actions.find(([weight]) => (place -= weight) < 0)![1]()
    },
    compare: async (step: number) => {
      const some = Array.from({ length: 4 }, () => pick([...targets]))
      for (const target of new Set([...FIXED, ...some])) {
        const [remembered, asked] = await Promise.all([
          send(remembering.url, 'GET', target),
          send(asking.url, 'GET', target),
        ])
        // A second time it certainly comes from memory.
        const again = await send(remembering.url, 'GET', target)
        for (const reply of [remembered, again]) {
          assert.deepEqual(withoutId(reply.body), withoutId(asked.body), `step ${step}: ${target}`)
          assert.equal(reply.headers.etag, asked.headers.etag, `step ${step}: ${target}`)
        }
      }
    },
    hits: () => hitsOf(registry),
    close: async () => {
      await Promise.all([remembering, asking].map(({ close }) => close(1_000)))
      await service.close()
    },
  }
}

const asFile = ({ accession, text }: { accession: string; text: string }) => ({ path: `${accession}.txt`, text })
const withoutId = (body: any) => (body.error ? { ...body, error: { ...body.error, requestId: '' } } : body)

async function hitsOf(registry: Registry): Promise<number> {
  const { values } = await registry.getSingleMetric('http_answers_from_memory_total')!.get()
  return values[0]?.value ?? 0
}

async function serve(service: TestService, clock: () => number, registry: Registry, cache?: AnswerCache) {
  const { server, close }: HttpService = createHttpServer({
    ...exampleDependencies,
    // The one that keeps nothing reads nothing ahead either.
    queries: cache
      ? service.textQueries
      : {
          ...service.textQueries,
          ...newEachTime(() => clickHouseQueries(service.store, clock, NOTHING_KEPT, compute)),
        },
    streams: service.container.get(TYPES.streams),
    statusQueries: service.container.get(TYPES.statusQueries),
    version: '1.0.0',
    changeQueries: service.container.get(TYPES.changeQueries),
    verifyKey: async () => 'nobody',
    log: pino({ level: 'silent' }),

    registry,
    ...(cache && { cache }),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** Queries without what earlier ones have read: lists and sectors are kept for a quarter of a second. */
function newEachTime(make: () => ClickHouseQueries): ClickHouseQueries {
  const names = Object.keys(make()) as (keyof ClickHouseQueries)[]
  const ask =
    (name: keyof ClickHouseQueries) =>
    (...asked: unknown[]) =>
      (make()[name] as (...asked: unknown[]) => unknown)(...asked)
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as ClickHouseQueries
}

async function insiderOf({ store }: TestService, id: string): Promise<string> {
  const [found] = await store.rows<{ cik: string }>(sql`SELECT insiderCik AS cik FROM transactions FINAL
    WHERE id = ${id} LIMIT 1`)
  return String(Number(found?.cik ?? 1))
}

/** Gives some companies their symbols in another order, takes one off the list, and puts another's name right. */
async function listCompanies(
  service: TestService,
  companies: readonly { cik: string; ticker: string; name: string }[],
  random: () => number,
): Promise<void> {
  const listed = companies
    .filter(() => random() > 0.3)
    .map(({ cik, ticker, name }, place) => ({
      cik,
      ticker: random() > 0.8 ? `${ticker}X` : ticker,
      name: random() > 0.5 ? name : `${name} ${place}`,
      exchange: 'NYSE',
    }))
  await service.container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32))
  await service.container.get(TYPES.refreshCompanies)(() => {})
}
