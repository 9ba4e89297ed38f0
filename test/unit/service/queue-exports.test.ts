// When the month files are made: every night at 22:30 in New York.
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

  it('ends with its signal, and does not begin after it', () => {
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
