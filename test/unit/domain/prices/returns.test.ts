// The limits of returns: from which close, over which gaps, up to which day, and beside which benchmark.
import { assert } from 'chai'
import { dateOfDay, dayNumber } from '../../../../src/domain/shared/calendar.ts'
import {
  dayOfLastClose,
  dayOfNextClose,
  measure,
  ReturnTally,
  returnsOf,
  type Closes,
} from '../../../../src/domain/prices/returns.ts'

const at = (text: string) => Date.parse(text) / 1000
const dayAt = (text: string) => dateOfDay(dayOfNextClose(at(text)))

/** Closes of 100, 101 and so on, on these days. */
const closesOn = (days: number[]): Closes => ({ days, closes: days.map((_, place) => 100 + place) })
const every = (count: number, from = 0) => Array.from({ length: count }, (_, place) => from + place)

describe('returns', () => {
  it('begin with the close of the day until 16:00 in New York, in summer and winter', () => {
    assert.strictEqual(dayAt('2026-07-01T19:59:59Z'), '2026-07-01')
    assert.strictEqual(dayAt('2026-07-01T20:00:00Z'), '2026-07-02')
    assert.strictEqual(dayAt('2026-12-01T20:59:59Z'), '2026-12-01')
    assert.strictEqual(dayAt('2026-12-01T21:00:00Z'), '2026-12-02')
    assert.strictEqual(dayAt('2026-12-02T03:00:00Z'), '2026-12-02')
    assert.strictEqual(dateOfDay(dayOfLastClose(at('2026-12-01T20:59:59Z'))), '2026-11-30')
    assert.strictEqual(dateOfDay(dayOfLastClose(at('2026-12-01T21:00:00Z'))), '2026-12-01')
  })

  it('count the closes of the share', () => {
    const { return1w, return1m, return6m } = measure(closesOn(every(200)), 10)
    assert.deepEqual(
      [return1w, return1m, return6m].map((each) => each && [each.from, each.to]),
      [
        [10, 15],
        [10, 31],
        [10, 136],
      ],
    )
    assert.deepEqual(returnsOf({ return1w, return1m, return6m }), {
      return1w: 0.0455,
      return1m: 0.1909,
      return6m: 1.1455,
    })
  })

  it('wait a week for the first close and no longer', () => {
    const closes = closesOn(every(10, 17))
    assert.deepInclude(measure(closes, 10).return1w, { from: 17, to: 22 })
    assert.isNull(measure(closes, 9).return1w)
  })

  it('end where a later close is missing for long', () => {
    const upTo = (last: number) => measure(closesOn([0, 1, 2, 3, 4, last]), 0).return1w
    assert.deepInclude(upTo(14), { from: 0, to: 14 })
    assert.isNull(upTo(15))
  })

  it('use no close after the last day, and none that is not there', () => {
    const closes = closesOn(every(6))
    assert.deepInclude(measure(closes, 0, 5).return1w, { to: 5 })
    assert.isNull(measure(closes, 0, 4).return1w)
    assert.isNull(measure(closes, 1).return1w)
    assert.isNull(measure({ days: [], closes: [] }, dayNumber('2026-01-02')).return1w)
  })

  it('are averaged with the benchmark between the same days, where it has both', () => {
    const tally = new ReturnTally({ days: [0, 5, 6], closes: [10, 11, 12] })
    const closes = closesOn(every(8))
    for (const from of [0, 1, 2]) tally.add(measure(closes, from))
    // From 0 to 5 it has both, from 1 to 6 the second alone.
    const { return1w, return6m } = tally.averages()
    assert.deepEqual(return1w, { n: 3, average: 0.0495, benchmark: 0.1, benchmarkN: 1 })
    assert.deepEqual(return6m, { n: 0, average: null, benchmark: null, benchmarkN: 0 })
    assert.deepEqual(new ReturnTally(null).averages().return1w, { n: 0, average: null })
  })
})
