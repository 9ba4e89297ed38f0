import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import {
  limitTo,
  SessionPool,
  type Lease,
} from '../../../../../src/infrastructure/clickhouse/connection/session-pool.ts'
import { withDeadline } from '../../../../../src/infrastructure/deadline.ts'

/** Asks for sessions and notes in `had` who has which. */
function asking(pool: SessionPool<string>) {
  const had: string[] = []
  const leases: Lease<string>[] = []
  const ask = async (name: string, waitMs?: number) => {
    const lease = await pool.acquire(waitMs)
    had.push(`${name}: ${lease.session}`)
    leases.push(lease)
  }
  const release = (successor?: string) => leases.shift()!.release(successor)
  return { had, ask, release }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => 'given',
    (error) => error.code,
  )

describe('session pool', () => {
  it('hands out sessions in the order of requests', async () => {
    const pool = new SessionPool(['a'], 1)
    const { had, ask, release } = asking(pool)
    for (const name of ['first', 'second', 'third']) void ask(name)
    await settled()
    assert.deepEqual(had, ['first: a'])
    release()
    await settled()
    release()
    await settled()
    assert.deepEqual(had, ['first: a', 'second: a', 'third: a'])
    assert.deepEqual(pool.load, { busy: 1, waiting: 0 })
  })

  it('hands out the successor of a session that was given up, and never that session again', async () => {
    const pool = new SessionPool(['a', 'b'], 1)
    const { had, ask, release } = asking(pool)
    for (const name of ['first', 'second', 'third']) void ask(name)
    await settled()
    release('c')
    await settled()
    void ask('fourth')
    release()
    await settled()
    assert.deepEqual(had, ['first: b', 'second: a', 'third: c', 'fourth: a'])
  })

  it('refuses a caller that got no session in its time, and forgets it', async () => {
    const pool = new SessionPool(['a'], 1)
    const { had, ask, release } = asking(pool)
    void ask('first')
    const late = refusal(ask('late', 5))
    void ask('last')
    assert.strictEqual(await late, 'unavailable')
    release()
    await settled()
    assert.deepEqual(had, ['first: a', 'last: a'])
  })

  it('refuses a caller at once that has no time left, although a session is idle', async () => {
    const pool = new SessionPool(['a'], 1)
    assert.strictEqual(await refusal(pool.acquire(-1)), 'unavailable')
    assert.strictEqual(await refusal(pool.acquire(0)), 'given')
  })

  it('refuses a caller at once if the statements before it take longer than it can wait', async () => {
    const pool = new SessionPool(['a'], 1)
    for (let slow = 0; slow < 8; slow += 1) {
      const { release } = await pool.acquire()
      await sleep(40)
      release()
    }
    const { ask, release } = asking(pool)
    for (const name of ['running', 'waiting', 'waiting too']) void ask(name)
    await settled()
    const patient = pool.acquire(60_000)
    const asked = performance.now()
    assert.strictEqual(await refusal(pool.acquire(50)), 'unavailable')
    assert.isBelow(performance.now() - asked, 40)
    for (let left = 3; left > 0; left -= 1) {
      release()
      await settled()
    }
    assert.strictEqual((await patient).session, 'a')
  })

  it('drains when nothing runs any more', async () => {
    const pool = new SessionPool(['a', 'b', 'c'], 1)
    const { release } = await pool.acquire()
    let isDrained = false
    const draining = pool.drain().then(() => (isDrained = true))
    await settled()
    assert.isFalse(isDrained)
    release()
    await draining
  })
})

describe('a limit', () => {
  it('holds for all its functions together, and refuses a call that could not begin in time for its request', async () => {
    const limit = limitTo(2)
    let running = 0
    let most = 0
    const work = async (milliseconds: number) => {
      running += 1
      most = Math.max(most, running)
      await sleep(milliseconds)
      running -= 1
      return 'done'
    }
    const [first, second] = [limit(work), limit(work)]
    const calls = [first(300), second(300), first(0)]
    assert.strictEqual(await refusal(withDeadline(520, () => second(0))), 'unavailable')
    assert.deepEqual(await Promise.all(calls), ['done', 'done', 'done'])
    assert.strictEqual(most, 2)
    assert.strictEqual(await withDeadline(5_000, () => second(0)), 'done')
  })
})
