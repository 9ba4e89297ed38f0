import { assert } from 'chai'
import { SessionPool } from '../../../../../src/infrastructure/clickhouse/connection/session-pool.ts'

/** Asks for sessions and notes in `had` who has which. */
function asking(pool: SessionPool<string>) {
  const had: string[] = []
  const ask = async (name: string, isWork = false, signal?: AbortSignal) => {
    had.push(`${name}: ${await pool.acquire(signal, isWork)}`)
  }
  return { had, ask }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('session pool', () => {
  it('hands out sessions in the order of asking', async () => {
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

  it('keeps sessions free from work', async () => {
    const pool = new SessionPool(['a', 'b'], 1, 1)
    const { had, ask } = asking(pool)
    for (const name of ['work', 'more work']) void ask(name, true)
    void ask('caller')
    await settled()
    assert.deepEqual(had, ['work: b', 'caller: a'])
    pool.release('a')
    await settled()
    assert.deepEqual(pool.load, { busy: 1, waiting: 1 }, 'the kept one stays free')
    pool.release('b', true)
    await settled()
    assert.deepEqual(had.slice(2), ['more work: b'])
  })

  it('gives callers all sessions, and work its turn among them', async () => {
    const pool = new SessionPool(['a', 'b'], 1, 1)
    const { had, ask } = asking(pool)
    void ask('caller')
    void ask('another')
    void ask('work', true)
    void ask('third')
    void ask('more work', true)
    void ask('fourth')
    await settled()
    assert.deepEqual(had, ['caller: b', 'another: a'])
    for (const session of ['a', 'b', 'b']) {
      pool.release(session)
      await settled()
    }
    assert.deepEqual(had.slice(2), ['work: a', 'third: b', 'fourth: b'], 'no more work before that has ended')
    pool.release('a', true)
    await settled()
    assert.deepEqual(had.slice(5), ['more work: a'])
  })

  it('forgets who no longer waits', async () => {
    const pool = new SessionPool(['a'], 1)
    const { had, ask } = asking(pool)
    void ask('first')
    const late = new AbortController()
    const waiting = ask('late', false, late.signal).catch(String)
    void ask('last')
    late.abort()
    assert.equal(await waiting, 'Error: no connection came free')
    pool.release('a')
    await settled()
    assert.deepEqual(had, ['first: a', 'last: a'])
  })

  it('drains when nothing runs any more', async () => {
    const pool = new SessionPool(['a', 'b', 'c'], 1, 1)
    await pool.acquire(undefined, true)
    let isDrained = false
    const draining = pool.drain().then(() => (isDrained = true))
    await settled()
    assert.isFalse(isDrained)
    pool.release('c', true)
    await draining
  })
})
