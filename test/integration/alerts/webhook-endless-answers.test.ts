// The webhook sender against receivers whose answers never end: an attempt ends long before its deadline, with the
// outcome of the head if one arrived.
import tls from 'node:tls'
import { assert } from 'chai'
import {
  CHUNK_EXTENSIONS,
  CONTINUES,
  HEADERS,
  LONG_HINTS,
  pour,
  TINY_CHUNKS,
  TRAILERS,
  type Flood,
} from '../../support/stores/floods.ts'
import { answerOf } from '../../support/webhooks/raw-receiver.ts'
import { receiverCertificate } from '../../support/webhooks/receiver-certificate.ts'
import { told, webhookSending } from '../../support/webhooks/sending.ts'

/** Far above what any of these takes. */
const DEADLINE_MS = 20_000

describe('the webhook sender, answered without end', () => {
  const { receiver, sender, send } = webhookSending()
  const cases: [what: string, flood: Flood, outcome: string | number][] = [
    ['by 100 Continue', CONTINUES, 'too many 1xx answers'],
    ['by long 103 Early Hints', LONG_HINTS, 'too many headers'],
    ['by headers', HEADERS, 'too many headers'],
    ['by extensions of chunks', CHUNK_EXTENSIONS, 200],
    ['by chunks of a byte', TINY_CHUNKS, 200],
    ['by trailers', TRAILERS, 200],
  ]
  for (const [what, flood, outcome] of cases) {
    it(`${what}, is done at once`, async () => {
      const there = await receiver((socket) => pour(socket, flood))
      const attempt = await send(there.url, sender({ deadlineMs: DEADLINE_MS }))
      assert.strictEqual(told(attempt)[0], outcome)
      assert.isBelow(attempt.milliseconds, DEADLINE_MS / 2)
      await there.allClosed()
      assert.strictEqual(there.connections, 1)
    })
  }

  it('by 100 Continue over TLS, is done at once', async () => {
    const trusted = tls.getCACertificates('default')
    tls.setDefaultCACertificates([receiverCertificate.cert])
    try {
      const there = await receiver((socket) => pour(socket, CONTINUES), { tls: receiverCertificate })
      assert.deepEqual(told(await send(there.url, sender({ deadlineMs: DEADLINE_MS }))), ['too many 1xx answers', null])
    } finally {
      tls.setDefaultCACertificates(trusted)
    }
  })

  it('by a few 1xx answers before its own, takes that', async () => {
    const hints = 'HTTP/1.1 100 Continue\r\n\r\n' + 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(15)
    const there = await receiver((socket) => socket.write(hints + answerOf(200, 'thanks')))
    const through = sender({ deadlineMs: DEADLINE_MS })
    for (let count = 0; count < 3; count += 1) assert.deepEqual(told(await send(there.url, through)), [200, 'thanks'])
    assert.strictEqual(there.connections, 1)
  })

  it('on a kept connection, is done at once', async () => {
    const there = await receiver((socket, _, number) =>
      number === 1 ? socket.write(answerOf(204)) : pour(socket, CONTINUES),
    )
    const through = sender({ deadlineMs: DEADLINE_MS })
    assert.deepEqual(told(await send(there.url, through)), [204, ''])
    assert.deepEqual(told(await send(there.url, through)), ['too many 1xx answers', null])
    assert.strictEqual(there.requests.length, 2)
  })
})
