// Leader locks while PostgreSQL can't be reached: whoever starts then waits for it, as for other statements.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { assert } from 'chai'
import { ServiceError } from '../../../src/application/errors.ts'
import { tryAcquire } from '../../../src/infrastructure/postgres/coordination/leader-lock.ts'
import { stores } from '../../support/stores/stores.ts'

describe('a leader lock', function () {
  this.timeout(60_000)

  it('is held by one connection at a time', async () => {
    const { databaseUrl } = await stores()
    const first = await tryAcquire(databaseUrl)
    try {
      assert.isNotNull(first)
      assert.isNull(await tryAcquire(databaseUrl))
    } finally {
      await first?.release()
    }
    const next = await tryAcquire(databaseUrl)
    assert.isNotNull(next)
    await next.release()
  })

  it('is unavailable while PostgreSQL refuses connections, or accepts them and does not answer', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const failure = () =>
      tryAcquire(`postgres://insider:secret@127.0.0.1:${port}/insider`).then(
        () => assert.fail('it was acquired'),
        (error: unknown) => error as ServiceError,
      )
    try {
      const silence = await failure()
      assert.instanceOf(silence, ServiceError)
      assert.strictEqual(silence.code, 'unavailable')
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
      await once(silent, 'close')
    }
    const refusal = await failure()
    assert.instanceOf(refusal, ServiceError)
    assert.strictEqual(refusal.code, 'unavailable')
  })
})
