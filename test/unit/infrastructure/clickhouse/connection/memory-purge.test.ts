import { mock } from 'node:test'
import { assert } from 'chai'
import { MemoryPurge } from '../../../../../src/infrastructure/clickhouse/connection/memory-purge.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('memory of the engine', () => {
  let purges: PromiseWithResolvers<void>[]
  let memory: MemoryPurge
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    purges = []
    memory = new MemoryPurge(() => {
      const purge = Promise.withResolvers<void>()
      purges.push(purge)
      return purge.promise
    })
  })
  afterEach(() => mock.timers.reset())

  it('is given back once after long statements, and not after short ones', async () => {
    memory.ended(10)
    mock.timers.tick(60_000)
    assert.isEmpty(purges)
    memory.ended(200)
    mock.timers.tick(1_000)
    memory.ended(200)
    assert.isEmpty(purges)
    mock.timers.tick(14_000)
    assert.lengthOf(purges, 1)
    mock.timers.tick(60_000)
    assert.lengthOf(purges, 1)
  })

  it('is not given back again because that took long', async () => {
    memory.ended(200)
    mock.timers.tick(15_000)
    memory.ended(500)
    purges[0]!.resolve()
    await settled()
    mock.timers.tick(60_000)
    assert.lengthOf(purges, 1)
    memory.ended(200)
    mock.timers.tick(15_000)
    assert.lengthOf(purges, 2)
  })

  it('stays as it is when the store is closed', () => {
    memory.ended(200)
    memory.stop()
    mock.timers.tick(60_000)
    assert.isEmpty(purges)
  })
})
