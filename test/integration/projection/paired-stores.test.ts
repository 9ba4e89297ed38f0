// Whether PostgreSQL and ClickHouse belong together, asked of real ones: filled, emptied, swapped and of a version
// before.
import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { pairStores } from '../../../src/application/projection/paired-stores.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouseStoreIdentity } from '../../../src/infrastructure/clickhouse/stores/store-identity.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { IdentifiedPostgres } from '../../../src/infrastructure/postgres/coordination/store-identity.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('the common id of PostgreSQL and ClickHouse', function () {
  this.timeout(60_000)
  let service: TestService
  const record = () => new IdentifiedPostgres(service.pool)
  const analytics = () => new ClickHouseStoreIdentity(service.store)
  const pair = () => pairStores(record(), analytics(), randomUUID)
  const ids = async () => [await record().id(), await analytics().id()]
  const emptyRecord = () => service.pool.query('TRUNCATE filings CASCADE')
  const forget = async (which: 'record' | 'analytics' | 'both') => {
    if (which !== 'analytics') await service.pool.query('DELETE FROM store_identity')
    if (which !== 'record') await service.store.command(sql`TRUNCATE TABLE store_identity`)
  }

  beforeEach(async () => {
    service = await testService()
  })
  afterEach(async () => {
    await service.pool.query('TRUNCATE store_identity, filings CASCADE')
    await service.close()
  })

  it('is given to two empty ones and stays', async () => {
    assert.strictEqual(await pair(), 'paired')
    const [ours, theirs] = await ids()
    assert.typeOf(ours, 'string')
    assert.strictEqual(ours, theirs)
    await service.take({})
    assert.strictEqual(await pair(), 'paired')
    assert.deepEqual(await ids(), [ours, ours])
  })

  it('is given to stores of a version without, also where that was cut short', async () => {
    await service.take({})
    assert.strictEqual(await pair(), 'paired')
    const [ours, theirs] = await ids()
    assert.typeOf(ours, 'string')
    assert.strictEqual(ours, theirs)
    await forget('analytics')
    assert.strictEqual(await pair(), 'paired')
    assert.deepEqual(await ids(), [ours, ours])
  })

  it('detects an emptied record beside a full ClickHouse, whatever the ids say, and changes nothing', async () => {
    await service.take({})
    await pair()
    await emptyRecord()
    const before = await ids()
    assert.strictEqual(await pair(), 'emptied')
    await forget('record')
    assert.strictEqual(await pair(), 'emptied')
    assert.deepEqual(await ids(), [null, before[1]])
    await forget('both')
    assert.strictEqual(await pair(), 'emptied')
    assert.deepEqual(await ids(), [null, null])
  })

  it('detects a ClickHouse that was filled from another record, until a rebuild', async () => {
    await service.take({})
    await pair()
    await record().identify(randomUUID())
    assert.strictEqual(await pair(), 'unrelated')
    await forget('record')
    assert.strictEqual(await pair(), 'unrelated', 'as after a restore')
    await service.container.get(TYPES.rebuild)(() => {})
    assert.strictEqual(await pair(), 'paired')
    const [ours, theirs] = await ids()
    assert.typeOf(ours, 'string')
    assert.strictEqual(ours, theirs)
    assert.lengthOf(await service.listed(), 1)
  })

  it('is another one where ClickHouse is to be filled, so that a copy left behind is known as old', async () => {
    await service.take({})
    await pair()
    const [before] = await ids()
    await service.store.command(sql`TRUNCATE TABLE directory`)
    await forget('analytics')
    assert.strictEqual(await pair(), 'paired')
    const [ours, theirs] = await ids()
    assert.strictEqual(ours, theirs)
    assert.notStrictEqual(ours, before)
  })
})
