// The filters of signals against plain JavaScript over all that were written: random signals, some of them ended or
// changed since, and random filters, page by page.
import { assert } from 'chai'
import fc from 'fast-check'
import type { SignalsRequest } from '../../../../src/application/queries/transaction-requests.ts'
import type { Queries } from '../../../../src/application/queries/queries.ts'
import type { Sector } from '../../../../src/domain/filings/sector.ts'
import { SIGNAL_TYPES } from '../../../../src/domain/signals/signal.ts'
import { SEVERITIES } from '../../../../src/domain/trades/significance.ts'
import { sql, Sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { clickHouseQueries } from '../../../../src/infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseSectorStore } from '../../../../src/infrastructure/clickhouse/stores/sector-store.ts'
import { ClickHouseSignalStore } from '../../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import { parsed } from '../../../support/service/parsed-queries.ts'
import { inventedSignal } from '../../../support/signals/invented-signal.ts'
import { freshClickHouse, NOTHING_KEPT, type TestClickHouse } from '../../../support/stores/clickhouse.ts'
import { signalInserts } from '../../../../src/infrastructure/clickhouse/stores/signal-inserts.ts'
import { compute } from '../../../support/workers/shared-workers.ts'

const ISSUERS = ['0001999001', '0001999002', '0001999003']
const OWNERS = ['0000000005', '0000000006', '0000000007']
/** Of the first two issuers; nothing is known of the third. */
const SECTOR_OF: Record<string, Sector> = { [ISSUERS[0]!]: 'Energy', [ISSUERS[1]!]: 'Technology' }
const TIMES = [1_700_000_000, 1_700_000_001, 1_710_000_000, 1_720_000_000]

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const facts = fc.record({
  type: oneOf(SIGNAL_TYPES),
  severity: oneOf(SEVERITIES),
  issuerCik: oneOf(ISSUERS),
  detectedAt: oneOf(TIMES),
  number: fc.integer({ min: 1, max: 3 }),
  insiders: fc.subarray(OWNERS),
  isEnded: fc.boolean(),
})
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

const idOf = ({ type, issuerCik, number }: Facts) => `${type}-${Number(issuerCik)}-${number}`
const signalOf = (each: Facts) =>
  inventedSignal(
    {
      ...{ id: idOf(each), type: each.type, severity: each.severity, issuerCik: each.issuerCik },
      ...{ detectedAt: each.detectedAt, endedAt: each.isEnded ? each.detectedAt : null },
    },
    { insiders: { present: each.insiders, steps: [] } },
  )

const filters = fc
  .record({
    type: fc.option(oneOf(SIGNAL_TYPES), { nil: undefined, freq: 3 }),
    minSeverity: fc.option(oneOf(SEVERITIES), { nil: undefined }),
    companies: fc.option(
      fc
        .subarray([...ISSUERS, '0001999009'], { minLength: 1 })
        .map((ciks) => ciks.map((cik) => ({ ticker: null, cik }))),
      { nil: undefined },
    ),
    insiderCiks: fc.option(fc.subarray([...OWNERS, '0000000009'], { minLength: 1, maxLength: 2 }), { nil: undefined }),
    sectors: fc.option(fc.subarray(['Energy', 'Technology', 'Unknown'] as Sector[], { minLength: 1 }), {
      nil: undefined,
      freq: 2,
    }),
    detected: fc.option(fc.record({ from: oneOf([0, ...TIMES]), before: oneOf([...TIMES, 1_720_000_001]) }), {
      nil: undefined,
    }),
  })
  .map((all): Omit<SignalsRequest, 'limit'> =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
  )

const newestFirst = (a: Facts, b: Facts) => b.detectedAt - a.detectedAt || (idOf(a) < idOf(b) ? -1 : 1)

describe('the filters of signals', function () {
  this.timeout(60_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
    const sectors = ISSUERS.slice(0, 2).map((issuerCik) => ({ issuerCik, sector: SECTOR_OF[issuerCik]!, sic: '0000' }))
    await new ClickHouseSectorStore(clickHouse.store).write(sectors, 1)
  })
  after(() => clickHouse.close())

  it('equal plain JavaScript filters, newest first, page by page', async () => {
    const { store } = clickHouse
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(facts, { selector: idOf, maxLength: 25 }),
        fc.array(fc.tuple(filters, fc.integer({ min: 1, max: 4 })), { minLength: 6, maxLength: 6 }),
        async (all, asks) => {
          for (const table of ['signals', 'signal_list']) await store.command(sql`TRUNCATE TABLE ${new Sql(table)}`)
          const signals = new ClickHouseSignalStore(store)
          // All hold at first; then some end, and one in three is withdrawn.
          const holding = all.map((each) => signalOf({ ...each, isEnded: false, severity: 'low' }))
          await signals.write(signalInserts({ signals: holding, gone: [] }, 1))
          const gone = all.filter((_, place) => place % 3 === 2)
          const stay = all.filter((each) => !gone.includes(each))
          const withdrawn = gone.map((each) => signalOf(each).signal)
          await signals.write(signalInserts({ signals: stay.map(signalOf), gone: withdrawn }, 2))
          const ask = parsed(clickHouseQueries(store, Date.now, NOTHING_KEPT, compute) as unknown as Queries).signals
          for (const [filter, limit] of asks) {
            const { type, minSeverity = 'low', companies, insiderCiks, sectors, detected } = filter
            const expected = stay
              .filter((each) => !each.isEnded && (!type || each.type === type))
              .filter((each) => SEVERITIES.indexOf(each.severity) >= SEVERITIES.indexOf(minSeverity))
              .filter((each) => !companies || companies.some(({ cik }) => cik === each.issuerCik))
              .filter(({ insiders }) => !insiderCiks || insiders.some((cik) => insiderCiks.includes(cik)))
              .filter(({ issuerCik }) => !sectors || sectors.includes(SECTOR_OF[issuerCik] ?? 'Unknown'))
              .filter(({ detectedAt: at }) => !detected || (at >= detected.from! && at < detected.before!))
              .sort(newestFirst)
              .map(idOf)
            const found: string[] = []
            for (let cursor: string | undefined; ;) {
              const page = await ask({ ...filter, limit, ...(cursor && { cursor }) })
              found.push(...page.signals.map(({ id }) => id))
              if (!page.hasMore) break
              assert.lengthOf(page.signals, limit)
              cursor = page.nextCursor
            }
            assert.deepEqual(found, expected, JSON.stringify(filter))
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('bind the cursor to the filter', async () => {
    const ask = parsed(
      clickHouseQueries(clickHouse.store, Date.now, NOTHING_KEPT, compute) as unknown as Queries,
    ).signals
    const signals = [1, 2, 3].map((number) =>
      signalOf({
        type: 'reversal',
        severity: 'high',
        issuerCik: ISSUERS[0]!,
        detectedAt: TIMES[number]!,
        number,
        insiders: [],
        isEnded: false,
      }),
    )
    await new ClickHouseSignalStore(clickHouse.store).write(signalInserts({ signals, gone: [] }, 9))
    const { nextCursor } = await ask({ minSeverity: 'high', limit: 1 })
    assert.isString(nextCursor)
    for (const other of [
      {},
      { minSeverity: 'low' as const },
      { minSeverity: 'high' as const, detected: { from: 1 } },
      { minSeverity: 'high' as const, insiderCiks: [OWNERS[0]!] },
      { minSeverity: 'high' as const, sectors: ['Unknown' as const] },
    ]) {
      const refused = await ask({ ...other, limit: 1, cursor: nextCursor! }).catch((error: unknown) => error)
      assert.propertyVal(refused, 'code', 'invalid_cursor')
    }
  })
})
