// How long a transaction took to be filed, and what may be called late.
import { assert } from 'chai'
import { tradeFacts } from '../../../../src/domain/trades/extract-trades.ts'
import { filingOf, type FilingSpec, type RowSpec } from '../../../support/filings/filing-builder.ts'

const RECEIVED = 1_900_000_000

/** By default bought on Friday, 8 November 2024 and filed on the day given. */
function delayOf(filedAsOf: string | null, row: RowSpec = {}, spec: FilingSpec = {}): [number | null, boolean | null] {
  const acceptedAt = filedAsOf === null ? null : `${filedAsOf}163000`
  const filing = filingOf({ filedAsOf, acceptedAt, ...spec, rows: [{ date: '2024-11-08', ...row }] })
  const [{ businessDays, late }] = tradeFacts(filing, RECEIVED) as [ReturnType<typeof tradeFacts>[number]]
  return [businessDays, late]
}

describe('the delay of a filing', () => {
  it('is counted in business days, and late from the third on', () => {
    // Monday, the 11th, is a holiday.
    const days = ['20241108', '20241109', '20241112', '20241113', '20241114']
    assert.deepEqual(
      days.map((day) => delayOf(day)),
      [
        [0, false],
        [0, false],
        [1, false],
        [2, false],
        [3, true],
      ],
    )
    assert.deepEqual(delayOf('20241112', { date: '2024-11-09' }), [1, false])
  })

  it('ends with the filing date, which after 22:00 is the next business day', () => {
    const accepted = (acceptedAt: string) => delayOf(null, {}, { acceptedAt, filedAsOf: null })
    assert.deepEqual(accepted('20241113215959'), [2, false])
    assert.deepEqual(accepted('20241113220000'), [3, true])
    assert.deepEqual(accepted('20241108230000'), [1, false])
    assert.deepEqual(accepted('20241109120000'), [1, false])
    // EDGAR's own date decides where there is one.
    assert.deepEqual(delayOf('20241113', {}, { acceptedAt: '20241113220101' }), [2, false])
    assert.deepEqual(delayOf('20241114', {}, { acceptedAt: '20241113220101' }), [3, true])
  })

  it('is unknown where a day is', () => {
    assert.deepEqual(delayOf('20241114', { date: '2024-11-31' }), [null, null])
    assert.deepEqual(delayOf('20241114', { date: '2024-11-15' }), [null, null])
    const signed = { signatures: [{ date: '2024-11-20' }], acceptedAt: null }
    assert.deepEqual(delayOf(null, {}, signed), [null, null])
  })

  it('is counted from the deemed execution date where that is possible', () => {
    const deemed = (date: string | null) => delayOf('20241114', { deemedExecutionDate: date })[1]
    assert.deepEqual(['2024-11-12', '2024-11-14'].map(deemed), [false, false])
    for (const date of [null, '2024-11-08', '2024-11-07', '2024-11-15', '2024-11-31', '0024-11-12'])
      assert.isTrue(deemed(date), String(date))
    // More than three business days later is a typing error.
    assert.isTrue(delayOf('20241122', { deemedExecutionDate: '2024-11-15' })[1])
  })

  it('is not called late where Form 4 was not due in two days', () => {
    const late = (row: RowSpec, spec: FilingSpec = {}) => delayOf('20241120', row, spec)[1]
    for (const code of ['P', 'S', 'A', 'D', 'F', 'I', 'M', 'C', 'O', 'X', 'U', 'K']) assert.isTrue(late({ code }), code)
    for (const code of ['W', 'L', 'Z', 'E', 'H', 'V', 'J', null]) assert.isNull(late({ code }), String(code))
    assert.isNull(late({ formType: '5' }))
    assert.isNull(late({ timeliness: 'E' }))
    assert.isTrue(late({ timeliness: 'L', formType: null }))
    assert.isNull(late({}, { formType: '4/A' }))
    assert.isTrue(late({ code: 'G', acquiredDisposed: 'D' }))
    assert.isNull(late({ code: 'G', acquiredDisposed: 'A' }))
    const before = (date: string, row: RowSpec) => delayOf('20230320', { date, ...row })[1]
    assert.isNull(before('2023-02-24', { code: 'G', acquiredDisposed: 'D' }))
    assert.isTrue(before('2023-02-27', { code: 'G', acquiredDisposed: 'D' }))
    assert.deepEqual(
      ['2002-08-28', '2002-08-29'].map((date) => delayOf('20020920', { date })[1]),
      [null, true],
    )
  })
})
