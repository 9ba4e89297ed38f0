// The count of requests that a process makes alone: how many a caller has left, and when it may call again.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { requestCounter } from '../../../../../src/infrastructure/http/rate-limit/limit-rate.ts'

const WINDOW_SECONDS = 0.9

describe('the count of a process alone', () => {
  it("refuses requests above the limit until the caller's window ends", async () => {
    const count = requestCounter({ requests: 2, seconds: WINDOW_SECONDS })
    const asked = async (address: string) => (await count({ address, keyId: undefined }))!
    const before = [await asked('192.0.2.1'), await asked('192.0.2.1'), await asked('192.0.2.1')]
    assert.deepEqual(
      before.map(({ refused }) => refused),
      [false, false, true],
    )
    assert.deepEqual(
      before.map(({ headers }) => headers.RateLimit),
      ['"default";r=1;t=1', '"default";r=0;t=1', '"default";r=0;t=1'],
    )
    assert.deepEqual(
      before.map(({ headers }) => headers['Retry-After']),
      [undefined, undefined, '1'],
    )
    assert.isFalse((await asked('192.0.2.2')).refused)

    await sleep(WINDOW_SECONDS * 1_000 + 50)

    assert.isFalse((await asked('192.0.2.1')).refused)
  })
})
