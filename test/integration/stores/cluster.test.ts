// A ClickHouse cluster, as far as one engine can show it: it accepts the statements and settings, and each table has
// the engine that a cluster needs. Keeper, replicas and quorums are not tested here.
import { assert } from 'chai'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import {
  CLUSTER_SETTINGS,
  EXACT_SETTINGS,
  insertsInTurn,
  joinSql,
  onCluster,
} from '../../../src/infrastructure/clickhouse/connection/cluster.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { SCHEMA } from '../../../src/infrastructure/clickhouse/schema.ts'
import { freshClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts'
import { needClickHouse, startClickHouse } from '../../support/stores/clickhouse-server.ts'

const { statements } = SCHEMA

describe('a ClickHouse cluster', function () {
  this.timeout(60_000)
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  const formatted = async (statement: string): Promise<string> => {
    const [found] = await clickHouse.store.rows<{ text: string }>(sql`SELECT formatQuery(${statement}) AS text`)
    return found!.text
  }

  it('has a replicated table for each that keeps rows, and staging tables of each server alone', async () => {
    const made = await Promise.all(statements.map((statement) => formatted(onCluster(statement))))
    const engineOf = (text: string) =>
      /^CREATE (?:TABLE|MATERIALIZED VIEW) (?:IF NOT EXISTS )?(\w+).*\bENGINE = `?(\w+)/s.exec(text)?.slice(1)
    const engines = new Map(made.map(engineOf).filter((found) => found !== undefined) as [string, string][])
    assert.isAbove(engines.size, 20)
    for (const [table, engine] of engines) {
      if (table.startsWith('staged_')) assert.strictEqual(engine, 'MergeTree', table)
      else if (table === 'placed_rows') assert.strictEqual(engine, 'Null')
      else assert.match(engine, /^Replicated\w*MergeTree$/, table)
    }
    assert.strictEqual(engines.get('trades'), 'ReplicatedReplacingMergeTree')
  })

  it('has the columns, keys and settings of one server', async () => {
    for (const statement of statements) {
      const [plain, clustered] = [await formatted(statement), await formatted(onCluster(statement))]
      assert.strictEqual(clustered.replace(/\nENGINE = Replicated/, '\nENGINE = '), plain)
    }
  })

  it('has a database that each server joins', async () => {
    assert.strictEqual(
      await formatted(joinSql('prod', 'insider')),
      'CREATE DATABASE IF NOT EXISTS insider\n' +
        "ENGINE = Replicated('/clickhouse/prod/databases/insider', '{shard}', '{replica}')",
    )
    assert.strictEqual(await formatted('SYSTEM SYNC DATABASE REPLICA insider'), 'SYSTEM SYNC DATABASE REPLICA insider')
  })

  it('has settings that the engine knows', async () => {
    const settings = Object.entries({ ...CLUSTER_SETTINGS, ...EXACT_SETTINGS })
    const clause = settings.map(([name, value]) => `${name} = '${value}'`).join(', ')
    assert.deepEqual(await clickHouse.store.rows(new Sql(`SELECT 1 AS one SETTINGS ${clause}`)), [{ one: 1 }])
  })

  it('refuses a server whose database is not replicated', async function () {
    needClickHouse(this)
    const server = await startClickHouse()
    try {
      await (await ClickHouse.open({ url: server.url, database: 'insider' })).close()
      const refused = await ClickHouse.open({ url: server.url, database: 'insider', cluster: 'prod' }).then(
        () => null,
        (error: Error) => error.message,
      )
      assert.include(refused, 'this server has a database insider that is not replicated')
    } finally {
      await server.close()
    }
  })

  it('gets inserts into one table one after the other', async () => {
    const inTurn = insertsInTurn()
    const begun: string[] = []
    const first = Promise.withResolvers<void>()
    const insert = (table: string | undefined, name: string, ended: Promise<void> = Promise.resolve()) =>
      inTurn(table, () => {
        begun.push(name)
        return ended
      })
    const failing = insert('trades', 'fails', Promise.reject(new Error('an insert that fails'))).catch(
      (error: Error) => error.message,
    )
    const all = [insert('placed_rows', 'first', first.promise), insert('transaction_lists', 'second')]
    await Promise.all([insert('signals', 'of another table'), insert(undefined, 'no insert')])
    assert.strictEqual(await failing, 'an insert that fails')
    assert.sameMembers(begun, ['fails', 'first', 'of another table', 'no insert'])
    first.resolve()
    await Promise.all(all)
    assert.strictEqual(begun.at(-1), 'second')
  })
})
