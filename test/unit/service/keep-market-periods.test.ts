// When the periods of the market are made again: at once, then every minute after a making has ended, whether it failed
// or not; and not again once the process is to end.
import { mock } from 'node:test'
import { assert } from 'chai'
import { pino } from 'pino'
import { keepMarketPeriods } from '../../../src/service/roles/keep-market-periods.ts'

const MINUTE = 60_000

describe('keeping the periods of the market', () => {
  let lines: { level: number; msg: string; made?: number }[]
  let stop: AbortController
  /** Makings that are under way, each with its end. */
  let begun: (PromiseWithResolvers<number> & { signal: AbortSignal })[]
  let isOver: boolean
  let areChanging: boolean
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    ;[lines, stop, begun, isOver, areChanging] = [[], new AbortController(), [], false, false]
    const log = pino({ base: null, level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
    const makeChanged = (signal: AbortSignal) => {
      const making = { ...Promise.withResolvers<number>(), signal }
      begun.push(making)
      return making.promise
    }
    const kept = { periods: { makeChanged }, areChanging: async () => areChanging, log }
    void keepMarketPeriods(kept, stop.signal).then(() => (isOver = true))
    return settle()
  })
  afterEach(() => {
    stop.abort()
    for (const { resolve } of begun) resolve(0)
    mock.timers.reset()
  })

  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const later = async (ms: number) => {
    mock.timers.tick(ms)
    await settle()
  }
  const end = async (making: number, made: number) => {
    begun[making]!.resolve(made)
    await settle()
  }

  it('makes them at once, and again a minute after each making, which is recorded where it made some', async () => {
    assert.lengthOf(begun, 1)
    await later(5 * MINUTE)
    assert.lengthOf(begun, 1)
    await end(0, 3)
    await later(MINUTE - 1)
    assert.lengthOf(begun, 1)
    await later(1)
    assert.lengthOf(begun, 2)
    await end(1, 0)
    assert.deepEqual(
      lines.map(({ msg, made }) => [msg, made]),
      [['made periods of the market', 3]],
    )
  })

  it('makes none while trades keep changing, and soon after', async () => {
    await end(0, 0)
    areChanging = true
    await later(MINUTE)
    for (let second = 0; second < 90; second += 1) await later(1_000)
    assert.lengthOf(begun, 1)
    areChanging = false
    await later(1_000)
    assert.lengthOf(begun, 2)
  })

  it('makes them again after a failure, with a warning', async () => {
    begun[0]!.reject(new Error('no store'))
    await settle()
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[40, 'could not make the periods of the market']],
    )
    await later(MINUTE)
    assert.lengthOf(begun, 2)
  })

  it('ends at once between two makings', async () => {
    await end(0, 0)
    assert.isFalse(isOver)
    stop.abort()
    await settle()
    assert.isTrue(isOver)
    await later(MINUTE)
    assert.lengthOf(begun, 1)
  })

  it('ends with the making that is under way, whose failure then is none', async () => {
    stop.abort()
    await settle()
    assert.isFalse(isOver)
    assert.isTrue(begun[0]!.signal.aborted)
    begun[0]!.reject(new Error('cut'))
    await settle()
    assert.isTrue(isOver)
    assert.isEmpty(lines)
  })
})
