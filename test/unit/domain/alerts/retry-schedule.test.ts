// Retry schedule of webhooks: pauses after failed attempts, and when a delivery is given up.
import { assert } from 'chai'
import {
  DISABLE_AFTER_SECONDS,
  nextStep,
  RETRY_STEPS,
  type AttemptMade,
  type AttemptOutcome,
} from '../../../../src/domain/alerts/retry-schedule.ts'

const AT = 1_800_000_000_000
const answered = (status: number, retryAfterSeconds: number | null = null): AttemptOutcome => ({
  kind: 'answered',
  status,
  retryAfterSeconds,
})
const after = (made: Partial<AttemptMade>) =>
  nextStep({ outcome: answered(500), number: 1, at: AT, failingSince: null, random: 0.5, ...made })
/** Seconds until the next attempt. */
const pause = (made: Partial<AttemptMade>) => {
  const next = after(made)
  return next.kind === 'retry' ? (next.at - AT) / 1000 : next.kind
}

describe('the schedule of webhooks', () => {
  it('takes any 2xx for delivered, and nothing else', () => {
    for (const status of [200, 201, 202, 204, 299])
      assert.deepEqual(after({ outcome: answered(status) }), { kind: 'delivered' }, String(status))
    for (const status of [100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 503]) {
      assert.strictEqual(after({ outcome: answered(status) }).kind, 'retry', String(status))
    }
    assert.strictEqual(after({ outcome: { kind: 'failed', error: 'timeout' } }).kind, 'retry')
  })

  it('tries 8 times over 27.6 hours', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((number) => pause({ number }))
    assert.deepEqual(pauses, [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000])
    assert.closeTo((pauses as number[]).reduce((sum, each) => sum + each, 0) / 3600, 27.6, 0.05)
    assert.deepEqual(after({ number: 8 }), { kind: 'dead', reason: '8 attempts failed', disable: false })
  })

  it('spreads each pause by a fifth to both sides', () => {
    for (const [index, step] of RETRY_STEPS.entries()) {
      assert.closeTo(Number(pause({ number: index + 1, random: 0 })), step * 0.8, 1e-6)
      assert.closeTo(Number(pause({ number: index + 1, random: 0.999999 })), step * 1.2, step * 1e-5)
    }
  })

  it('keeps to Retry-After of 429 and 503, up to twice the step and never below it', () => {
    for (const status of [429, 503]) {
      assert.strictEqual(pause({ outcome: answered(status, 400), number: 2 }), 400)
      assert.strictEqual(pause({ outcome: answered(status, 10), number: 2 }), 300)
      assert.strictEqual(pause({ outcome: answered(status, 86_400), number: 2 }), 600)
      assert.strictEqual(pause({ outcome: answered(status, 0), number: 1, random: 0 }), 4)
    }
    assert.strictEqual(pause({ outcome: answered(500, 400), number: 2 }), 300)
  })

  it('holds the address where Retry-After asks for it', () => {
    const holds = (made: Parameters<typeof after>[0]) => (after(made) as { holdsAddress?: boolean }).holdsAddress
    for (const status of [429, 503]) {
      assert.isTrue(holds({ outcome: answered(status, 30) }))
      assert.isFalse(holds({ outcome: answered(status, 0) }))
    }
    assert.isFalse(holds({ outcome: answered(429) }))
    assert.isFalse(holds({ outcome: answered(500, 30) }))
  })

  it('disables an address that answers 410, at once', () => {
    assert.deepEqual(after({ outcome: answered(410) }), {
      kind: 'dead',
      reason: 'the address answered 410',
      disable: true,
    })
  })

  it('disables an address that has failed for 5 days, not a moment before', () => {
    const since = AT - DISABLE_AFTER_SECONDS * 1000
    assert.strictEqual(after({ failingSince: since + 1 }).kind, 'retry')
    assert.deepEqual(after({ failingSince: since }), {
      kind: 'dead',
      reason: 'the address has failed for 5 days',
      disable: true,
    })
    assert.deepEqual(after({ failingSince: since, outcome: answered(204) }), { kind: 'delivered' })
  })
})
