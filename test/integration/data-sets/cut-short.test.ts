// A load that is interrupted after any of its writes and started again: the stores equal those of an uninterrupted
// load, whether the quarter is new, unchanged or republished, and whatever arrived in between.
import { assert } from 'chai'
import { makeLoadQuarters } from '../../../src/application/data-sets/load-quarters.ts'
import { ServiceError } from '../../../src/application/errors.ts'
import type { DataSetContext } from '../../../src/application/data-sets/load-history.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouseDataSetStore } from '../../../src/infrastructure/clickhouse/data-sets/data-set-store.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { dataSetOf, type Tables } from '../../support/edgar/invented/data-set-files.ts'
import { difference, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import {
  documentsOf,
  inTwoQuarters,
  setsOf,
  tangledHistory,
  type ToldFiling,
} from '../../support/edgar/invented/related-trades.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

/** As of a store that is gone: a filing being projected is not to blame. */
class CutShort extends ServiceError {}

/** `target` with some of its methods replaced. */
function overriding<T extends object>(target: T, own: Partial<T>): T {
  const get = (_: T, name: string | symbol): unknown => {
    const value = Reflect.get(name in own ? own : target, name)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return new Proxy(target, { get })
}

/** The loader's stores; after the given number of writes everything fails. */
function breaking(service: TestService, after: number, rangeWeight = 20): DataSetContext {
  const stores = service.container.get(TYPES.dataSetContext)
  const { analytics, signals, sets } = stores
  let writes = 0
  const check = () => {
    if (writes >= after) throw new CutShort('unavailable', 'cut short')
  }
  const counted =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      check()
      const result = await write(...args)
      writes += 1
      check()
      return result
    }
  return {
    ...stores,
    history: smallRanges(service, rangeWeight),
    signals: overriding(signals, { write: counted((...args) => signals.write(...args)) }),
    analytics: overriding(analytics, { write: counted((...args) => analytics.write(...args)) }),
    sets: overriding(sets, {
      begin: counted((...args) => sets.begin(...args)),
      replace: counted((...args) => sets.replace(...args)),
      markWritten: counted((...args) => sets.markWritten(...args)),
      finish: counted((...args) => sets.finish(...args)),
    }),
  }
}

/** Ranges of few filings, so that there are many writes. */
const smallRanges = (service: TestService, weight: number) => new ClickHouseDataSetStore(service.store.forBulk, weight)

const loader = (service: TestService, stores: DataSetContext) =>
  makeLoadQuarters(
    stores,
    service.container.get(TYPES.dataSets),
    () => 0,
    () => service.project(),
  )

/** Loads the quarter, cut short after so many writes; whether it was. */
async function cutShort(
  service: TestService,
  set: [quarter: string, tables: Tables],
  after: number,
  rangeWeight?: number,
): Promise<boolean> {
  const stores = breaking(service, after, rangeWeight)
  try {
    await loadSets(service, [set], loader(service, stores))
    return false
  } catch (error) {
    if (!(error instanceof CutShort)) throw error
    const staged = await service.store.rows(sql`
      SELECT name, total_rows
      FROM system.tables
      WHERE database = currentDatabase() AND startsWith(name, 'staged_') AND total_rows > 0`)
    assert.deepEqual(staged, [])
    return true
  }
}

/** Writes from one cut to the next. */
const STRIDE = volume('every nth write cuts a load short', 24, 1)

describe('a load of history that is cut short', function () {
  this.timeout(240_000)
  const fresh = testServices()

  it('gives the same result as an uninterrupted one, also with a quarter published several times', async () => {
    const history = inTwoQuarters(tangledHistory(41, 100))
    const anew = history.flatMap((told, index): ToldFiling[] => (index % 3 === 0 && told.by === 'set' ? [] : [told]))
    const dumps = new Map<ToldFiling[], Record<string, string[]>>()
    for (const version of [history, anew]) {
      const calm = await fresh()
      await loadSets(calm, setsOf(version))
      await calm.take(...documentsOf(version))
      await calm.detectSignals()
      dumps.set(version, await calm.dump())
    }
    const service = await fresh()
    await loadSets(service, setsOf(history))
    await service.take(...documentsOf(history))
    let version = history
    for (let after = 1, cut = true; cut; after += STRIDE) {
      version = version === history ? anew : history
      cut = false
      for (const set of setsOf(version)) {
        cut = (await cutShort(service, set, after)) || cut
        // The service starts again and continues with what it has.
        await service.pool.query('UPDATE filings SET pending = true WHERE seq % 2 = 0')
        await service.project()
        await loadSets(service, [set])
      }
      await service.detectSignals()
      assert.strictEqual(difference(dumps.get(version)!, await service.dump()), '', `cut short after ${after} writes`)
      assert.strictEqual(cut || after > 6, true)
    }
  })

  it('continues after the issuers that are written; from the start where these are of another edition, or gone', async () => {
    const filings = Array.from({ length: 24 }, (_, index) =>
      filingOf({
        accession: `0001999001-24-${String(index + 1).padStart(6, '0')}`,
        acceptedAt: '20240715163000',
        issuer: { cik: String(1999000 + index).padStart(10, '0') },
      }),
    )
    const set: [string, Tables] = ['2024q3', dataSetOf(filings)]
    const changed: [string, Tables] = ['2024q3', dataSetOf(filings.slice(1))]
    const [service, calm] = [await fresh(), await fresh()]
    await loadSets(calm, [set])
    /** Loads it, with an issuer in each range; returns how many ranges were read. */
    const rangesOf = async (tables: [string, Tables]) => {
      const { stores, history } = { stores: breaking(service, Infinity), history: smallRanges(service, 1) }
      let read = 0
      const filingsOf: typeof history.filings = (range) => {
        read += 1
        return history.filings(range)
      }
      const counting = { ...stores, history: overriding(history, { filings: filingsOf }) }
      await loadSets(service, [tables], loader(service, counting))
      return read
    }
    // After the beginning, the ledger and a mark come signals, rows and a mark for each range, two ranges at a time.
    assert.isTrue(await cutShort(service, set, 3 + 3 * 8, 1))
    assert.closeTo(await rangesOf(set), 24 - 8, 1)
    assert.strictEqual(difference(await calm.dump(), await service.dump()), '')
    await service.pool.query(`UPDATE data_sets SET status = 'loading', result = '{"writtenTo": 9999999999}'`)
    assert.strictEqual(await rangesOf(changed), 23)
    assert.notInclude(await service.listed(), '0001999001-24-000001-nd-1')
    // A rebuild leaves out what was written of a quarter that is not loaded.
    assert.isTrue(await cutShort(service, set, 15, 1))
    await service.container.get(TYPES.rebuild)(() => {})
    assert.strictEqual(await rangesOf(set), 24)
    assert.strictEqual(difference(await calm.dump(), await service.dump()), '')
  })

  it('is replaced by documents that arrive in between', async () => {
    const history = tangledHistory(42, 60).map((told): ToldFiling => ({ ...told, by: 'both', quarter: '2024q3' }))
    const calm = await fresh()
    await calm.take(...documentsOf(history))
    await loadSets(calm, setsOf(history))
    const dump = await calm.dump()
    for (const after of volume('writes after which a load is cut short', [5], [2, 4, 5, 6])) {
      const service = await fresh()
      for (const set of setsOf(history)) await cutShort(service, set, after)
      await service.take(...documentsOf(history))
      await loadSets(service, setsOf(history))
      assert.strictEqual(difference(dump, await service.dump()), '', `cut short after ${after} writes`)
    }
  })
})
