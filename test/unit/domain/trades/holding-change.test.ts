// What a trade did to a holding, by the balance of its own row, and which of it the filter of transactions finds.
import { assert } from 'chai'
import { holdingChange, holdingChangeKind } from '../../../../src/domain/trades/holding-change.ts'
import { passes, type FilterFacts } from '../../../../src/domain/trades/transaction-filter.ts'

type Row = Parameters<typeof holdingChangeKind>[0]

const row = (acquiredDisposed: string, shares: string, sharesAfter: string | null): Row => ({
  acquiredDisposed,
  shares,
  sharesAfter,
  sharesStatus: 'as_filed',
})

describe('the kind of change of a holding', function () {
  const cases: [what: string, of: Row, kind: string, change: number | null][] = [
    ['is new where all that is held after a purchase was bought', row('A', '100', '100'), 'new', null],
    ['is new by the number, however it is typed', row('A', '100.10', '100.1000'), 'new', null],
    ['is changed by a further purchase', row('A', '100', '400'), 'changed', 0.3333],
    ['is changed by a sale of a part', row('D', '100', '300'), 'changed', -0.25],
    ['is changed where a sale leaves next to nothing', row('D', '99999999', '1'), 'changed', -1],
    ['is closed by a sale of all', row('D', '100', '0'), 'closed', -1],
    ['is changed by a row of no shares', row('A', '0', '400'), 'changed', 0],
    ['is unknown without a balance', row('A', '100', null), 'unknown', null],
    ['is unknown where the row names no direction', row('', '100', '100'), 'unknown', null],
    ['is unknown where less is held than was acquired', row('A', '100', '40'), 'unknown', null],
    ['is unknown where nothing is held after an acquisition', row('A', '100', '0'), 'unknown', null],
    ['is unknown of no shares where none are held', row('D', '0', '0'), 'unknown', null],
    [
      'is unknown where the number of shares is marked',
      { ...row('A', '36', '36'), sharesStatus: 'suspect' },
      'unknown',
      null,
    ],
  ]
  for (const [what, of, kind, change] of cases)
    it(what, function () {
      assert.deepEqual([holdingChangeKind(of), holdingChange(of)], [kind, change])
    })

  it('that is new is above every least change, and within no greatest one', function () {
    const facts = { holdingChange: null, newHolding: true } as FilterFacts
    const found = (min: number | undefined, max: number | undefined) =>
      passes({ holdingChange: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) } }, facts)
    assert.deepEqual([found(-1, undefined), found(1e9, undefined)], [true, true])
    assert.deepEqual([found(undefined, 1e9), found(0, 1e9)], [false, false])
    assert.isFalse(passes({ holdingChange: { min: -1 } }, { ...facts, newHolding: false }), 'unknown')
  })
})
