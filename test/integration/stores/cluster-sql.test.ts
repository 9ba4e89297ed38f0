// The tables' SQL for one server and for a cluster, all of it, as it reaches the engine. UPDATE_GOLDEN=1 writes it
// again; the difference is then there to be reviewed. No cluster runs here: the engine parses every statement and makes
// nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { BY_LOG } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import {
  CLUSTER_SETTINGS,
  DDL_SETTINGS,
  EXACT_SETTINGS,
  insertsInto,
  inTurn,
  onCluster,
} from '../../../src/infrastructure/clickhouse/connection/cluster-ddl.ts'
import { serverSettings } from '../../../src/infrastructure/clickhouse/connection/settings.ts'
import { hasTables, makeClusterDatabase } from '../../../src/infrastructure/clickhouse/connection/cluster-checks.ts'
import { MIGRATIONS } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { swapSql } from '../../../src/infrastructure/clickhouse/shadow-database.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { readMigrations } from '../../../src/infrastructure/migration-runner.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'

const GOLDEN = join(import.meta.dirname, '../../fixtures/golden-cluster-sql.txt')
const FOLDER = join(import.meta.dirname, '../../../src/infrastructure/clickhouse/migrations')
const cluster = { name: 'insider-1', database: 'insider' }

/** Everything that changes tables or databases, by where it stands. */
function statements(): [string, string][] {
  return [
    ['migrate.ts', MIGRATIONS.text],
    ...readMigrations(FOLDER).flatMap(({ name, statements: all }) =>
      all
        .filter((statement) => insertsInto(statement) === undefined)
        .map((statement): [string, string] => [name, statement]),
    ),
    ...swapSql('insider_next', 'insider').map(({ text }): [string, string] => ['replacement.ts', text]),
    ['replacement.ts', 'DROP DATABASE IF EXISTS insider_next SYNC'],
    ['client.ts', 'CREATE DATABASE IF NOT EXISTS insider'],
  ]
}

const create = (table: string, rest = 'ENGINE = MergeTree ORDER BY a') =>
  `CREATE TABLE IF NOT EXISTS ${table} (a UInt8) ${rest}`

describe('SQL of tables', () => {
  it('of a cluster is carried by connections that all have its settings, and those that write the exact ones', () => {
    const { work, callers, bulk } = serverSettings(true)
    for (const settings of [work, callers, bulk]) assert.include(settings, CLUSTER_SETTINGS)
    for (const settings of [work, bulk]) assert.include(settings, EXACT_SETTINGS)
    for (const settings of Object.values(serverSettings(false)))
      assert.doesNotHaveAnyKeys(settings, Object.keys(EXACT_SETTINGS))
  })

  let clickHouse: TestClickHouse
  before(async function () {
    this.timeout(60_000)
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  const parsed = async (statement: string) =>
    (await clickHouse.store.rows<{ text: string }>(sql`SELECT formatQuery(${statement}) AS text`))[0]!.text

  it('is what was reviewed, for one server and for a cluster', () => {
    const written = statements()
      .map(([where, statement]) =>
        [
          `-- ${where}\n${statement};`,
          ...onCluster(statement, cluster).map((each) => `-- ${where} on a cluster\n${each};`),
        ].join('\n'),
      )
      .join('\n\n')
      .concat('\n')
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, written)
    assert.strictEqual(written, readFileSync(GOLDEN, 'utf8'))
  })

  it('is understood by the engine, every statement of it', async () => {
    for (const [where, statement] of statements()) {
      for (const each of [statement, ...onCluster(statement, cluster)])
        assert.notStrictEqual(await parsed(each), '', `${where}: ${each}`)
    }
    const refused = await parsed(onCluster(create('staged_x'), cluster)[0]!.replace('ON CLUSTER', 'CLUSTER ON')).catch(
      () => null,
    )
    assert.strictEqual(refused, null)
  })

  it('is sent to one server as it stands in the files', async () => {
    const sent: string[] = []
    const { store } = clickHouse
    const recorded = Object.assign(Object.create(store) as typeof store, {
      cluster: null,
      command: async ({ text }: { text: string }) => {
        sent.push(text)
      },
    })
    for (const [, statement] of statements()) await recorded.ddl({ text: statement })
    assert.deepEqual(
      sent,
      statements().map(([, statement]) => statement),
    )
  })

  it('puts all rows of an issuer on one shard, and into each table by its UUID', () => {
    const all = statements().flatMap(([, statement]) => onCluster(statement, cluster))
    const distributed = all.filter((each) => each.includes('Distributed('))
    assert.deepEqual(
      distributed.map((each) => /insider\.(\w+) ON/.exec(each)![1]),
      [
        ...['trades', 'transaction_lists', 'directory', 'filing_lists', 'filing_details', 'signals', 'signal_list'],
        'signal_states',
      ],
    )
    for (const each of distributed) assert.match(each, /_local', intHash64\(issuer_cik\)\)$/)
    for (const each of all.filter((one) => one.includes('Replicated')))
      assert.include(each, "('/clickhouse/tables/{uuid}/")
    for (const each of all) assert.include(each, "ON CLUSTER 'insider-1'", each)
  })

  it('is refused for a cluster where it is not known', () => {
    const refused = [
      create('trade_notes'),
      create('trades', 'ENGINE = Memory'),
      create('trades'),
      create('company_list', 'ENGINE = MergeTree'),
      'CREATE TABLE trades (a UInt8) ENGINE = MergeTree ORDER BY a',
      'CREATE MATERIALIZED VIEW v AS SELECT 1',
      'DROP TABLE trades',
      'TRUNCATE TABLE trades',
      'RENAME TABLE trades TO other',
      'ALTER TABLE trades DELETE WHERE 1',
      'ALTER TABLE other ADD COLUMN IF NOT EXISTS a UInt8',
      'ALTER TABLE trades ADD COLUMN a UInt8',
      'EXCHANGE TABLES a.trades AND b.signals',
      'EXCHANGE TABLES trades AND signals',
      'DROP DATABASE insider',
      'SELECT 1',
      '',
    ]
    for (const each of refused) assert.throws(() => onCluster(each, cluster), /cluster|has no column issuer_cik/, each)
  })

  it('changes settings of the rows alone', () => {
    assert.deepEqual(onCluster('ALTER TABLE trades MODIFY SETTING min_bytes_for_wide_part = 1', cluster), [
      `ALTER TABLE insider.trades_local ON CLUSTER 'insider-1' MODIFY SETTING min_bytes_for_wide_part = 1`,
    ])
  })

  it('changes columns of the rows first, then of the table over them', async () => {
    const changed = onCluster('ALTER TABLE trades ADD COLUMN IF NOT EXISTS note String', cluster)
    assert.deepEqual(
      changed.map((each) => each.split(' ')[2]),
      ['insider.trades_local', 'insider.trades'],
    )
    const once = onCluster('ALTER TABLE company_list DROP COLUMN IF EXISTS note', cluster)
    assert.deepEqual(once, ['ALTER TABLE insider.company_list DROP COLUMN IF EXISTS note'])
    for (const each of [...changed, ...once]) assert.include(await parsed(each), 'note')
  })
})

describe('a ClickHouse cluster', () => {
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  it('that the server does not know is reported with those it knows', async () => {
    const failed = await makeClusterDatabase(clickHouse.store, { ...cluster, name: 'nowhere' }).catch(
      (error: Error) => error.message,
    )
    assert.match(String(failed), /^CLICKHOUSE_CLUSTER: the server knows no cluster nowhere, but: /)
  })

  it('is asked for other nodes only where this one has no tables', async () => {
    const { store } = clickHouse
    assert.strictEqual(await hasTables(store, { ...cluster, database: store.database }), true)
    const failed = await hasTables(store, { ...cluster, database: 'without_tables' }).catch(
      (error: Error) => error.message,
    )
    assert.match(String(failed), /cluster/i)
  })

  it('is asked with settings that the engine knows and takes', async () => {
    const all = { ...CLUSTER_SETTINGS, ...EXACT_SETTINGS, ...DDL_SETTINGS }
    const list = Object.entries(all)
      .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`)
      .join(', ')
    const found = await clickHouse.store.rows<{ name: string; value: string }>(
      new Sql(
        `SELECT name, value FROM system.settings WHERE name IN (${Object.keys(all)
          .map((name) => `'${name}'`)
          .join(', ')}) SETTINGS ${list}`,
      ),
    )
    const values = new Map(found.map(({ name, value }) => [name, value]))
    for (const [name, value] of Object.entries(all)) assert.strictEqual(values.get(name), String(value), name)
  })

  it("takes a new company list by the table's own log, which leaves nothing of the old one", async () => {
    const { store } = clickHouse
    await store.insert('company_list', [{ ticker: 'OLD', place: 0, issuer_cik: 1, name: 'Old', exchange: '' }])
    await store.command(BY_LOG.create)
    await store.insert('company_list_next', [{ ticker: 'NEW', place: 0, issuer_cik: 2, name: 'New', exchange: '' }])
    await store.command(BY_LOG.swap)
    assert.deepEqual(await store.rows(sql`SELECT ticker FROM company_list`), [{ ticker: 'NEW' }])
  })

  it('gets the inserts of a table one by one, also after a failed one, and those of others meanwhile', async () => {
    const turn = inTurn()
    const log: string[] = []
    const first = Promise.withResolvers<void>()
    const act = (name: string, until?: Promise<void>) => async () => {
      log.push(`${name} starts`)
      await until
      log.push(`${name} ends`)
    }
    const all = [
      turn('trades', act('a', first.promise)),
      turn('trades', act('b')),
      turn('signals', act('c')),
      turn(undefined, act('d')),
    ]
    await Promise.all([all[2], all[3]])
    assert.sameMembers(log, ['a starts', 'c starts', 'c ends', 'd starts', 'd ends'])
    first.reject(new Error('cut'))
    assert.deepEqual(
      (await Promise.allSettled(all)).map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(log.slice(-2), ['b starts', 'b ends'])
  })

  it('knows an insert by its beginning', () => {
    assert.strictEqual(insertsInto('INSERT INTO trades (a) SELECT 1'), 'trades')
    assert.strictEqual(insertsInto("SELECT 'INSERT INTO trades'"), undefined)
  })
})
