// Shares status: numbers of shares that the holdings in the same filing contradict.
import { assert } from 'chai'
import { sharesStatuses } from '../../../../src/domain/trades/shares-status.ts'

type Line = [acquiredDisposed: 'A' | 'D', shares: string, sharesAfter: string, directIndirect?: string]
const statuses = (...rows: Line[]) =>
  sharesStatuses(
    rows.map(([acquiredDisposed, shares, sharesAfter, directIndirect = 'D']) => ({
      securityTitle: 'Common Stock',
      ...{ acquiredDisposed, shares, sharesAfter, directIndirect },
    })),
  ).join(' ')

describe('shares status', () => {
  it('is suspect where a thousand times or a thousandth of the shares leads from another balance', () => {
    assert.strictEqual(statuses(['A', '36000', '136000'], ['D', '36.000', '100000']), 'as_filed suspect')
    assert.strictEqual(statuses(['D', '36.000', '100000'], ['A', '36000', '136000']), 'suspect as_filed')
    assert.strictEqual(statuses(['D', '500', '99500'], ['A', '36000000', '135500']), 'as_filed suspect')
  })

  it('is as filed where the shares lead from another balance, or balances are missing', () => {
    assert.strictEqual(statuses(['D', '36', '100000']), 'as_filed')
    assert.strictEqual(statuses(['A', '36000', '136000'], ['D', '36000', '100000']), 'as_filed as_filed')
    assert.strictEqual(statuses(['A', '36000', '136000', 'I'], ['D', '36', '100000']), 'as_filed as_filed')
    assert.strictEqual(statuses(['D', '0', '100000'], ['D', '5', '100000']), 'as_filed as_filed')
  })
})
