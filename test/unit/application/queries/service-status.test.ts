// How often the stores are read for the status, however many requests there are.
import { assert } from 'chai'
import { makeStatusQueries, type RecordedStatus } from '../../../../src/application/queries/service-status.ts'

const RECORDED: RecordedStatus = {
  follows: false,
  invented: false,
  lagSeconds: null,
  newestAcceptedAt: null,
  quarters: [],
  firstDay: null,
  days: [],
  filling: null,
  rebuild: null,
  jobs: [],
}

function counted() {
  const reads = { times: 0, fails: false, now: 5_000, time: Date.parse('2030-03-04T12:00:00Z') }
  const { status } = makeStatusQueries({
    recorded: async () => {
      reads.times += 1
      if (reads.fails) throw new Error('away')
      return RECORDED
    },
    newestFilingAt: async () => null,
    isPopulated: async () => true,
    isCurrent: async () => true,
    clock: () => reads.time,
    monotonic: () => reads.now,
  })
  return { reads, status }
}

describe('readings for the status', () => {
  it('are shared by all who ask within a second', async () => {
    const { reads, status } = counted()

    await Promise.all(Array.from({ length: 50 }, () => status()))
    reads.now += 999
    await status()
    assert.strictEqual(reads.times, 1)

    reads.now += 1
    await status()
    assert.strictEqual(reads.times, 2)
  })

  it('are made again after one that failed, and a second later when the clock is set', async () => {
    const { reads, status } = counted()
    reads.fails = true
    const failed = await status().catch((error: Error) => error.message)
    reads.fails = false

    await status()
    reads.time += 86_400_000
    await status()
    assert.strictEqual(reads.times, 2)
    reads.time -= 2 * 86_400_000
    reads.now += 1_000
    await status()

    assert.strictEqual(failed, 'away')
    assert.strictEqual(reads.times, 3)
  })
})
