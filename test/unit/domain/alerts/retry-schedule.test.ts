import { expect } from 'chai'
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
      expect(after({ outcome: answered(status) }), String(status)).deep.equal({ kind: 'delivered' })
    for (const status of [100, 199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 503]) {
      expect(after({ outcome: answered(status) }).kind, String(status)).equal('retry')
    }
    expect(after({ outcome: { kind: 'failed', error: 'timeout' } }).kind).equal('retry')
  })

  it('tries 8 times over 27.6 hours', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((number) => pause({ number }))
    expect(pauses).deep.equal([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000])
    expect((pauses as number[]).reduce((sum, each) => sum + each, 0) / 3600).closeTo(27.6, 0.05)
    expect(after({ number: 8 })).deep.equal({ kind: 'dead', reason: '8 attempts failed', disable: false })
  })

  it('spreads each pause by a fifth to both sides', () => {
    for (const [index, step] of RETRY_STEPS.entries()) {
      expect(pause({ number: index + 1, random: 0 })).closeTo(step * 0.8, 1e-6)
      expect(pause({ number: index + 1, random: 0.999999 })).closeTo(step * 1.2, step * 1e-5)
    }
  })

  it('keeps to Retry-After of 429 and 503, up to twice the step and never below it', () => {
    for (const status of [429, 503]) {
      expect(pause({ outcome: answered(status, 400), number: 2 })).equal(400)
      expect(pause({ outcome: answered(status, 10), number: 2 })).equal(300)
      expect(pause({ outcome: answered(status, 86_400), number: 2 })).equal(600)
      expect(pause({ outcome: answered(status, 0), number: 1, random: 0 })).equal(4)
    }
    expect(pause({ outcome: answered(500, 400), number: 2 })).equal(300)
  })

  it('disables an address that answers 410, at once', () => {
    expect(after({ outcome: answered(410) })).deep.equal({
      kind: 'dead',
      reason: 'the address answered 410',
      disable: true,
    })
  })

  it('disables an address that has failed for 5 days, not a moment before', () => {
    const since = AT - DISABLE_AFTER_SECONDS * 1000
    expect(after({ failingSince: since + 1 }).kind).equal('retry')
    expect(after({ failingSince: since })).deep.equal({
      kind: 'dead',
      reason: 'the address has failed for 5 days',
      disable: true,
    })
    expect(after({ failingSince: since, outcome: answered(204) })).deep.equal({ kind: 'delivered' })
  })
})
