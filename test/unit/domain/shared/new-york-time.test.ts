// New York time, held against Intl around every change of clocks.
import { assert } from 'chai'
import fc from 'fast-check'
import { newYorkDay, newYorkInstant } from '../../../../src/domain/shared/new-york-time.ts'

const seconds = (iso: string): number => Date.parse(iso) / 1000
const stampOf = (text: string): string => text.replace(/\D/g, '')

const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
/** The New York wall clock at an instant, as Intl has it: `YYYYMMDDHHMMSS`. */
function wallClock(at: number): string {
  const part = Object.fromEntries(clock.formatToParts(at * 1000).map(({ type, value }) => [type, value]))
  return `${part.year}${part.month}${part.day}${part.hour}${part.minute}${part.second}`
}
/** Of a zone's history only the hour that comes twice maps two instants to one clock reading; we mean the first. */
function firstWithThisClock(at: number): number {
  return wallClock(at - 3600) === wallClock(at) ? at - 3600 : at
}

describe('the New York clock', () => {
  it('agrees with Intl at any second from 1990 to 2036', () => {
    const instants = fc.integer({ min: seconds('1990-01-01T05:00:00Z'), max: seconds('2036-12-31T05:00:00Z') })
    fc.assert(
      fc.property(instants, (at) => {
        assert.strictEqual(newYorkInstant(wallClock(at)), firstWithThisClock(at))
        assert.strictEqual(stampOf(newYorkDay(at)), wallClock(at).slice(0, 8))
      }),
      { numRuns: 500 },
    )
  })

  it('agrees with Intl around every change of clocks from 1990 to 2036', () => {
    for (let year = 1990; year <= 2036; year += 1) {
      for (const month of ['03', '04', '10', '11']) {
        // Changes come at 06:00 or 07:00 UTC on a Sunday; look at each day, half an hour to either side.
        const first = seconds(`${year}-${month}-01T05:30:00Z`)
        for (let day = 0; day < 31; day += 1) {
          for (const instant of [0, 1, 2, 3].map((hour) => first + day * 86_400 + hour * 3600)) {
            if (newYorkInstant(wallClock(instant)) !== firstWithThisClock(instant)) assert.fail(wallClock(instant))
            if (stampOf(newYorkDay(instant)) !== wallClock(instant).slice(0, 8)) assert.fail(wallClock(instant))
          }
        }
      }
    }
  })

  it('means the first of an hour that comes twice, and moves an hour that never comes on', () => {
    assert.strictEqual(newYorkInstant('20241103013000'), seconds('2024-11-03T05:30:00Z'))
    assert.strictEqual(newYorkInstant('20241103020000'), seconds('2024-11-03T07:00:00Z'))
    assert.strictEqual(newYorkInstant('20240310023000'), seconds('2024-03-10T07:30:00Z'))
    assert.strictEqual(newYorkInstant('20240310030000'), seconds('2024-03-10T07:00:00Z'))
    assert.strictEqual(newYorkInstant('20060402023000'), seconds('2006-04-02T07:30:00Z'))
    assert.strictEqual(newYorkInstant('20061029013000'), seconds('2006-10-29T05:30:00Z'))
  })

  it('refuses stamps that are no time of day', () => {
    for (const stamp of ['', '20240230120000', '20240101240000', '20240101126000', '20240101120060', '202401011200']) {
      assert.isNull(newYorkInstant(stamp), stamp)
    }
  })
})
