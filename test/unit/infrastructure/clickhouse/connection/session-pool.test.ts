import { assert } from 'chai'
import { SessionPool } from '../../../../../src/infrastructure/clickhouse/connection/session-pool.ts'

/** Asks for sessions and notes in `had` who has which. */
function asking(pool: SessionPool<string>) {
  const had: string[] = []
  const ask = async (name: string, signal?: AbortSignal) => {
    had.push(`${name}: ${await pool.acquire(signal)}`)
  }
  return { had, ask }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('session pool', () => {
  it('hands out sessions in the order of requests', async () => {
    const pool = new SessionPool(['a'], 1)
    const { had, ask } = asking(pool)
    for (const name of ['first', 'second', 'third']) void ask(name)
    await settled()
    assert.deepEqual(had, ['first: a'])
    pool.release('a')
    await settled()
    pool.release('a')
    await settled()
    assert.deepEqual(had, ['first: a', 'second: a', 'third: a'])
    assert.deepEqual(pool.load, { busy: 1, waiting: 0 })
  })

  it('forgets callers that no longer wait', async () => {
    const pool = new SessionPool(['a'], 1)
    const { had, ask } = asking(pool)
    void ask('first')
    const late = new AbortController()
    const waiting = ask('late', late.signal).catch(String)
    void ask('last')
    late.abort()
    assert.equal(await waiting, 'Error: no connection came free')
    pool.release('a')
    await settled()
    assert.deepEqual(had, ['first: a', 'last: a'])
  })

  it('drains when nothing runs any more', async () => {
    const pool = new SessionPool(['a', 'b', 'c'], 1)
    await pool.acquire()
    let isDrained = false
    const draining = pool.drain().then(() => (isDrained = true))
    await settled()
    assert.isFalse(isDrained)
    pool.release('c')
    await draining
  })
})
