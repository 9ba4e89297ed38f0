// However trades come in, filing by filing, in another order, by data sets or all at once, their signals come out the
// same: ids, times, severities, and what they say of the trades.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { DEFAULT_RULES, type SignalRules } from '../../../src/domain/signals/rule-thresholds.ts'
import { SEVERITIES } from '../../../src/domain/trades/significance.ts'
import type { Trade } from '../../../src/domain/trades/trade.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { difference } from '../../support/edgar/invented/in-data-set.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { INVENTED_COMPANIES } from '../../support/edgar/invented/world.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { shuffle } from '../../support/edgar/invented/data-set-files.ts'
import { testService, testServices, type TestService } from '../../support/service/service.ts'
import type { ShownSignal } from '../../../src/application/ports/analytics.ts'
import { volume } from '../../support/volume.ts'

const HOUR = 3_600_000
/** Trades in each of two quarters. */
const ROWS = volume('trades in a quarter', 2_500, 100_000)
/** Filings that are taken before signals are detected. */
const TAKEN_AT_ONCE = volume('filings taken before signals are detected', 4, 1)
// Of six companies, so that insiders have a past to be held against.
const COMPANIES = INVENTED_COMPANIES.slice(0, 6).map(({ cik }) => cik)
const filings = Array.from({ length: 2_400 }, (_, index) =>
  inventedFiling(index + 1, { seed: 5, acceptedAt: (number) => Date.UTC(2025, 1, 3, 14) + number * 6 * HOUR }),
)
  .filter(({ spec }) => COMPANIES.includes(spec.issuer!.cik!))
  .map(({ accession, text }) => ({ path: `${accession}.txt`, text }))
/** Where it does not matter how long the past is. */
const someFilings = filings.slice(0, 90)

async function signalsOf({ store }: TestService): Promise<ShownSignal[]> {
  const rows = await store.rows<{ whole: string }>(sql`SELECT whole FROM signals FINAL WHERE path = 'issuer'`)
  return rows.map(({ whole }) => JSON.parse(whole) as ShownSignal)
}

describe('signals', function () {
  this.timeout(240_000)
  const open = testServices()
  const fresh = (rules?: SignalRules) => open(Date.now, rules)

  /** Takes all filings at once, for tests that only read it. */
  let whole: TestService
  before(async () => {
    whole = await testService()
    await whole.take(...shuffle([...filings], seeded(3)))
    await whole.detectSignals()
  })
  after(() => whole.close())

  it('are the same a few filings at a time, in any order, and rebuilt', async () => {
    const live = await fresh()
    for (let from = 0; from < filings.length; from += TAKEN_AT_ONCE) {
      await live.take(...filings.slice(from, from + TAKEN_AT_ONCE))
      await live.detectSignals()
    }
    const expected = await live.dump()
    const signals = await signalsOf(live)
    assert.isAtLeast(new Set(signals.map(({ signal }) => signal.type)).size, 3, 'types that fire')
    assert.strictEqual(
      signals.some(({ signal }) => signal.history.length > 1),
      true,
      'some grow',
    )

    assert.strictEqual(difference({ dump: flat(await whole.dump()) }, { dump: flat(expected) }), '')

    await live.container.get(TYPES.rebuild)(() => {})
    assert.strictEqual(difference({ dump: flat(await live.dump()) }, { dump: flat(expected) }), '')
  })

  it('mark the trades they count, and no others, in every copy', async () => {
    const holding = (await signalsOf(whole)).filter(({ signal }) => signal.endedAt === null)
    const counted = [...new Set(holding.flatMap(({ signal }) => signal.counted))].sort()
    assert.isNotEmpty(counted)
    for (const list of ['f', 'c', 'i']) {
      const marked = await whole.store.rows<{ id: string }>(sql`
        SELECT DISTINCT JSONExtractString(transaction, 'id') AS id
        FROM transaction_lists FINAL
        WHERE startsWith(key, ${list}) AND JSONLength(transaction, 'signals') > 0
        ORDER BY id`)
      assert.deepEqual(
        marked.map(({ id }) => id),
        counted,
        list,
      )
    }
    const trades = await whole.store.rows<{ whole: string }>(sql`SELECT whole FROM trades FINAL`)
    const low = trades
      .map((row) => JSON.parse(row.whole) as Trade)
      .filter(({ significance, signalled }) => SEVERITIES.indexOf(significance) < SEVERITIES.indexOf(signalled))
    assert.deepEqual(low, [])
  })

  it("go by the operator's rules, significance too, and by new ones after a rebuild", async () => {
    const significance = { buyMedium: 1, buyHigh: 1, buyCritical: 1, sellMedium: 1, sellHigh: 1 }
    const strict = { ...DEFAULT_RULES, ceo_trade: { buy: [], sell: [] }, significance }
    const service = await fresh(strict)
    await service.take(...filings)
    await service.detectSignals()
    const types = new Set((await signalsOf(service)).map(({ signal }) => signal.type))
    assert.strictEqual(types.has('ceo_trade'), false)
    const graded = await service.store
      .rows(sql`SELECT DISTINCT significance, hasAny(roles, ['director', 'officer']) AS insider
      FROM transactions FINAL
      WHERE listed AND transactionType = 'sell' AND priceStatus = 'as_filed'
        AND plan10b51 != 'yes' AND NOT routine AND totalValue >= 1 AND empty(transactions.signals)
        AND hasAny(roles, ['director', 'officer', 'ten_percent_owner']) AND NOT has(ownerCiks, issuerCik)
      ORDER BY insider`)
    const expected = [
      { significance: 'medium', insider: 0 },
      { significance: 'high', insider: 1 },
    ]
    assert.deepEqual(graded, expected, 'no sale of a dollar is low')
    const before = await service.dump()
    await service.container.get(TYPES.rebuild)(() => {})
    assert.strictEqual(difference({ dump: flat(await service.dump()) }, { dump: flat(before) }), '')
  })

  it('are detected and rebuilt beside a total typed as the price, which no amount of cents holds', async () => {
    const service = await fresh()
    const issuer = { cik: '0001999001', tickerRaw: 'EXWI' }
    const owners = [{ cik: '0000000005', name: 'A B', isOfficer: false, isDirector: true }]
    await service.take({
      accession: '0001999001-26-000001',
      acceptedAt: '20260302163000',
      issuer,
      owners,
      rows: [{ code: 'S', acquiredDisposed: 'D', shares: '100000000', price: '2000000000', date: '2026-03-02' }],
    })
    await service.detectSignals()
    const { unjudged } = await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(unjudged, [])
    await service.pool.query(`INSERT INTO signal_queue (issuer_cik, version) VALUES ($1, 1)`, [issuer.cik])
    await service.detectSignals()
  })

  it('have the symbol that the company list gives its issuer, from when it does', async () => {
    const service = await fresh()
    await service.take(...someFilings)
    await service.detectSignals()
    const [{ signal } = assert.fail('no signal')] = await signalsOf(service)
    await service.container
      .get(TYPES.companyList)
      .replace(
        [{ ticker: 'EXRENAMED', cik: signal.issuerCik, name: 'Renamed', exchange: null }],
        'test',
        Buffer.alloc(32),
      )
    await service.container.get(TYPES.refreshCompanies)(() => {})
    await service.detectSignals()
    const tickers = (await signalsOf(service))
      .filter((shown) => shown.signal.issuerCik === signal.issuerCik)
      .map(({ ticker }) => ticker)
    assert.deepEqual([...new Set(tickers)], ['EXRENAMED'])
  })

  it("of one issuer whose detection fails delay no other issuer's", async () => {
    const service = await fresh()
    await service.take(...filings)
    const [broken] = COMPANIES
    await service.store.command(sql`INSERT INTO signals (path, subject, detected_at, id, issuer_cik, whole, version)
      VALUES ('issuer', ${Number(broken)}, 0, 'torn', ${Number(broken)}, '{', 1)`)
    const failed: string[] = []
    const detect = service.container.get(TYPES.detectSignals)
    while ((await detect.pending((issuer) => failed.push(issuer))) > 0) {
      /* all that wait */
    }
    assert.deepEqual(failed, [broken])
    const labelled = await service.store.rows<{ subject: number }>(
      sql`SELECT DISTINCT subject FROM signals WHERE path = 'issuer' AND id != 'torn'`,
    )
    assert.isAbove(labelled.length, 2)
    assert.notInclude(
      labelled.map(({ subject }) => subject),
      Number(broken),
    )
  })

  it('of new filings are detected while month files are made, those of history and failing ones after', async () => {
    const service = await fresh()
    await service.take(...someFilings.slice(0, 20))
    await service.detectSignals()
    await service.record(...someFilings.slice(20))
    const [broken, old] = [COMPANIES[0]!, '0000000007']
    await service.store.command(sql`INSERT INTO signals (path, subject, detected_at, id, issuer_cik, whole, version)
      VALUES ('issuer', ${Number(broken)}, 0, 'torn', ${Number(broken)}, '{', 1)`)
    await service.container.get(TYPES.signalQueue).requeueQuietly([old], 1)
    await service.container.get(TYPES.makeExports)(() => {})
    const waiting = await service.container.get(TYPES.signalQueue).next(100)
    assert.deepEqual(
      waiting.map(({ issuerCik, historical }) => ({ issuerCik, historical })),
      [
        { issuerCik: broken, historical: false },
        { issuerCik: old, historical: true },
      ],
    )
    const failed: string[] = []
    await service.container.get(TYPES.detectSignals).pending((issuer) => failed.push(issuer))
    assert.deepEqual(failed, [broken])
  })

  it('are left as they are by detecting again', async () => {
    const version = async () =>
      (await whole.store.rows(sql`SELECT max(version) AS version, count() AS rows FROM signals`))[0]
    const before = await version()
    const issuers = (await signalsOf(whole)).map(({ signal }) => signal.issuerCik)
    await whole.container.get(TYPES.signalQueue).requeueQuietly([...new Set(issuers)], 1)
    await whole.detectSignals()
    assert.deepEqual(await version(), before)
  })

  it(`are the same quarter by quarter and over the whole of ${2 * ROWS} trades`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-signals-'))
    try {
      const quarters = ['2024q1', '2024q2']
      for (const quarter of quarters)
        await writeInventedDataSet({ folder, quarter, rows: ROWS, seed: 9, issuers: (ROWS * 3) / 200 })
      const [stepwise, atOnce] = [await fresh(), await fresh()]
      for (const service of [stepwise, atOnce]) {
        await service.container.get(TYPES.dataSets).take(folder)
        for (const some of service === stepwise ? quarters.map((quarter) => [quarter]) : [quarters])
          await service.container.get(TYPES.loadQuarters)(some, null, () => {})
      }
      assert.isAbove((await signalsOf(atOnce)).length, ROWS / 100)
      assert.strictEqual(difference({ signals: await rowsOf(stepwise) }, { signals: await rowsOf(atOnce) }), '')
      assert.deepEqual(await fingerprint(stepwise), await fingerprint(atOnce))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

const rowsOf = async ({ store }: TestService): Promise<string[]> =>
  (await store.rows(sql`SELECT * EXCEPT (version, deleted) FROM signals FINAL`)).map((row) => JSON.stringify(row))

/** Of all trades in all copies: as text they would not fit into one. */
const fingerprint = ({ store }: TestService) =>
  store.rows(sql`SELECT count() AS rows, groupBitXor(cityHash64(* EXCEPT (version, deleted))) AS hash
    FROM transactions FINAL`)

const flat = (dump: Record<string, string[]>): string[] =>
  Object.entries(dump).flatMap(([table, rows]) => rows.map((row) => `${table} ${row}`))
