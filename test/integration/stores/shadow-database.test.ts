// The database that a rebuild fills beside the one in use: if a killed rebuild left one, it is dropped when work
// begins.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { dropLeftOver } from '../../../src/infrastructure/clickhouse/shadow-database.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('the database beside the one in use', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
    await service.take({ accession: '0001999001-25-000001', acceptedAt: '20250110120000' })
  })
  after(() => service.close())

  const databases = async () => {
    const next = `${service.store.database}_next`
    return (await service.store.rows(sql`SELECT name FROM system.databases WHERE name = ${next}`)).length
  }
  /** Tables of the database in use that are about to take the place of others. */
  const tables = async () => {
    const { store } = service
    const query = sql`SELECT name FROM system.tables WHERE database = ${store.database} AND endsWith(name, '_next')`
    return (await store.rows(query)).length
  }

  it('is dropped if a killed rebuild left it, and only then', async () => {
    await dropLeftOver(service.store)
    await service.store.command(new Sql(`CREATE DATABASE ${service.store.database}_next`))
    await service.store.command(sql`CREATE TABLE trades_next AS trades`)
    assert.deepEqual([await databases(), await tables()], [1, 1])
    await dropLeftOver(service.store)
    assert.deepEqual([await databases(), await tables()], [0, 0])
    assert.lengthOf(await service.listed(), 1)
  })

  it('is dropped if the rebuild fails', async () => {
    const rebuild = service.container.get(TYPES.rebuild)
    const failed = await rebuild(() => {
      throw new Error('no progress')
    }).then(
      () => null,
      (error: Error) => error.message,
    )
    assert.strictEqual(failed, 'no progress')
    // It may be another process's by now, so that it is left to the next one.
    assert.strictEqual(await databases(), 1)
    await dropLeftOver(service.store)
    assert.strictEqual(await databases(), 0)
    assert.deepInclude(await rebuild(() => {}), { filings: 1 })
    assert.deepEqual([await databases(), await tables()], [0, 0])
  })

  it('is on a disk whose free and total space the engine reports', async () => {
    const [disk] = await service.store.rows<Record<string, number>>(sql`
      SELECT toFloat64(unreserved_space) AS free, toFloat64(total_space) AS total
      FROM system.disks
      WHERE name = 'default' AND type = 'Local'`)
    assert.isAbove(disk!.total!, 0)
    assert.isAtMost(disk!.free!, disk!.total!)
  })
})
