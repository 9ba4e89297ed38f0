// ClickHouse stores that another version of the service made, older or newer: each version fills its own again, answers
// from the other's meanwhile where it can read it, and leaves new filings in the ledger until then.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { makeIsPopulated, requirePopulated } from '../../../src/application/queries/analytics-ready.ts'
import { createTables } from '../../../src/infrastructure/clickhouse/create-tables.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { parseSchema, SCHEMA } from '../../../src/infrastructure/clickhouse/schema.ts'
import { dropLeftOver } from '../../../src/infrastructure/clickhouse/shadow-database.ts'
import { isCurrent, isReadable, storedVersion } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import {
  breakingReason,
  migrate,
  readMigrations,
  type AppliedMigration,
} from '../../../src/infrastructure/migration-runner.ts'
import { parsed } from '../../support/service/parsed-queries.ts'
import { loopReport, runTurn, testService, type TestService } from '../../support/service/service.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../src/infrastructure/clickhouse/migrations')
const RELEASE_1_0_0 = join(import.meta.dirname, '../../fixtures/schema-1.0.0.sql')

const filed = (number: number): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt: `202503${10 + number}120000`,
  rows: [{ shares: String(1000 * number), price: '10', date: '2025-03-10' }],
})
const idOf = (number: number) => `${filed(number).accession}-nd-1`

describe('ClickHouse with the tables of another version', function () {
  this.timeout(120_000)
  let service: TestService
  let madeHere: string[]
  beforeEach(async () => {
    service = await testService()
    madeHere = await tables()
    await service.take(filed(1))
  })
  afterEach(() => service.close())

  const command = (text: string) => service.store.command(new Sql(text))
  const tables = async () => {
    const rows = await service.store.rows<{ made: string }>(sql`
      SELECT create_table_query AS made FROM system.tables WHERE database = ${service.store.database} ORDER BY name`)
    return rows.map(({ made }) => made)
  }
  const dropAll = async () => {
    const rows = await service.store.rows<{ name: string }>(
      sql`SELECT name FROM system.tables WHERE database = ${service.store.database}`,
    )
    for (const { name } of rows) await command(`DROP TABLE ${name} SYNC`)
  }
  /** As a service that starts. */
  const start = (): Promise<void> =>
    service.container.get(TYPES.projectionLoop).prepare(new AbortController().signal, loopReport())
  const asked = () => {
    const { container, textQueries } = service
    const isPopulated = makeIsPopulated(
      container.get(TYPES.analytics),
      container.get(TYPES.ledger),
      container.get(TYPES.dataSetRegistry),
    )
    const queries = parsed(requirePopulated(textQueries, isPopulated, container.get(TYPES.statusQueries)))
    return queries.feed({ limit: 10 }).then(
      ({ transactions }) => transactions.map(({ id }) => id),
      (error) => error.code,
    )
  }
  const expectOwn = async (...numbers: number[]) => {
    assert.isTrue(await isCurrent(service.store))
    assert.deepEqual(await asked(), numbers.toReversed().map(idOf))
    assert.deepEqual(await tables(), madeHere)
  }
  /** Makes the store one of a version with these tables more, whose rows are of these rules. */
  const enter = (rules: number, more: string[] = []) =>
    service.store.insert('store_version', [
      { schema: 'of another', rules, tables: [...SCHEMA.tables.map(({ name }) => name), ...more] },
    ])
  const presentRules = async () => (await storedVersion(service.store))!.rules

  const release100 = async () => {
    await dropAll()
    await command(`CREATE TABLE migrations (name String, applied_at DateTime DEFAULT now(), breaking Nullable(String))
      ENGINE = MergeTree ORDER BY name`)
    for (const statement of parseSchema(readFileSync(RELEASE_1_0_0, 'utf8')).statements) await command(statement)
    await command(`INSERT INTO migrations (name) VALUES ('0001_schema.sql')`)
    await command('INSERT INTO generations (number) VALUES (1)')
    await command(`INSERT INTO incoming_directory (kind, key, accession) VALUES ('issuer', '0001999001', 'x')`)
  }

  it('of release 1.0.0 is filled before the first answer, and has none of its tables after', async () => {
    await release100()
    await createTables(service.store)
    assert.deepEqual([await isCurrent(service.store), await isReadable(service.store)], [false, false])
    assert.strictEqual(await asked(), 'unavailable')
    const status = await service.container.get(TYPES.statusQueries).status()
    assert.deepInclude(status.filling, { done: 0, total: null })
    assert.isNull(status.upgrade)
    await start()
    await expectOwn(1)
  })

  it('of this one is refused by release 1.0.0, with what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-migrations-'))
    try {
      cpSync(RELEASE_1_0_0, join(folder, '0001_schema.sql'))
      const refused = await migrate(readMigrations(folder), {
        applied: () =>
          service.store.rows<AppliedMigration>(sql`SELECT DISTINCT name, breaking FROM migrations ORDER BY name`),
        apply: () => assert.fail('a migration ran'),
        unreleased: 'unreleased',
        broken: 'delete DATA_DIR/clickhouse',
      }).then(
        () => null,
        (error: Error) => error.message,
      )
      // What its `make upgrade` reads, too.
      const reason = breakingReason(readFileSync(join(MIGRATIONS, '0012_one_schema.sql'), 'utf8'))
      assert.strictEqual(refused, `delete DATA_DIR/clickhouse (0012_one_schema.sql: ${reason})`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('of a version before 1.0.0 is filled as well', async () => {
    await dropAll()
    for (const name of ['migrations', 'former_trades'])
      await command(`CREATE TABLE ${name} (name String) ENGINE = MergeTree ORDER BY name`)
    await command(`INSERT INTO migrations VALUES ('0001_create_trades.sql')`)
    await command(`INSERT INTO former_trades VALUES ('a')`)
    await createTables(service.store)
    assert.strictEqual(await asked(), 'unavailable')
    await start()
    // What is not known to be the service's stays.
    await command('DROP TABLE former_trades SYNC')
    await expectOwn(1)
  })

  it('of a newer version answers until it is filled by this one, where it has what this one reads', async () => {
    await command('ALTER TABLE transaction_lists ADD COLUMN later String')
    await command('CREATE TABLE later_notes (name String) ENGINE = MergeTree ORDER BY name')
    await command(`INSERT INTO later_notes VALUES ('a')`)
    await enter((await presentRules()) + 1, ['later_notes'])
    await createTables(service.store)
    await start()
    await service.record(filed(2))
    assert.strictEqual(await service.container.get(TYPES.ledger).countPending(Number.MAX_SAFE_INTEGER), 1)
    assert.deepEqual(await asked(), [idOf(1)])
    const { upgrade } = await service.container.get(TYPES.statusQueries).status()
    assert.deepEqual(upgrade, { done: 0, total: null, pace: null, waits: ['rules'] })
    await runTurn(service)
    await expectOwn(1, 2)
  })

  it('of a newer version is filled before the first answer, where a column is of another type', async () => {
    await command('ALTER TABLE transaction_lists MODIFY COLUMN code String')
    await enter(await presentRules())
    assert.strictEqual(await asked(), 'unavailable')
    await start()
    await expectOwn(1)
  })

  it('of rules that are too old to be read is filled before the first answer', async () => {
    await enter(0)
    assert.strictEqual(await asked(), 'unavailable')
    await start()
    await expectOwn(1)
  })

  it('takes no filing while its rebuild fails, and does once one succeeded', async () => {
    await enter(await presentRules())
    await start()
    await service.record(filed(2))
    const jobRunners = service.container.get(TYPES.jobRunners)
    const { rebuild } = jobRunners
    jobRunners.rebuild = () => Promise.reject(new Error('a zip is missing'))
    const stop = new AbortController()
    const failures: string[] = []
    const report = loopReport({ failed: (what, error) => failures.push(`${what}: ${(error as Error).message}`) })
    await service.container.get(TYPES.projectionLoop).run(stop.signal, async () => stop.abort(), report)
    assert.deepEqual(failures, ['rebuild: a zip is missing'])
    assert.deepEqual(await asked(), [idOf(1)])
    jobRunners.rebuild = rebuild
    await service.container.get(TYPES.jobs).queue('rebuild')
    await runTurn(service)
    await expectOwn(1, 2)
  })

  it('has none that passes for filled where the swap was cut short, and is filled by the next', async () => {
    const { container, store } = service
    /** Cuts the swap short after so many statements; returns whether it was. */
    const cutShort = async (after: number) => {
      const shadow = await container.get(TYPES.openShadow)()
      let statements = 0
      store.observe = () => {
        statements += 1
        if (statements > after) throw new Error('cut short')
      }
      const isCut = await shadow.swapIn().then(
        () => false,
        () => true,
      )
      store.observe = () => {}
      await shadow.discard(false)
      return isCut
    }
    await enter(await presentRules())
    for (let after = 3; await cutShort(after); after += 17) {
      // The store that was swapped in is empty: it must not be taken for one that is full.
      const isFilled = (await isCurrent(store)) && (await asked()) !== 'unavailable'
      assert.isFalse(isFilled && (await asked()).length === 0, `after ${after} statements`)
      await dropLeftOver(store)
      await createTables(store)
      await start()
      if (!(await isCurrent(store))) await container.get(TYPES.rebuild)(() => {})
      await expectOwn(1)
      await enter(await presentRules())
    }
  })
})
