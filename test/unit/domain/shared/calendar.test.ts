// Calendar arithmetic: real dates, business days and federal holidays.
import { assert } from 'chai'
import fc from 'fast-check'
import {
  addDays,
  addMonths,
  addYears,
  dateOfDay,
  dayNumber,
  daysBetween,
  isBusinessDay,
  isRealDate,
  nextBusinessDay,
  nthWeekday,
  weekdayOf,
} from '../../../../src/domain/shared/calendar.ts'

const DAY = 86_400_000
/** Year 0001 to 9999. */
const anyDay = fc.integer({ min: -719_162, max: 2_932_896 })
const iso = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

describe('calendar', () => {
  it('knows real dates, strange years included', () => {
    for (const date of ['2024-02-29', '2000-02-29', '0023-03-23', '2035-01-10', '1988-08-08', '2023-12-31']) {
      assert.isTrue(isRealDate(date), date)
    }
    const unreal = [
      '2023-02-29',
      '1900-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '2024-01-00',
      '24-01-01',
      '',
      '2024-7-19',
      '2024-07-19-05:00',
      '20240719',
      'yesterday',
    ]
    for (const date of unreal) assert.isFalse(isRealDate(date), date)
  })

  it('counts days as Date does, in both directions', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        assert.strictEqual(dateOfDay(day), iso(day))
        assert.strictEqual(dayNumber(iso(day)), day)
        assert.strictEqual(weekdayOf(iso(day)), new Date(day * DAY).getUTCDay())
      }),
    )
    assert.strictEqual(dayNumber('1970-01-01'), 0)
    assert.strictEqual(daysBetween('2024-02-28', '2024-03-01'), 2)
    assert.strictEqual(daysBetween('2024-03-01', '2024-02-28'), -2)
    assert.strictEqual(addDays('2023-12-31', 1), '2024-01-01')
  })

  it('moves by years', () => {
    assert.strictEqual(addYears('2024-02-29', -3), '2021-02-28')
    assert.strictEqual(addYears('2024-02-29', 4), '2028-02-29')
    assert.strictEqual(addYears('2024-07-19', -1), '2023-07-19')
  })

  it('finds the n-th and the last weekday of a month', () => {
    assert.strictEqual(nthWeekday(2024, 3, 0, 2), '2024-03-10')
    assert.strictEqual(nthWeekday(2024, 11, 0, 1), '2024-11-03')
    assert.strictEqual(nthWeekday(2006, 10, 0, -1), '2006-10-29')
    assert.strictEqual(nthWeekday(2021, 5, 1, -1), '2021-05-31')
  })

  it('knows the federal holidays', () => {
    const holidays = [
      '2024-01-01',
      '2024-01-15',
      '2024-02-19',
      '2024-05-27',
      '2024-06-19',
      '2024-07-04',
      '2024-09-02',
      '2024-10-14',
      '2024-11-11',
      '2024-11-28',
      '2024-12-25',
      // Observed on the Friday before or the Monday after.
      '2020-07-03',
      '2021-06-18',
      '2021-07-05',
      '2021-12-24',
      '2021-12-31',
      '2022-06-20',
      '2022-12-26',
      '2023-01-02',
    ]
    for (const date of holidays) assert.isFalse(isBusinessDay(date), date)
    const open = [
      '2020-06-19',
      '2024-01-08',
      '2024-01-22',
      '2024-05-20',
      '2024-11-21',
      '2024-11-29',
      '2024-12-24',
      '2024-09-09',
      '2024-10-07',
      '2024-02-26',
      '2021-12-27',
    ]
    for (const date of open) assert.isTrue(isBusinessDay(date), date)
    assert.isFalse(isBusinessDay('2024-07-06'))
    assert.isFalse(isBusinessDay('2024-07-07'))
  })

  it('has ten weekday holidays a year, eleven since 2021; a 1 January observed in December counts there', () => {
    for (let year = 2000; year <= 2060; year += 1) {
      let closed = 0
      for (let day = dayNumber(`${year}-01-01`); day <= dayNumber(`${year}-12-31`); day += 1) {
        const weekday = weekdayOf(dateOfDay(day))
        if (weekday !== 0 && weekday !== 6 && !isBusinessDay(dateOfDay(day))) closed += 1
      }
      const newYear = (weekdayOf(`${year}-01-01`) === 6 ? -1 : 0) + (weekdayOf(`${year + 1}-01-01`) === 6 ? 1 : 0)
      assert.strictEqual(closed, (year >= 2021 ? 11 : 10) + newYear, String(year))
    }
  })

  it('steps over weekends and holidays', () => {
    assert.strictEqual(nextBusinessDay('2024-07-03'), '2024-07-05')
    assert.strictEqual(nextBusinessDay('2024-07-05'), '2024-07-08')
    assert.strictEqual(nextBusinessDay('2024-07-06'), '2024-07-08')
    assert.strictEqual(nextBusinessDay('2024-12-31'), '2025-01-02')
  })
})

describe('months', () => {
  it('keep the day of the month where there is one', () => {
    const cases: [from: string, months: number, to: string][] = [
      ['2024-03-15', 1, '2024-04-15'],
      ['2024-03-15', -3, '2023-12-15'],
      ['2024-12-31', 2, '2025-02-28'],
      ['2023-12-31', 2, '2024-02-29'],
      ['2024-03-31', -1, '2024-02-29'],
      ['2024-05-31', 1, '2024-06-30'],
      ['2024-01-31', -1, '2023-12-31'],
      ['2024-07-04', 0, '2024-07-04'],
    ]
    for (const [from, count, to] of cases) assert.strictEqual(addMonths(from, count), to)
  })

  it('add 12 months as one year', () => {
    for (const date of ['2024-02-29', '2023-02-28', '2024-12-31']) {
      for (const years of [-4, -2, -1, 1]) {
        assert.strictEqual(addMonths(date, 12 * years), addYears(date, years))
        assert.strictEqual(
          addMonths(addMonths(date.slice(0, 8) + '15', 12 * years + 5), -5),
          addYears(date.slice(0, 8) + '15', years),
        )
      }
    }
  })
})
