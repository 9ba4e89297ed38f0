// Questions while ClickHouse is empty although PostgreSQL has the record: no answer, rather than an empty one.
import { parsed } from '../../support/service/parsed-queries.ts'
import { assert } from 'chai'
import { makeIsPopulated, requirePopulated } from '../../../src/application/queries/analytics-ready.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('an empty ClickHouse', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  // As a process that has just started.
  const fresh = () => {
    const { container, textQueries } = service
    const isPopulated = makeIsPopulated(
      container.get(TYPES.analytics),
      container.get(TYPES.ledger),
      container.get(TYPES.dataSetRegistry),
    )
    return { isPopulated, queries: parsed(requirePopulated(textQueries, isPopulated)) }
  }
  const asked = (queries: TestService['queries']) =>
    queries.feed({ limit: 10 }).then(
      ({ transactions }) => transactions.length,
      (error) => error.code,
    )

  it('beside an empty record is asked', async () => {
    const { queries } = fresh()
    assert.strictEqual(await asked(queries), 0)
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    assert.strictEqual(await asked(queries), 1)
  })

  it('with a record to fill it from is not, until it is filled', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    for (const table of [sql`directory`, sql`trades`, sql`transaction_lists`, sql`signals`, sql`signal_list`])
      await service.store.command(sql`TRUNCATE TABLE ${table}`)
    const { isPopulated, queries } = fresh()
    assert.deepEqual([await isPopulated(), await asked(queries)], [false, 'unavailable'])
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual([await isPopulated(), await asked(queries)], [true, 1])
  })
})
