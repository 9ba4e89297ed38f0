import { assert } from 'chai'
import fc from 'fast-check'
import {
  filingTime,
  newYorkDay,
  newYorkInstant,
  type DatedFiling,
} from '../../../../src/domain/filings/acceptance-time.ts'

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

const RECEIVED = seconds('2024-12-31T12:00:00Z')
function dated(parts: Partial<DatedFiling> & { signed?: (string | null)[] }): DatedFiling {
  const { signed = [], ...rest } = parts
  return {
    header: null,
    signatures: signed.map((date) => ({ name: 'A. Signer', date })),
    periodOfReport: null,
    dateOfOriginalSubmission: null,
    nonDerivative: [],
    derivative: [],
    ...rest,
  }
}
const header = (acceptedAt: string | null, filedAsOf: string | null) => ({
  acceptedAt,
  filedAsOf,
  documentCount: 1,
  sic: null,
  office: null,
})

describe('filing time', () => {
  describe('New York clock', () => {
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
      for (const stamp of [
        '',
        '20240230120000',
        '20240101240000',
        '20240101126000',
        '20240101120060',
        '202401011200',
      ]) {
        assert.isNull(newYorkInstant(stamp), stamp)
      }
    })
  })

  describe('of a filing', () => {
    it('is the acceptance where the header has one', () => {
      const summer = filingTime(
        dated({ header: header('20230623194409', '20230623'), signed: ['2023-06-22'] }),
        RECEIVED,
      )
      assert.deepEqual(summer, { at: seconds('2023-06-23T23:44:09Z'), basis: 'accepted', day: '2023-06-23' })
      const winter = filingTime(dated({ header: header('20250124172428', null) }), RECEIVED)
      assert.deepEqual(winter, { at: seconds('2025-01-24T22:24:28Z'), basis: 'accepted', day: '2025-01-24' })
    })

    it('is 22:00 on the filing date of a header without acceptance, or with a broken one', () => {
      const expected = { at: seconds('2025-01-09T03:00:00Z'), basis: 'filed-date', day: '2025-01-08' }
      assert.deepEqual(filingTime(dated({ header: header(null, '20250108') }), RECEIVED), expected)
      assert.deepEqual(
        filingTime(dated({ header: header('2025', '20250108'), signed: ['2025-01-07'] }), RECEIVED),
        expected,
      )
    })

    it('is 22:00 on the last plausible signature date of a bare document', () => {
      const time = filingTime(
        dated({ periodOfReport: '2023-05-12', signed: ['2023-05-15', '2023-05-16', null] }),
        RECEIVED,
      )
      assert.deepEqual(time, { at: seconds('2023-05-17T02:00:00Z'), basis: 'signature', day: '2023-05-16' })
    })

    it('passes over signatures that can not be true', () => {
      const day = (signed: (string | null)[], periodOfReport: string | null = '2024-01-03') => {
        const time = filingTime(dated({ periodOfReport, signed }), RECEIVED)
        return `${time.basis} ${time.day}`
      }
      assert.strictEqual(day(['2023-01-04']), 'period 2024-01-03', 'January under last year')
      assert.strictEqual(day(['2028-01-05', '2024-01-05']), 'signature 2024-01-05', 'after the document came in')
      assert.strictEqual(day(['0024-01-05']), 'period 2024-01-03', 'not a year')
      assert.strictEqual(day(['2024-02-30']), 'period 2024-01-03', 'no such day')
      assert.strictEqual(day(['2023-12-28']), 'signature 2023-12-28', 'signed a little early')
      assert.strictEqual(day(['2024-02-20'], '2027-02-17'), 'signature 2024-02-20', 'the period is the wrong one')
      assert.strictEqual(day(['2020-02-19'], '2013-12-31'), 'signature 2020-02-19', 'six years late does happen')
    })

    it('falls back to the period, to any date, to 1970', () => {
      assert.strictEqual(
        filingTime(dated({ periodOfReport: '2024-07-19' }), RECEIVED).at,
        seconds('2024-07-20T02:00:00Z'),
      )
      const row = (date: string | null) => ({ date })
      const other = dated({
        periodOfReport: '0022-05-01',
        nonDerivative: [row('2022-05-01'), row('2202-01-01')],
        derivative: [row('2022-04-30'), row(null)],
      })
      assert.deepEqual(filingTime(other, RECEIVED), {
        at: seconds('2022-05-02T02:00:00Z'),
        basis: 'unknown',
        day: '2022-05-01',
      })
      assert.deepEqual(filingTime(dated({}), RECEIVED), { at: 0, basis: 'unknown', day: '1970-01-01' })
    })
  })
})
