// The schema of ClickHouse: what is read from its file is what the engine makes of it.
import { assert } from 'chai'
import { createTables } from '../../../src/infrastructure/clickhouse/create-tables.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { parseSchema, SCHEMA } from '../../../src/infrastructure/clickhouse/schema.ts'
import { isCurrent, isReadable } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'

describe('the schema of ClickHouse', function () {
  this.timeout(60_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  it('is read from its file with the tables, columns and types that the engine makes', async () => {
    const { store } = clickHouse
    const made = await store.rows<{ table: string; name: string; type: string }>(sql`
      SELECT table, name, type
      FROM system.columns
      WHERE database = ${store.database}
      ORDER BY table, position`)
    const columnsOf = (table: string) =>
      made.filter((column) => column.table === table).map(({ name, type }) => [name, type])
    assert.sameMembers(
      SCHEMA.tables.map(({ name }) => name),
      [...new Set(made.map(({ table }) => table))],
    )
    for (const { name, columns } of SCHEMA.tables) if (columns) assert.deepEqual([...columns], columnsOf(name), name)
  })

  it('is created in an empty store, and costs one statement in one that has it', async () => {
    const { store } = clickHouse
    assert.deepEqual([await isCurrent(store), await isReadable(store)], [true, true])
    let statements = 0
    store.observe = () => statements++
    await createTables(store)
    store.observe = () => {}
    assert.strictEqual(statements, 1)
  })

  it('has a hash that changes with its statements alone', () => {
    const of = (text: string) => parseSchema(text).hash
    const hash = of('CREATE TABLE IF NOT EXISTS a (b String) ENGINE = MergeTree ORDER BY b;\n')
    assert.strictEqual(
      of(
        '-- A table.\nCREATE TABLE IF NOT EXISTS a (\n  -- A column;\n  b String\n) ENGINE = MergeTree\nORDER BY b;\n',
      ),
      hash,
    )
    assert.notStrictEqual(of('CREATE TABLE IF NOT EXISTS a (b UInt8) ENGINE = MergeTree ORDER BY b;\n'), hash)
  })
})
