// Acceptance times of filings, from stamps and dates of all kinds.
import { assert } from 'chai'
import { filingTime, type DatedFiling } from '../../../../src/domain/filings/acceptance-time.ts'

const seconds = (iso: string): number => Date.parse(iso) / 1000

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

describe('the acceptance time of a filing', () => {
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
