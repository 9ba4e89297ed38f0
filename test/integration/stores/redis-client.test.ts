// The Redis client when the service closes it during a failed start, before it is connected.
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { openRedis } from '../../../src/infrastructure/redis/client.ts'

describe('the Redis client', () => {
  it('reports an error if Redis does not answer, and none if it is closed while it connects', async () => {
    const faults: string[] = []
    const greeted = Promise.withResolvers<void>()
    const silent = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => greeted.resolve())
    })
      .listen(0, '127.0.0.1')
      .unref()
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const client = openRedis(`redis://127.0.0.1:${port}`, (error) => void faults.push(error.message))
    await greeted.promise
    client.destroy()
    await sleep(50)
    assert.deepEqual(faults, [])
    silent.close()

    const refused = openRedis('redis://127.0.0.1:1', (error) => void faults.push(error.message))
    for (let tries = 0; tries < 1_000 && faults.length === 0; tries += 1) await sleep(20)
    refused.destroy()
    assert.include(faults[0], 'ECONNREFUSED')
  })
})
