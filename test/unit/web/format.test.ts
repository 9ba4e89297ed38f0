// Numbers, times and names as the dashboard shows them, and its words for the contract's codes.
import { assert } from 'chai'
import {
  age,
  change,
  endOfDay,
  filedAt,
  isEstimated,
  many,
  money,
  monthOf,
  price,
  shortDay,
} from '../../../src/web/format.ts'
import { flagsOf, lineState, REASONS, TYPE_LABELS } from '../../../src/web/words.ts'
import { contract } from '../../support/http/contract-client.ts'

describe('the words of the dashboard', () => {
  it('show money in three figures at most', () => {
    for (const [value, text] of [
      [0, '–'],
      [0.5, '$0.50'],
      [999, '$999'],
      [20_570, '$20.6K'],
      [149_000, '$149K'],
      [999_960, '$1M'],
      [1_203_187.5, '$1.2M'],
      [-2_400_000_000, '−$2.4B'],
      [3.1e12, '$3.1T'],
    ] as const) {
      assert.strictEqual(money(value), text)
    }
    assert.deepEqual([price(18.6125), price(7.1), price(0)], ['$18.6125', '$7.10', '–'])
  })

  it('count one thing or many', () => {
    assert.deepEqual(
      [0, 1, 1_200].map((value) => many(value, 'trade')),
      ['0 trades', '1 trade', '1,200 trades'],
    )
  })

  it('name months, and tell times that are estimated from known ones', () => {
    assert.deepEqual([monthOf('2023-01-15'), monthOf('2026-12')], ['January 2023', 'December 2026'])
    assert.isTrue(isEstimated('2026-11-06T03:00:00Z', 'filed-date'))
    assert.isFalse(isEstimated('2026-11-06T03:00:00Z', 'accepted'))
    assert.isTrue(isEstimated('2026-11-06T03:00:00Z'))
    assert.isFalse(isEstimated('2026-11-06T02:00:00Z'))
    assert.isFalse(isEstimated('2026-11-06T03:00:01Z'))
  })

  it('show changes of what is owned', () => {
    for (const [ratio, text] of [
      [null, ''],
      [0, '+0%'],
      [0.142, '+14%'],
      [-0.4, '−40%'],
      [0.004, '+0.4%'],
      [-1, '−100%'],
      [25, '>+999%'],
    ] as const) {
      assert.strictEqual(change(ratio), text)
    }
  })

  it('end a day of New York in summer and winter, on the days between, and none that is not over', () => {
    const now = Date.parse('2026-11-07T04:59:58Z')
    for (const [day, end] of [
      ['2026-07-01', '2026-07-02T03:59:59Z'],
      ['2026-03-08', '2026-03-09T03:59:59Z'],
      ['2026-11-01', '2026-11-02T04:59:59Z'],
      ['2026-11-05', '2026-11-06T04:59:59Z'],
      ['2026-11-06', undefined],
      ['2026-02-30', undefined],
      ['0002-02-01', undefined],
      ['', undefined],
    ] as const)
      assert.strictEqual(endOfDay(day, now), end, day)
  })

  it('show instants of New York or UTC, the day where it is another', () => {
    const now = Date.parse('2026-11-06T23:30:00Z')
    assert.strictEqual(filedAt('2026-11-06T23:02:30Z', 'ET', now), '18:02')
    assert.strictEqual(filedAt('2026-11-06T23:02:30Z', 'UTC', now), '23:02')
    assert.strictEqual(filedAt('2026-11-06T03:00:00Z', 'ET', now), '11-05 22:00')
    assert.strictEqual(filedAt('2025-12-31T12:00:00Z', 'UTC', now), '2025-12-31 12:00')
    assert.deepEqual([shortDay('2026-11-04', now), shortDay('2025-11-04', now)], ['11-04', '2025-11-04'])
    assert.deepEqual(
      [0, 89, 90, 5_399, 7_200, 1_123_200].map((seconds) => age(seconds)),
      ['0 s', '89 s', '2 min', '90 min', '2 h', '13 d'],
    )
  })

  it('name every code of the contract', () => {
    const { TransactionType, LeftOutTransaction } = contract.components.schemas
    assert.sameMembers(Object.keys(TYPE_LABELS), TransactionType.enum)
    assert.sameMembers(Object.keys(REASONS), LeftOutTransaction.properties.reason.enum)
    assert.deepEqual(flagsOf({}), [])
    const { enum: statuses } = contract.components.schemas.TransactionDetail.properties.tradeDateStatus
    const wordsOf = (tradeDateStatus: string) =>
      flagsOf({ detail: { tradeDateStatus } as any }).map(({ words }) => words)
    assert.deepEqual(statuses.map(wordsOf), [[], ['doubtful trade date'], ['impossible trade date']])
  })

  it('say what is known of a line of a position, whatever its state', () => {
    const line = { gapUnits: -1_200, since: '2026-03-02', staleSince: '2026-04-01' }
    const states: string[] = contract.components.schemas.PositionStatus.enum
    const words = states.map((status) => lineState({ ...line, status: status as 'gap' }))
    assert.deepEqual(Object.fromEntries(states.map((status, place) => [status, words[place]])), {
      exact: 'as reported',
      gap: '1,200 fewer than the report before explains',
      carried: 'not restated with the trade of 2026-04-01',
      old: 'nothing filed for 400 days by 2026-04-01',
      ended: 'nothing left since 2026-03-02',
      exited: 'reporting ended on 2026-03-02, so not known',
      expired: 'expired on 2026-03-02',
    })
    assert.strictEqual(lineState({ ...line, status: 'gap', gapUnits: 5 }), '5 more than the report before explains')
  })
})
