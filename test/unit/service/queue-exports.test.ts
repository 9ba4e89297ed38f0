// When the month files are made: every night at 22:30 in New York.
import { mock } from 'node:test'
import { assert } from 'chai'
import { nextExports, queueExportsNightly } from '../../../src/service/roles/queue-exports.ts'

describe('the next making of the month files', () => {
  it('is at 22:30 in New York, by summer and winter time and where they change', () => {
    for (const [now, next] of [
      ['2026-11-20T12:00:00Z', '2026-11-21T03:30:00Z'],
      ['2026-11-21T03:29:59Z', '2026-11-21T03:30:00Z'],
      ['2026-11-21T03:30:00Z', '2026-11-22T03:30:00Z'],
      ['2026-07-01T00:00:00Z', '2026-07-01T02:30:00Z'],
      ['2026-03-08T03:30:00Z', '2026-03-09T02:30:00Z'],
      ['2026-10-31T02:30:00Z', '2026-11-01T02:30:00Z'],
      ['2026-11-01T02:30:00Z', '2026-11-02T03:30:00Z'],
    ] as const)
      assert.strictEqual(new Date(nextExports(Date.parse(now))).toISOString(), next.replace('Z', '.000Z'), now)
  })
})

describe('the nightly queueing of the month files', () => {
  const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length
  const jobs = { queueOnce: async () => {} }
  const failed = (error: unknown) => {
    throw error
  }

  it('runs on time after the clock is corrected', () => {
    const STEP_MS = 10_000
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const stop = new AbortController()
    try {
      for (const wrongBy of [-2, 2, -48, 48]) {
        let [now, queued] = [Date.parse('2026-03-10T02:00:00Z') + wrongBy * 3_600_000, 0]
        queueExportsNightly({ queueOnce: async () => void (queued += 1) }, () => now, failed, stop.signal)
        now = Date.parse('2026-03-10T02:00:00Z')
        const pass = (minutes: number) => {
          for (let passed = 0; passed < minutes * 60_000; passed += STEP_MS) {
            now += STEP_MS
            mock.timers.tick(STEP_MS)
          }
        }
        pass(29)
        // By a clock that was behind it may have been time before.
        const before = queued
        assert.isAtMost(before, wrongBy < 0 ? 1 : 0)
        pass(2)
        assert.strictEqual(queued, before + 1, `${wrongBy} hours`)
      }
    } finally {
      stop.abort()
      mock.timers.reset()
    }
  })

  it('is tried again until it succeeds, and then waits for the next night', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const stop = new AbortController()
    try {
      let [now, away] = [Date.parse('2026-03-10T02:29:50Z'), true]
      const calls: ('failed' | 'queued')[] = []
      const queueOnce = async () => {
        if (away) throw new Error('PostgreSQL does not answer')
        calls.push('queued')
      }
      queueExportsNightly(
        { queueOnce },
        () => now,
        () => calls.push('failed'),
        stop.signal,
      )
      const pass = async (checks: number) => {
        for (let check = 0; check < checks; check += 1) {
          now += 30_000
          mock.timers.tick(30_000)
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      await pass(2)
      assert.deepEqual(calls, ['failed', 'failed'])
      away = false
      await pass(4)
      assert.deepEqual(calls, ['failed', 'failed', 'queued'])
    } finally {
      stop.abort()
      mock.timers.reset()
    }
  })

  it('ends with its signal, and does not start after it', () => {
    const before = timers()
    const stop = new AbortController()
    queueExportsNightly(jobs, Date.now, failed, stop.signal)
    assert.strictEqual(timers(), before + 1)
    stop.abort()
    assert.strictEqual(timers(), before)
    queueExportsNightly(jobs, Date.now, failed, stop.signal)
    assert.strictEqual(timers(), before)
  })
})
