// A ClickHouse with rows of release 1.0.0 gets the columns of later migrations: its rows stay readable, new rows go
// through the views with all of them, and an interrupted migration is repeated.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { clickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { isCurrent } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import { parsed } from '../../support/service/parsed-queries.ts'
import { freshClickHouse, NOTHING_KEPT, type TestClickHouse } from '../../support/stores/clickhouse.ts'
import { compute } from '../../support/workers/shared-workers.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../src/infrastructure/clickhouse/migrations')

const row = (n: number) => ({
  ...{ path: 'issuer', subject: 1999001, issuer_cik: 1999001, listed: true, filed_at: 1_700_000_000 + n, n },
  ...{ accession: '0001999001-23-000001', id: `0001999001-23-000001-nd-${n}`, type: 'buy', code: 'P' },
  ...{ acquired_disposed: 'A', shares: '100', shares_after: String(100 * n), price: '1', price_status: 'as_filed' },
  ...{ owner_ciks: [5, 6], owner_names: ['FIVE', 'SIX'], owner_titles: ['Director', ''], owner_roles: [1, 4] },
  ...{ insider_cik: 5, profile_ciks: [5, 6], significance: 'low', version: 1, deleted: 0 },
})

describe('ClickHouse rows of release 1.0.0', function () {
  this.timeout(60_000)
  const former = mkdtempSync(join(tmpdir(), 'test-migrations-'))
  let fresh: TestClickHouse
  let store: ClickHouse
  before(async () => {
    fresh = await freshClickHouse()
    copyFileSync(join(MIGRATIONS, '0001_schema.sql'), join(former, '0001_schema.sql'))
    store = await ClickHouse.open({ ...fresh.options, database: `${fresh.store.database}_former` })
  })
  after(async () => {
    await fresh.store.command(sql`DROP DATABASE IF EXISTS ${new Sql(store.database)} SYNC`)
    await store.close()
    await fresh.close()
    rmSync(former, { recursive: true })
  })

  const feed = async (filter: object) => {
    const { feed: ask } = parsed(clickHouseQueries(store, Date.now, NOTHING_KEPT, compute) as unknown as Queries)
    return (await ask({ ...filter, limit: 10, detail: true })).transactions
  }
  const places = async (filter: object) => (await feed(filter)).map(({ id }) => Number(id.split('-').at(-1)))

  it('are shown and filtered after the migration, beside new ones with all columns', async () => {
    await migrateClickHouse(store, former)
    await store.command(sql`TRUNCATE TABLE generations`)
    await store.insert('incoming_trades', [row(1), row(2), row(3)])
    const names = await migrateClickHouse(store)
    assert.include(names, '0002_transaction_details.sql')
    // As after a break in the middle.
    await store.command(sql`TRUNCATE TABLE migrations`)
    await store.command(sql`INSERT INTO migrations (name) VALUES ('0001_schema.sql')`)
    assert.deepEqual(await migrateClickHouse(store), names)
    assert.isFalse(await isCurrent(store), 'a rebuild is queued')
    assert.deepEqual(await places({}), [3, 2, 1])
    assert.deepEqual(await places({ holdingChange: { min: 0.6 } }), [2])
    assert.deepEqual(await places({ sort: 'holdingChange', insiderCiks: ['0000000006'] }), [2, 3])
    assert.deepEqual(await places({ late: true }), [])

    const more = { late: true, business_days: 7, first_buy_years: 3, previous_buy: '2019-05-06', low_price: '0.5' }
    await store.insert('incoming_trades', [{ ...row(4), ...more }])
    await store.insert('listed_trades', [{ ...row(5), ...more }])
    assert.deepEqual(await places({ late: true, firstBuyYears: 3 }), [5, 4])
    assert.deepEqual(await store.rows(sql`SELECT n FROM trades WHERE business_days = 7`), [{ n: 4 }])
    const [newest] = await feed({})
    assert.deepInclude(newest!.detail, {
      ...{ businessDaysToFile: 7, late: true, firstBuyInYears: 3, previousBuyDate: '2019-05-06', lowPrice: 0.5 },
      coOwners: [{ cik: '0000000006', name: 'SIX', roles: ['tenPercentOwner'], title: '' }],
    })
  })
})
