// A store whose rows an older version wrote: what those lack is never shown wrong or empty, and a rebuild that the
// service queues automatically replaces them.
import { parsed } from '../../support/service/parsed-queries.ts'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ClickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseSignalStore } from '../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { inventedSignal } from '../../support/signals/invented-signal.ts'
import { NOTHING_KEPT } from '../../support/stores/clickhouse.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const VIEWS = [
  ...['store_trades', 'pass_trades', 'list_transactions'],
  ...['store_directory', 'list_filings', 'list_all_filings'],
]
const LATER_TABLES = [
  ...['listed_trades', 'incoming_trades', 'incoming_directory'],
  ...['transaction_lists', 'signal_list', 'filing_lists', 'signal_states'],
]
const ADDED = ['issuerCik', 'sector', 'insiderCik', 'form', 'securityTitle', 'routine', 'holdingChange', 'url']

describe('ClickHouse rows of an older version', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
    await service.take(
      filed(1),
      filed(2, { rows: [{ securityTitle: 'Class B Ordinary Shares' }] }),
      filed(3, { formType: '4/A', dateOfOriginalSubmission: '2025-03-11', rows: [{ price: '11' }] }),
    )
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

  /** The tables as commit 1ab3ef8 left them: a copy of each trade for the feed, and no lists. */
  const downgrade = async () => {
    const { store } = service
    for (const view of VIEWS) await store.command(sql`DROP VIEW ${new Sql(view)}`)
    for (const table of LATER_TABLES) await store.command(sql`DROP TABLE ${new Sql(table)}`)
    await store.command(sql`ALTER TABLE signals DROP COLUMN signal`)
    await store.command(sql`INSERT INTO signals
      SELECT * REPLACE ('list' AS path, 0 AS subject) FROM signals FINAL WHERE path = 'issuer'`)
    await store.command(sql`ALTER TABLE trades UPDATE profile_ciks = [] WHERE superseded_by != ''
      SETTINGS mutations_sync = 2`)
    for (const column of ['cfo', 'earlier']) await store.command(sql`ALTER TABLE trades DROP COLUMN ${new Sql(column)}`)
    await store.command(sql`ALTER TABLE directory DROP COLUMN estimated`)
    await store.command(sql`INSERT INTO trades
      SELECT * REPLACE (
        'feed' AS path, 0 AS subject, 0 AS insider_cik, '' AS security_title, false AS amendment, '' AS whole
      )
      FROM trades FINAL WHERE path = 'issuer'`)
    for (const table of ['generations', 'issuer_sectors']) await store.command(sql`DROP TABLE ${new Sql(table)}`)
    await store.command(
      sql`ALTER TABLE migrations DELETE WHERE match(name, '^00(0[6789]|1)') SETTINGS mutations_sync = 2`,
    )
  }

  /** Of a process that has just started. */
  const details = async () => {
    const queries = parsed({ ...service.textQueries, ...new ClickHouseQueries(service.store, Date.now, NOTHING_KEPT) })
    const signal = inventedSignal({ counted: ['0001999001-25-000002-nd-1'], leftOut: [] })
    await new ClickHouseSignalStore(service.store).write([signal], [], 1)
    const found = [
      (await queries.feed({ limit: 10, detail: true })).transactions,
      (await queries.company('EXWI', true))!.recentTransactions,
      (await queries.insider('5', true))!.recentTransactions,
      (await queries.insider('6', true))!.recentTransactions,
      (await queries.signal(signal.signal.id, true))!.counted,
    ]
    for (const each of found) assert.isNotEmpty(each)
    return found.flat().map(({ id, detail }) => ({ id, ...detail! }))
  }
  const upgrade = () => migrateClickHouse(service.store)
  const report = {
    projected: () => {},
    filling: () => {},
    totals: () => {},
    job: () => {},
    failed: (_: string, error: unknown) => {
      throw error
    },
  }
  const start = () => service.container.get(TYPES.projectionLoop).prepare(new AbortController().signal, report)
  const jobs = () =>
    rows<{ kind: string; status: string }>(
      service.pool,
      "SELECT kind, status FROM jobs WHERE kind != 'exports' ORDER BY id",
    )
  const work = async () => {
    const stop = new AbortController()
    await service.container.get(TYPES.projectionLoop).run(stop.signal, async () => stop.abort(), report)
  }

  it('show all fields at once, and the same once the queued rebuild is done', async () => {
    const [before, dump] = [await details(), await service.dump()]
    for (const each of before) assert.deepEqual(Object.keys(each).slice(-ADDED.length), ADDED, each.id)
    assert.deepEqual(
      new Set(before.map(({ id, form, securityTitle, insiderCik }) => `${id} ${form} ${securityTitle} ${insiderCik}`)),
      new Set([
        '0001999001-25-000003-nd-1 4/A Common Stock 0000000006',
        '0001999001-25-000002-nd-1 4 Class B Ordinary Shares 0000000006',
      ]),
    )
    await downgrade()
    await upgrade()
    assert.deepEqual(await details(), before)
    await service.take(filed(4))
    await start()
    await start()
    assert.deepEqual(await jobs(), [{ kind: 'rebuild', status: 'queued' }])
    await work()
    assert.deepEqual(await jobs(), [{ kind: 'rebuild', status: 'done' }])
    const after = await details()
    assert.deepEqual(
      after.filter(({ id }) => !id.includes('25-000004')),
      before,
    )
    const changed = await service.dump()
    for (const row of dump.trades!) assert.include(changed.trades!, row)
    await start()
    assert.lengthOf(await jobs(), 1)
  })

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
    await store.command(sql`INSERT INTO incoming_trades
      SELECT * REPLACE ('medium' AS significance, '' AS whole, version + 1 AS version)
      FROM trades FINAL WHERE path = 'issuer'`)
    await store.command(sql`INSERT INTO signals
      SELECT * REPLACE ('The CEO bought.' AS description, version + 1 AS version)
      FROM signals FINAL WHERE path = 'issuer'`)
    await store.command(sql`INSERT INTO signal_list
      SELECT * REPLACE (replaceOne(signal, ${sentence}, 'The CEO bought.') AS signal, version + 1 AS version)
      FROM signal_list FINAL`)
    await store.command(sql`TRUNCATE TABLE generations`)
    await store.command(sql`INSERT INTO generations (number) VALUES (2)`)
    service.container.get(TYPES.analytics).invalidate()
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
    for (const table of ['trades', 'transaction_lists', 'generations'])
      await store.command(sql`TRUNCATE TABLE ${new Sql(table)}`)
    service.container.get(TYPES.analytics).invalidate()
    await upgrade()
    await service.take(filed(5))
    await start()
    assert.deepEqual(await jobs(), [])
    assert.propertyVal((await service.queries.feed({ limit: 1, detail: true })).transactions[0]!.detail, 'form', '4')
  })
})
