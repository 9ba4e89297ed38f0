// Queries while ClickHouse is empty although PostgreSQL has filings: unavailable, instead of empty answers.
import { parsed } from '../../support/service/parsed-queries.ts'
import { assert } from 'chai'
import { makeIsPopulated, requirePopulated } from '../../../src/application/queries/analytics-ready.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { FILLING, makeStatusQueries } from '../../../src/application/queries/service-status.ts'
import { envelope } from '../../../src/infrastructure/http/middleware/error-handler.ts'
import { newestFilingAt } from '../../../src/infrastructure/clickhouse/queries/newest-filing.ts'
import { isCurrent } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import { serviceStatus } from '../../../src/infrastructure/postgres/queries/service-status.ts'
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
    const { container, textQueries, pool, store } = service
    const isPopulated = makeIsPopulated(
      container.get(TYPES.analytics),
      container.get(TYPES.ledger),
      container.get(TYPES.dataSetRegistry),
    )
    const status = makeStatusQueries({
      recorded: () => serviceStatus(pool),
      newestFilingAt: () => newestFilingAt(store),
      isPopulated,
      isCurrent: () => isCurrent(store),
      clock: Date.now,
      monotonic: () => 0,
    })
    return { isPopulated, queries: parsed(requirePopulated(textQueries, isPopulated, status)) }
  }
  const asked = (queries: TestService['queries']) =>
    queries.feed({ limit: 10 }).then(
      ({ transactions }) => transactions.length,
      (error) => error.code,
    )
  const messageOf = (queries: TestService['queries']) =>
    queries.feed({ limit: 10 }).then(String, (error) => envelope(error, 'r').error.message)

  it('is queried if PostgreSQL is empty too', async () => {
    const { queries } = fresh()
    assert.strictEqual(await asked(queries), 0)
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    assert.strictEqual(await asked(queries), 1)
  })

  it('is not queried while it is being rebuilt from PostgreSQL', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    for (const table of [sql`directory`, sql`trades`, sql`transaction_lists`, sql`signals`, sql`signal_list`])
      await service.store.command(sql`TRUNCATE TABLE ${table}`)
    const { isPopulated, queries } = fresh()
    await service.container.get(TYPES.sourceProgress).move(FILLING, JSON.stringify({ done: 31, total: 73 }))
    assert.deepEqual([await isPopulated(), await asked(queries)], [false, 'unavailable'])
    const said = 'The data is being loaded into ClickHouse (42 %); see filling in /v1/status'
    assert.strictEqual(await messageOf(queries), said)
    const away = requirePopulated(service.textQueries, isPopulated, { status: () => Promise.reject(new Error('away')) })
    assert.strictEqual(await messageOf(parsed(away)), said.replace(' (42 %)', ''))
    await service.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual([await isPopulated(), await asked(queries)], [true, 1])
  })
})
