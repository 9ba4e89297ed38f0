// Memory given back: what nothing refers to any more is out of the heap.
import { assert } from 'chai'
import { freeMemory } from '../../../src/service/free-memory.ts'

describe('freeing memory', () => {
  it('lets go of what nothing refers to', async () => {
    const dropped = new WeakRef({ large: Array.from({ length: 1_000_000 }, (_, index) => ({ index })) })
    // A reference lasts until the present job of the event loop ends.
    await new Promise((resolve) => setTimeout(resolve))

    await freeMemory()

    assert.isUndefined(dropped.deref())
  })
})
