// Notifications from PostgreSQL, over connections that are cut.
import { assert } from 'chai'
import { listenFor } from '../../../src/infrastructure/postgres/coordination/notifications.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { stores } from '../../support/stores/stores.ts'

describe('notifications of work', function hinting() {
  this.timeout(60_000)
  const LONG = 20_000
  const never = new AbortController().signal
  let url: string
  let pool: Pool
  let told: Error[] = []
  let hints: ReturnType<typeof listenFor>

  before(async () => {
    url = (await stores()).databaseUrl
    pool = openPool({ url, name: 'test' })
  })

  beforeEach(async () => {
    told = []
    hints = listenFor(url, 'things', (error) => {
      told.push(error)
    })
    // Being connected is a hint.
    await hints.next(LONG, never)
  })

  afterEach(() => hints.close())

  after(() => pool.end())

  const took = async (act: () => Promise<unknown>) => {
    const start = performance.now()
    await act()
    return performance.now() - start
  }

  it('wake a waiting loop', async () => {
    const waiting = took(() => hints.next(LONG, never))
    await pool.query('NOTIFY things')
    assert.isBelow(await waiting, LONG / 2)
  })

  it('are kept for the next wait, once', async () => {
    await pool.query('NOTIFY things')
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
    assert.isBelow(await took(() => hints.next(LONG, never)), LONG / 2)
    assert.isAtLeast(await took(() => hints.next(300, never)), 290)
  })

  it('end with the signal', async () => {
    const stop = new AbortController()
    const waiting = took(() => hints.next(LONG, stop.signal))
    stop.abort()
    assert.isBelow(await waiting, LONG / 2)
  })

  it('continue after the connection was cut, which is reported once', async () => {
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notifications of things'`,
    )
    await hints.next(LONG, never)
    assert.lengthOf(told, 1)
    const waiting = took(() => hints.next(LONG, never))
    await pool.query('NOTIFY things')
    assert.isBelow(await waiting, LONG / 2)
  })
})
