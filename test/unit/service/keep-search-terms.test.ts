// When the terms of the search are made: at a start where there are none, else after a while, every day, and after work
// that changes many names; one making at a time, and none once the process is to end.
import { mock } from 'node:test'
import { assert } from 'chai'
import { pino } from 'pino'
import { keepSearchTerms } from '../../../src/service/roles/keep-search-terms.ts'

const MINUTE = 60_000
const DAY = 86_400_000

describe('keeping the terms of the search', () => {
  let lines: { level: number; msg: string }[]
  let stop: AbortController
  /** Makings that are under way, each with its end. */
  let begun: PromiseWithResolvers<void>[]
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    lines = []
    stop = new AbortController()
    begun = []
  })
  afterEach(() => {
    stop.abort()
    mock.timers.reset()
  })

  const keep = (exist: boolean) => {
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
    const terms = {
      exist: async () => exist,
      make: () => {
        const making = Promise.withResolvers<void>()
        begun.push(making)
        return making.promise
      },
      add: async () => {},
    }
    return keepSearchTerms(terms, log, stop.signal)
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const later = async (ms: number) => {
    mock.timers.tick(ms)
    await settle()
  }
  const end = async (making: number) => {
    begun[making]!.resolve()
    await settle()
  }

  it('makes them at once where there are none, and again a day later', async () => {
    await keep(false).begin()
    assert.lengthOf(begun, 1)
    await end(0)
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['rebuilt the search index'],
    )
    await later(DAY - 1)
    assert.lengthOf(begun, 1)
    await later(1)
    assert.lengthOf(begun, 2)
    await end(1)
    await later(DAY)
    assert.lengthOf(begun, 3)
  })

  it('makes them ten minutes after a start where there are some', async () => {
    await keep(true).begin()
    await later(10 * MINUTE - 1)
    assert.isEmpty(begun)
    await later(1)
    assert.lengthOf(begun, 1)
  })

  it('makes them once more after the making that was under way, however often that is asked for', async () => {
    const keeper = keep(true)
    keeper.makeAgain()
    for (let times = 0; times < 5; times += 1) keeper.makeAgain()
    await settle()
    assert.lengthOf(begun, 1)
    await end(0)
    assert.lengthOf(begun, 2)
    await end(1)
    await keeper.settled()
    assert.lengthOf(begun, 2)
    // The day counts from the last time that it was asked for.
    await later(DAY - 1)
    assert.lengthOf(begun, 2)
    await later(1)
    assert.lengthOf(begun, 3)
  })

  it('logs a making that fails, and makes them the next day', async () => {
    await keep(false).begin()
    begun[0]!.reject(new Error('ClickHouse can not be reached'))
    await settle()
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[40, 'could not rebuild the search index']],
    )
    await later(DAY)
    assert.lengthOf(begun, 2)
  })

  it('begins none once the process is to end, and is settled when the last one has ended', async () => {
    const keeper = keep(true)
    await keeper.begin()
    keeper.makeAgain()
    keeper.makeAgain()
    let isSettled = false
    const settled = keeper.settled().then(() => (isSettled = true))
    stop.abort()
    await settle()
    assert.isFalse(isSettled)
    begun[0]!.reject(new Error('stopped'))
    await settled

    keeper.makeAgain()
    await later(2 * DAY)
    assert.lengthOf(begun, 1)
    assert.isEmpty(lines)
    const another = keep(true)
    await another.begin()
    await later(2 * DAY)
    assert.lengthOf(begun, 1)
  })
})
