// Scales, ticks and marks of the dashboard's pictures.
import { assert } from 'chai'
import { markWords, marksOf, monthsOf, spanOf } from '../../../src/web/chart/marks.ts'
import { dayLabel, dayNumber, dayScale, monthTicks, valueScale } from '../../../src/web/chart/scale.ts'
import { example } from '../../support/http/example-service.ts'

const DETAIL = {
  insiderCik: '0009900002',
  tradeDate: '2030-03-01',
  tradeDateStatus: 'plausible',
  sharesStatus: 'as_filed',
  priceStatus: 'as_filed',
  plan10b51: 'no',
}
const row = (changes: object = {}, detail: object = {}) => ({
  ...example('feed-page').data.transactions[0],
  shares: 100,
  pricePerShare: 10,
  totalValue: 1_000,
  ...changes,
  detail: { ...DETAIL, ...detail },
})

describe('the pictures of the dashboard', () => {
  it('have values in a line, by logarithm from ten times on, all within the picture', () => {
    for (const [values, ticks] of [
      [
        [18, 24],
        [18, 20, 22, 24],
      ],
      [
        [10, 1_000],
        [10, 20, 50, 100, 200, 500, 1_000],
      ],
      [[5], [4, 5, 6]],
      [
        [0.01, 5_000],
        [0.01, 0.1, 1, 10, 100, 1_000],
      ],
    ] as const) {
      const scale = valueScale(values, [200, 0])
      for (const value of values) {
        assert.isAtMost(scale(value), 200)
        assert.isAtLeast(scale(value), 0)
      }
      assert.includeMembers(
        [...scale.ticks],
        ticks.filter((tick) => scale(tick) >= 0 && scale(tick) <= 200),
      )
      assert.isAtMost(scale.ticks.length, 9)
      assert.isAtLeast(scale.ticks.length, 2)
      for (const tick of scale.ticks) assert.isTrue(scale(tick) >= 0 && scale(tick) <= 200, `${tick}`)
    }
  })

  it('have days, months or years at the foot, no more than fit', () => {
    for (const [from, to, labels] of [
      ['2030-03-01', '2030-03-15', ['1 Mar 2030', '3 Mar', '5 Mar']],
      ['2029-11-15', '2030-05-15', ['Dec 2029', 'Jan 2030', 'Feb']],
      ['2010-06-01', '2030-05-15', ['2012', '2014']],
    ] as const) {
      const scale = dayScale(dayNumber(from), dayNumber(to), [0, 1_000])
      assert.strictEqual(scale(dayNumber(to)), 1_000)
      assert.isAtMost(scale.ticks.length, 15)
      const shown = scale.ticks.map((tick) => dayLabel(tick, scale.ticks))
      assert.includeOrderedMembers(shown, [...labels])
    }
  })

  it('have one mark of a person, a day and a direction, and none without a plausible price', () => {
    const { marks, leftOut } = marksOf([
      row(),
      row({ shares: 300, pricePerShare: 14, totalValue: 4_200 }),
      row({ transactionType: 'sell' }, { plan10b51: 'yes' }),
      row({}, { tradeDate: '2030-03-04' }),
      row({}, { tradeDate: '9030-03-04', tradeDateStatus: 'impossible' }),
      row({}, { tradeDate: '2029-03-04', tradeDateStatus: 'doubtful' }),
      row({}, { priceStatus: 'suspect' }),
      row({}, { priceStatus: 'foreign' }),
      row({ transactionType: 'award' }),
    ])
    assert.strictEqual(leftOut, 2)
    assert.deepEqual(
      marks.map(({ day, isBuy, isPlan, isFiledDay, shares, value, price, rows }) => [
        day,
        isBuy ? 'buy' : 'sell',
        isPlan,
        isFiledDay,
        shares,
        value,
        price,
        rows,
      ]),
      [
        ['2030-03-01', 'buy', false, false, 400, 5_200, 13, 2],
        ['2030-03-01', 'sell', true, false, 100, 1_000, 10, 1],
        ['2030-03-04', 'buy', false, false, 100, 1_000, 10, 1],
        ['2030-03-04', 'buy', false, true, 200, 2_000, 10, 2],
      ],
    )
    assert.strictEqual(
      markWords(marks[0]!),
      '2030-03-01: Pat Q. Placeholder (Chief Executive Officer, Director) bought 400 at an average of $13.00 in 2 trades, $5.2K',
    )
    assert.deepEqual(spanOf(marks), { from: dayNumber('2030-02-24'), to: dayNumber('2030-03-09') })
  })

  it('have every month from the first trade to the last', () => {
    const { marks } = marksOf([row(), row({ transactionType: 'sell' }, { tradeDate: '2030-05-02' })])
    assert.deepEqual(monthsOf(marks), [
      { month: '2030-03', buys: 1, sells: 0, bought: 1_000, sold: 0 },
      { month: '2030-04', buys: 0, sells: 0, bought: 0, sold: 0 },
      { month: '2030-05', buys: 0, sells: 1, bought: 0, sold: 1_000 },
    ])
    assert.deepEqual(monthsOf([]), [])
  })

  it('name months so that labels do not meet, the first of a year with it', () => {
    const months = Array.from(
      { length: 30 },
      (_, index) => `${2029 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`,
    )
    for (const [step, labels] of [
      [80, ['Jan 2029', 'Feb', 'Mar']],
      [25, ['Jan 2029', 'Apr', 'Jul', 'Oct', 'Jan 2030', 'Apr']],
      [6, ['2029', '2030', '2031']],
    ] as const) {
      const ticks = monthTicks(months, step)
      assert.includeOrderedMembers(
        ticks.map((tick) => dayLabel(tick, ticks)),
        [...labels],
      )
    }
    assert.deepEqual(monthTicks(['2030-02'], 48), [dayNumber('2030-02-01')])
  })
})
