// A store whose rows an earlier version decided otherwise: they are shown as they are, and a rebuild that the service
// queues automatically replaces them.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { createTables } from '../../../src/infrastructure/clickhouse/create-tables.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { loopReport, runTurn, testService, type TestService } from '../../support/service/service.ts'

describe('ClickHouse rows of an earlier version', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
    accession: `0001999001-25-${String(number).padStart(6, '0')}`,
    acceptedAt: `202503${10 + number}120000`,
    owners: [
      { cik: '0000000005', name: 'SAMPLE 5', isDirector: true },
      { cik: '0000000006', name: 'SAMPLE 6', isOfficer: true },
    ],
    ...spec,
  })

  const start = () => service.container.get(TYPES.projectionLoop).prepare(new AbortController().signal, loopReport())
  const jobs = () =>
    rows<{ kind: string; status: string }>(
      service.pool,
      "SELECT kind, status FROM jobs WHERE kind != 'exports' ORDER BY id",
    )
  const work = () => runTurn(service)

  it('keep grades and signals until the queued rebuild is done, then follow the present rules', async () => {
    const { store, queries } = service
    const officer = [{ cik: '0000000009', name: 'HEMSLEY STEPHEN J', isOfficer: true, officerTitle: 'CEO' }]
    const rows = ['300000', '250000'].map((shares) => ({ shares, price: '1', date: '2025-03-14' }))
    await service.take(filed(5, { owners: officer, rows }))
    await service.detectSignals()
    const ids = ['0001999001-25-000005-nd-2', '0001999001-25-000005-nd-1']
    const graded = async () => (await queries.feed({ filter: 'high', limit: 10 })).transactions.map(({ id }) => id)
    const told = async () => (await queries.signals({ limit: 10 })).signals.map(({ description }) => description)
    const sentence =
      'CEO Stephen J. Hemsley bought $550,000 of Example Widgets (EXWI) on the open market at $1.00' + ' on 2025-03-14.'
    assert.deepEqual([await graded(), await told()], [ids, [sentence]])
    await store.command(sql`INSERT INTO transaction_lists
      SELECT * REPLACE ('medium' AS significance, version + 1 AS version)
      FROM transaction_lists FINAL WHERE transaction != ''`)
    await store.command(sql`INSERT INTO signals
      SELECT * REPLACE ('The CEO bought.' AS description, version + 1 AS version)
      FROM signals FINAL WHERE path = 'issuer'`)
    await store.command(sql`INSERT INTO signal_list
      SELECT * REPLACE (replaceOne(signal, ${sentence}, 'The CEO bought.') AS signal, version + 1 AS version)
      FROM signal_list FINAL`)
    await store.command(sql`INSERT INTO store_version (schema, rules, tables)
      SELECT 'of another version', rules, tables FROM store_version`)
    await start()
    assert.deepEqual(await jobs(), [{ kind: 'rebuild', status: 'queued' }])
    assert.deepEqual([await graded(), await told()], [[], ['The CEO bought.']])
    await work()
    assert.deepEqual([await graded(), await told()], [ids, [sentence]])
    await start()
    assert.lengthOf(await jobs(), 1)
  })

  it('are not looked for where there are none', async () => {
    const { store } = service
    for (const table of ['trades', 'transaction_lists', 'store_version'])
      await store.command(sql`TRUNCATE TABLE ${new Sql(table)}`)
    await createTables(store)
    await service.take(filed(5))
    await start()
    assert.deepEqual(await jobs(), [])
    assert.propertyVal((await service.queries.feed({ limit: 1, detail: true })).transactions[0]!.detail, 'form', '4')
  })
})
