import { assert } from 'chai'
import { nextBatchSize } from '../../../../src/application/shared/batch-size.ts'

const LIMITS = { trades: 1_000, items: 100 }

describe('the size of the next batch', () => {
  const after = (planned: number, items: number, trades: number) => nextBatchSize(planned, { items, trades }, LIMITS)

  it('grows at most fourfold, up to the limit of items', () => {
    assert.strictEqual(after(10, 10, 0), 40)
    assert.strictEqual(after(40, 40, 0), 100)
  })

  it('follows the trades of the last batch', () => {
    assert.strictEqual(after(10, 10, 1_000), 10)
    assert.strictEqual(after(10, 10, 500), 20)
    assert.strictEqual(after(10, 10, 5_000), 2)
  })

  it('is never below one', () => assert.strictEqual(after(1, 1, 1_000_000), 1))

  it('stays as planned after a batch that was smaller, unless that had too many trades', () => {
    assert.strictEqual(after(50, 1, 1), 50)
    assert.strictEqual(after(50, 1, 1_000), 50)
    assert.strictEqual(after(50, 5, 2_000), 3)
  })
})
