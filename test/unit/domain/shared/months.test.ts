import { assert } from 'chai'
import { addYears } from '../../../../src/domain/shared/calendar.ts'
import { addMonths } from '../../../../src/domain/shared/months.ts'

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

  it('agree with years', () => {
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
