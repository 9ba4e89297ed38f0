// A store whose rows an earlier version wrote: answers as of an instant are given where the rows can give them, and
// refused with the reason where they can't.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { storedRows } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('a store of an earlier version', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
    await service.take({ accession: '0001999001-25-000001', acceptedAt: '20250312120000' })
  })
  afterEach(() => service.close())

  const ofGeneration = async (number: number) => {
    await service.store.command(sql`TRUNCATE TABLE generations`)
    await service.store.command(sql`INSERT INTO generations (number) VALUES (${number})`)
  }
  const asOf = () => service.textQueries.feed({ limit: 1, asOf: Date.UTC(2025, 3, 1) / 1000 })
  const refused = async () => {
    const error: any = await asOf().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    assert.deepInclude(error, { code: 'unavailable' })
    return error.details
  }

  it('that has no earlier states refuses asOf with the reason', async () => {
    await ofGeneration(4)
    assert.deepEqual(await storedRows(service.store), { isCurrent: false, hasEarlierStates: false })
    assert.deepEqual(await refused(), [
      { path: 'query.asOf', message: 'waits for the rebuild that follows an upgrade: see upgrade in GET /v1/status' },
    ])
  })

  it('says how much of the rebuild is done, once that is known', async () => {
    await ofGeneration(4)
    const jobs = service.container.get(TYPES.jobs)
    await jobs.queueOnce('rebuild')
    assert.notInclude(JSON.stringify(await refused()), '%')
    const { id } = (await jobs.next())!
    await jobs.progress(id, 229, 500)
    const [{ message }] = await refused()
    const share = ', of which 45 % is done'
    assert.strictEqual(message, `waits for the rebuild that follows an upgrade${share}: see upgrade in GET /v1/status`)
  })

  it('that has them answers by the former rules', async () => {
    await ofGeneration(5)
    assert.deepEqual(await storedRows(service.store), { isCurrent: false, hasEarlierStates: true })
    assert.include(JSON.stringify(await asOf()), '0001999001-25-000001-nd-1')
  })
})
