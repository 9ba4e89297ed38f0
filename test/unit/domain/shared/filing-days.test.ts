// Days on which filings can be made, beside the calendar.
import { assert } from 'chai'
import fc from 'fast-check'
import { addDays, isBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import { filingDayFrom, filingDaysAfter, isFilingDay } from '../../../../src/domain/shared/filing-days.ts'

const day = fc.integer({ min: 0, max: 42_000 }).map((number) => addDays('1990-01-01', number))

describe('filing days', () => {
  it('are business days on which EDGAR was not closed by order', () => {
    const closed = ['2018-12-05', '2025-01-09', '2020-12-24', '2021-06-18', '2024-07-04', '2024-07-06', '2024-11-11']
    for (const date of closed) assert.isFalse(isFilingDay(date), date)
    for (const date of ['2018-12-06', '2025-01-08', '2020-06-19', '2021-12-24', '2024-07-05', '2023-12-26'])
      assert.strictEqual(isFilingDay(date), date !== '2021-12-24', date)
    assert.deepEqual(
      ['2025-01-09', '2024-07-06', '2024-07-05'].map((date) => filingDayFrom(date)),
      ['2025-01-10', '2024-07-08', '2024-07-05'],
    )
  })

  it('are counted after one day up to another as they come', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 400 }), (from, days) => {
        let count = 0
        for (let at = 1; at <= days; at += 1) if (isFilingDay(addDays(from, at))) count += 1
        assert.strictEqual(filingDaysAfter(from, addDays(from, days)), count)
        assert.strictEqual(filingDaysAfter(addDays(from, days), from), -count)
      }),
    )
  })

  it('leave out few business days', () => {
    const left = Array.from({ length: 42_000 }, (_, number) => addDays('1990-01-01', number)).filter(
      (date) => isBusinessDay(date) && !isFilingDay(date),
    )
    assert.lengthOf(left, 16)
  })
})
