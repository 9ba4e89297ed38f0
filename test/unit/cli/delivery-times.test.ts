// The times that the commands of deliveries take.
import { assert } from 'chai'
import { timeOf } from '../../../src/cli/commands/deliveries.ts'

describe('the time since which deliveries are listed or replayed', () => {
  it('is a day, a time, or how long ago', () => {
    assert.strictEqual(timeOf('2028-02-29').toISOString(), '2028-02-29T00:00:00.000Z')
    assert.strictEqual(timeOf('2026-03-01T14:30Z').toISOString(), '2026-03-01T14:30:00.000Z')
    assert.closeTo(Date.now() - timeOf('90m').getTime(), 90 * 60_000, 5_000)
  })

  it('is no day that does not exist, and nothing else', () => {
    for (const text of ['2026-02-31', '2026-02-29T14:00:00Z', '2026-04-31', '2026-13-01', '2026-03-01T25:00Z', '1w'])
      assert.throws(() => timeOf(text), `not "${text}"`)
  })
})
