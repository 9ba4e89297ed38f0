// Long work that pauses: everything comes in order, and what waits has its turn in between.
import { assert } from 'chai'
import { pausing } from '../../../../src/application/shared/pausing.ts'

/** Returns the items as they came, and where in between something else had its turn. */
async function seenBy(items: number[], most: number, weight?: (item: number) => number): Promise<(number | 'other')[]> {
  const seen: (number | 'other')[] = []
  let other = setImmediate(function again() {
    seen.push('other')
    other = setImmediate(again)
  })
  for await (const item of pausing(items, most, weight)) seen.push(item)
  clearImmediate(other)
  return seen
}

describe('pausing', () => {
  it('lets what waits have its turn after as many items as are allowed', async () => {
    assert.deepStrictEqual(await seenBy([1, 2, 3, 4, 5], 2), [1, 2, 'other', 3, 4, 'other', 5])
  })

  it('counts items by their weight, and takes one that is too heavy alone', async () => {
    const itself = (item: number) => item

    assert.deepStrictEqual(await seenBy([1, 2, 9, 3, 1], 4, itself), [1, 2, 'other', 9, 'other', 3, 1])
  })
})
