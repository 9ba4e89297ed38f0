// Merging the parts of a backfill: the content does not change, few parts remain, and after an abort the engine can
// merge again.
import { assert } from 'chai'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { mergeParts } from '../../../src/infrastructure/clickhouse/stores/merge-parts.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const HOUR = 3_600_000

describe('the parts of ClickHouse', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
    for (let batch = 0; batch < 6; batch += 1) {
      const filings = Array.from({ length: 10 }, (_, index) =>
        inventedFiling(batch * 10 + index + 1, {
          seed: 5,
          acceptedAt: (number) => Date.UTC(2025, 1, 3) + number * HOUR,
        }),
      )
      await service.take(...filings.map(({ accession, text }) => ({ path: `${accession}.txt`, text })))
    }
    await service.detectSignals()
  })
  after(() => service.close())

  const parts = async () => {
    const { database } = service.store
    const found = await service.store.rows<{ table: string; parts: number }>(sql`
      SELECT table, count() AS parts
      FROM system.parts
      WHERE active AND database = ${database} AND table IN ('trades', 'transaction_lists')
      GROUP BY table
      ORDER BY table`)
    return found.map((each) => each.parts)
  }

  it('are merged by ten in each table that grows with each filing', async () => {
    const { database } = service.store
    const others = await service.store.rows<{ name: string }>(sql`
      SELECT name
      FROM system.tables
      WHERE database = ${database} AND endsWith(engine, 'ReplacingMergeTree')
        AND NOT endsWith(engine_full, 'merge_selector_base = 10')
      ORDER BY name`)

    assert.deepEqual(
      others.map(({ name }) => name),
      ['issuer_sectors', 'price_state', 'prices'],
    )
  })

  it('stay as they are if merging is aborted', async () => {
    const reason = new Error('the process stops')
    const error = await mergeParts(service.store, AbortSignal.abort(reason)).catch((thrown: unknown) => thrown)

    assert.strictEqual(error, reason)
    assert.isAbove(Math.max(...(await parts())), 1)
  })

  it('are merged to one per table, with the same content', async () => {
    const before = await service.dump()

    await mergeParts(service.store, new AbortController().signal)

    assert.deepEqual(await parts(), [1, 1])
    assert.deepEqual(await service.dump(), before)
  })

  it('can be merged during and after an abort', async () => {
    const stop = new AbortController()
    const merging = mergeParts(service.store, stop.signal).catch((thrown: unknown) => thrown)
    stop.abort(new Error('the process stops'))

    assert.instanceOf(await merging, Error)
    await service.take({ accession: '0001999001-26-000099', acceptedAt: '20260302163000' })
    await mergeParts(service.store, new AbortController().signal)
    assert.deepEqual(await parts(), [1, 1])
  })
})
