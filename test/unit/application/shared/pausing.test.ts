// Long work that pauses: everything comes in order, what waits has its turn in between, and of several pieces of long
// work one at a time.
import { assert } from 'chai'
import { pausing } from '../../../../src/application/shared/pausing.ts'

/** Returns the items as they came, and where in between something else had its turn. */
async function seenBy(items: number[], most: number, weight?: (item: number) => number): Promise<(number | 'other')[]> {
  const seen: (number | 'other')[] = []
  await besideOther(seen, async () => {
    for await (const item of pausing(items, most, weight)) seen.push(item)
  })
  return seen
}

/** Notes every turn of something else while the work runs. */
async function besideOther(seen: unknown[], work: () => Promise<unknown>): Promise<void> {
  let other = setImmediate(function again() {
    seen.push('other')
    other = setImmediate(again)
  })
  await work()
  clearImmediate(other)
}

describe('pausing', () => {
  it('lets what waits have its turn after as many items as are allowed', async () => {
    assert.deepStrictEqual(await seenBy([1, 2, 3, 4, 5], 2), [1, 2, 'other', 3, 4, 'other', 5])
  })

  it('counts items by their weight, and takes one that is too heavy alone', async () => {
    const itself = (item: number) => item

    assert.deepStrictEqual(await seenBy([1, 2, 9, 3, 1], 4, itself), [1, 2, 'other', 9, 'other', 3, 1])
  })

  it('lets one of several loops continue in each turn', async () => {
    const seen: string[] = []
    const loop = async (name: string) => {
      for await (const item of pausing([1, 2, 3], 1)) seen.push(`${name}${item}`)
    }

    await besideOther(seen, () => Promise.all([loop('a'), loop('b')]))

    assert.deepStrictEqual(seen, ['a1', 'b1', 'other', 'a2', 'other', 'b2', 'other', 'a3', 'other', 'b3'])
  })
})
