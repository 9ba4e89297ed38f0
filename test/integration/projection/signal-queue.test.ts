// The order in which issuers wait for their signals, over PostgreSQL.
import { assert } from 'chai'
import { PostgresSignalQueue } from '../../../src/infrastructure/postgres/filings/signal-queue.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { stores } from '../../support/stores/stores.ts'

describe('the queue of issuers whose signals may have changed', () => {
  let pool: Pool
  let queue: PostgresSignalQueue

  before(async function connect() {
    this.timeout(60_000)
    pool = openPool({ url: (await stores()).databaseUrl, name: 'test', max: 2 })
    queue = new PostgresSignalQueue(pool)
  })
  beforeEach(() => pool.query('TRUNCATE signal_queue'))
  after(() => pool.end())

  const live = (issuer: string, version: number) =>
    pool.query('INSERT INTO signal_queue (issuer_cik, version) VALUES ($1, $2)', [issuer, version])
  const waiting = async (limit: number) => (await queue.next(limit)).map(({ issuerCik }) => issuerCik)

  it('has what is new first, as it came, then what history brings, as it lies in ClickHouse', async () => {
    await queue.requeueQuietly(['0000000009'], 1)
    await queue.requeueQuietly(['0000000003'], 2)
    await queue.requeueQuietly(['0000000005'], 3)
    await live('0000000008', 4)
    await live('0000000002', 5)
    assert.deepEqual(await waiting(10), ['0000000008', '0000000002', '0000000003', '0000000005', '0000000009'])
    assert.deepEqual(await waiting(3), ['0000000008', '0000000002', '0000000003'])
  })
})
