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

  it('leaves little more than what is in use', async () => {
    for (let round = 0; round < 10; round += 1) {
      const dropped = Array.from({ length: 200_000 }, (_, index) => ({ index }))
      await new Promise((resolve) => setTimeout(resolve, dropped.length > 0 ? 1 : 0))
    }

    await freeMemory()

    const { heapTotal, heapUsed } = process.memoryUsage()
    assert.isBelow(heapTotal, heapUsed + 16_000_000)
  })
})
