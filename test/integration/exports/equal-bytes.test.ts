// A month file of a hundred thousand staged rows, in however many parts the engine has them.
import { assert } from 'chai'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { filingRowFileSql, HOLDING_COLUMNS } from '../../../src/infrastructure/clickhouse/exports/filing-rows.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'

const ROWS = 100_000

describe('equal rows', function () {
  this.timeout(120_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  const fileOf = async (parts: number): Promise<Buffer> => {
    const { store } = clickHouse
    await store.command(sql`TRUNCATE TABLE staged_export_rows`)
    await store.command(sql`SYSTEM STOP MERGES staged_export_rows`)
    for (let part = 0; part < parts; part += 1) {
      await store.command(
        new Sql(`INSERT INTO staged_export_rows (dataset, filed_at, accession, n, content)
          SELECT 'holdings', 1700000000 + intDiv(number, 1000) * 7, toString(intDiv(number, 10)), number % 10,
            toJSONString(map('securityTitle', toString(cityHash64(number) % 5000)))
          FROM numbers(${ROWS})
          WHERE cityHash64(number) % ${parts} = ${part}`),
      )
    }
    await store.command(sql`SYSTEM START MERGES staged_export_rows`)
    return store.parquet(filingRowFileSql('holdings', HOLDING_COLUMNS))
  }

  it('give equal bytes from one part and from several', async () => {
    const one = await fileOf(1)
    assert.isTrue(one.equals(await fileOf(7)))
    assert.isTrue(one.equals(await fileOf(3)))
  })
})
