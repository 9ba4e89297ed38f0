// The promise to the SEC: never more than the rate in any second, live first, and silence for as long as a pause says.
import { assert } from 'chai'
import fc from 'fast-check'
import { BackOff, retryAfterMs } from '../../../../../src/infrastructure/edgar/client/back-off.ts'
import { RateLimiter, systemTimer, type Priority } from '../../../../../src/infrastructure/edgar/client/rate-limiter.ts'
import { manualTimer } from '../../../../support/manual-timer.ts'

/** The most instants within any closed second. */
function mostInASecond(times: number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at <= from + 1000).length))
}

/** Takes turns and notes who got one when. */
function noting(limiter: RateLimiter, now: () => number) {
  const turns: { name: string; at: number }[] = []
  const take = (name: string, priority: Priority, signal?: AbortSignal): Promise<unknown> =>
    limiter.turn(priority, signal).then(
      () => turns.push({ name, at: now() }),
      (reason) => reason,
    )
  return { turns, take }
}

describe('the rate limiter for EDGAR', () => {
  it('never lets more than the rate into any second, however requests and pauses come', async () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 700 }),
      requests: fc.integer({ min: 0, max: 12 }),
      pause: fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 6, nil: 0 }),
      live: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0.5, 1, 3, 7.5, 8, 10),
        fc.array(step, { maxLength: 8 }),
        async (rate, steps) => {
          const timer = manualTimer()
          const limiter = new RateLimiter(rate, timer)
          const { turns, take } = noting(limiter, timer.now)
          const pauses: [from: number, to: number][] = []
          for (const { wait, requests, pause, live } of steps) {
            await timer.advance(wait)
            if (pause > 0) {
              limiter.pause(pause)
              pauses.push([timer.now(), timer.now() + pause])
            }
            for (let left = requests; left > 0; left -= 1) void take('', live ? 'live' : 'catch-up')
          }
          const asked = steps.reduce((sum, { requests }) => sum + requests, 0)
          await timer.advance(30_000 + (asked * 1001) / rate)
          const times = turns.map(({ at }) => at)
          assert.lengthOf(times, asked)
          assert.isAtMost(mostInASecond(times), Math.ceil(rate))
          times.slice(1).forEach((at, index) => assert.isAtLeast(at - times[index]!, 1000 / rate))
          for (const [from, to] of pauses) assert.isEmpty(times.filter((at) => at > from && at < to))
          assert.strictEqual(timer.alarms(), 0)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keeps the rate on the real clock', async () => {
    const limiter = new RateLimiter(10)
    const { turns, take } = noting(limiter, systemTimer.now)
    const begun = systemTimer.now()
    await Promise.all(Array.from({ length: 12 }, () => take('', 'live')))
    assert.lengthOf(turns, 12)
    assert.isAtLeast(turns.at(-1)!.at - begun, 11 * 100)
  })

  it('serves live before what has waited longer, each in order', async () => {
    const timer = manualTimer()
    const { turns, take } = noting(new RateLimiter(8, timer), timer.now)
    for (const name of ['c1', 'c2', 'c3']) void take(name, 'catch-up')
    for (const name of ['l1', 'l2']) void take(name, 'live')
    await timer.advance(2000)
    assert.deepEqual(
      turns.map(({ name }) => name),
      ['c1', 'l1', 'l2', 'c2', 'c3'],
    )
    assert.deepEqual(
      turns.map(({ at }) => at),
      [0, 126, 252, 378, 504],
    )
  })

  it('serves what is merely good to know when nothing else waits', async () => {
    const timer = manualTimer()
    const { turns, take } = noting(new RateLimiter(8, timer), timer.now)
    for (const name of ['b1', 'b2', 'b3']) void take(name, 'background')
    void take('c1', 'catch-up')
    void take('l1', 'live')
    await timer.advance(2000)
    assert.deepEqual(
      turns.map(({ name }) => name),
      ['b1', 'l1', 'c1', 'b2', 'b3'],
    )
  })

  it('accumulates nothing while idle', async () => {
    const timer = manualTimer()
    const { turns, take } = noting(new RateLimiter(4, timer), timer.now)
    void take('a', 'live')
    await timer.advance(60_000)
    for (const name of ['b', 'c', 'd']) void take(name, 'live')
    await timer.advance(2000)
    assert.deepEqual(
      turns.map(({ at }) => at),
      [0, 60_000, 60_251, 60_502],
    )
  })

  it('gives no turn in a pause; a shorter pause does not end a longer one', async () => {
    const timer = manualTimer()
    const limiter = new RateLimiter(8, timer)
    const { turns, take } = noting(limiter, timer.now)
    limiter.pause(5000)
    void take('a', 'live')
    await timer.advance(1000)
    limiter.pause(100)
    await timer.advance(3999)
    assert.isEmpty(turns)
    await timer.advance(1)
    assert.deepEqual(turns, [{ name: 'a', at: 5000 }])
  })

  it('lets a waiting caller leave, whose turn goes to the next', async () => {
    const timer = manualTimer()
    const limiter = new RateLimiter(1, timer)
    const { turns, take } = noting(limiter, timer.now)
    const leaving = new AbortController()
    void take('a', 'live')
    const left = take('b', 'live', leaving.signal)
    void take('c', 'live')
    await timer.advance(500)
    leaving.abort(new Error('enough'))
    assert.strictEqual(((await left) as Error).message, 'enough')
    assert.strictEqual(((await take('d', 'live', leaving.signal)) as Error).message, 'enough')
    await timer.advance(600)
    assert.deepEqual(
      turns.map(({ name }) => name),
      ['a', 'c'],
    )
  })

  it('keeps no alarm for those who have left', async () => {
    const timer = manualTimer()
    const limiter = new RateLimiter(1, timer)
    limiter.pause(600_000)
    const leaving = new AbortController()
    const left = noting(limiter, timer.now).take('a', 'live', leaving.signal)
    assert.strictEqual(timer.alarms(), 1)
    leaving.abort()
    await left
    assert.strictEqual(timer.alarms(), 0)
  })

  it('bears an alarm that rings early', async () => {
    const timer = manualTimer()
    const early = { ...timer, after: (ms: number, run: () => void) => timer.after(ms > 1 ? ms - 1 : ms, run) }
    const { turns, take } = noting(new RateLimiter(8, early), timer.now)
    for (const name of ['a', 'b', 'c']) void take(name, 'live')
    await timer.advance(1000)
    assert.deepEqual(
      turns.map(({ at }) => at),
      [0, 126, 252],
    )
  })

  it('refuses a rate above the limit, or none', () => {
    for (const rate of [0, -1, 10.1, NaN, Infinity])
      assert.throws(() => new RateLimiter(rate), RangeError, String(rate))
  })
})

describe('the back-off for EDGAR', () => {
  function setUp() {
    const timer = manualTimer()
    const limiter = new RateLimiter(10, timer)
    return { timer, backOff: new BackOff(limiter, timer), ...noting(limiter, timer.now) }
  }

  it('doubles from 1 to 60 seconds, and restarts after a success', async () => {
    const { timer, backOff } = setUp()
    const pauses: number[] = []
    for (let failure = 0; failure < 9; failure += 1) {
      pauses.push(backOff.busy(timer.now(), null))
      await timer.advance(60_000)
    }
    assert.deepEqual(
      pauses,
      [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    )
    backOff.answered(timer.now())
    assert.strictEqual(backOff.busy(timer.now(), null), 1000)
  })

  it('counts requests that were under way together as one failure', async () => {
    const { timer, backOff } = setUp()
    await timer.advance(500)
    assert.deepEqual(
      [100, 200, 300].map((sentAt) => backOff.busy(sentAt, null)),
      [1000, 1000, 1000],
    )
    // Sent before the failure, so no sign that it is over.
    backOff.answered(400)
    await timer.advance(1000)
    assert.strictEqual(backOff.busy(timer.now(), null), 2000)
  })

  it('takes the time the server names, from a second to an hour', () => {
    const { timer, backOff } = setUp()
    assert.deepEqual(
      [0, 7000, 86_400_000].map((named) => backOff.busy(timer.now(), named)),
      [1000, 7000, 3_600_000],
    )
  })

  it('rests 10 minutes once refused', async () => {
    const { timer, backOff, turns, take } = setUp()
    assert.strictEqual(backOff.refused(), 600_000)
    void take('a', 'live')
    await timer.advance(700_000)
    assert.deepEqual(turns, [{ name: 'a', at: 600_000 }])
  })

  it('reads Retry-After in both forms', () => {
    const now = Date.UTC(2026, 10, 20, 12, 0, 0)
    assert.strictEqual(retryAfterMs('120', now), 120_000)
    assert.strictEqual(retryAfterMs(' 0 ', now), 0)
    assert.strictEqual(retryAfterMs('Fri, 20 Nov 2026 12:00:30 GMT', now), 30_000)
    assert.strictEqual(retryAfterMs('Fri, 20 Nov 2026 11:00:00 GMT', now), 0)
    for (const text of [undefined, '', 'soon', '-5', '1.5', '2026-11-20', 'Fri, soon']) {
      assert.isNull(retryAfterMs(text, now), String(text))
    }
  })
})
