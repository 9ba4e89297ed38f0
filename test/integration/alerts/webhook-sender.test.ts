// The webhook sender against misbehaving receivers on this machine: every attempt ends by its deadline with an outcome.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { newWebhookSecret } from '../../support/webhooks/secret.ts'
import { answerOf, type RawReceiverOptions } from '../../support/webhooks/raw-receiver.ts'
import { BODY, SHORT_MS, told, webhookSending } from '../../support/webhooks/sending.ts'

describe('the webhook sender', () => {
  const { receiver, sender, send } = webhookSending()

  it('posts what both clients of Standard Webhooks verify', async () => {
    const there = await receiver((socket) => socket.write(answerOf(200, 'thanks')))
    const [secret, before] = [newWebhookSecret(), newWebhookSecret()]
    const started = Date.now()
    const attempt = await sender().send({
      id: 'msg_7',
      url: `${there.url}?token=a%20b#part`,
      body: BODY,
      secrets: [secret, before],
    })
    assert.deepEqual(told(attempt), [200, 'thanks'])
    assert.isAtLeast(attempt.at, started)
    assert.isAtMost(attempt.at, Date.now())
    assert.isAbove(attempt.milliseconds, 0)
    const [request] = there.requests
    assert.strictEqual(request!.head, 'POST /hook?token=a%20b HTTP/1.1')
    for (const Client of [StandardWebhook, SvixWebhook]) {
      for (const one of [secret, before]) new Client(one).verify(request!.body, request!.headers)
    }
    assert.strictEqual(request!.body.toString(), BODY)
    const { 'webhook-signature': signature, 'webhook-timestamp': timestamp, ...rest } = request!.headers
    assert.strictEqual(signature!.split(' ').length, 2)
    assert.closeTo(Number(timestamp), started / 1000, 5)
    assert.deepEqual(rest, {
      'webhook-id': 'msg_7',
      host: `127.0.0.1:${there.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'user-agent': 'insider-trading-data-service/1.2.3',
      'accept-encoding': 'identity',
    })
  })

  it('reuses a connection without returning cookies, and closes it when the sender closes', async () => {
    const there = await receiver((socket) => socket.write(answerOf(204, '', { 'set-cookie': 'a=b' })))
    const through = sender()
    for (let count = 0; count < 3; count += 1) assert.deepEqual(told(await send(there.url, through)), [204, ''])
    assert.strictEqual(there.connections, 1)
    assert.isUndefined(there.requests[2]!.headers.cookie)
    await through.close()
    await there.allClosed()
  })

  it('closes an idle connection, but not one that waits for its answer', async () => {
    const there = await receiver((socket) => setTimeout(() => socket.write(answerOf(200)), 150))
    const through = sender({ idleMs: 50 })
    assert.deepEqual(told(await send(there.url, through)), [200, ''])
    await there.allClosed()
    assert.deepEqual(told(await send(there.url, through)), [200, ''])
    assert.strictEqual(there.connections, 2)
  })

  it('ignores proxies named in the environment', async () => {
    const [there, proxy] = [
      await receiver((socket) => socket.write(answerOf(200))),
      await receiver((socket) => socket.write(answerOf(200))),
    ]
    const names = [
      'http_proxy',
      'HTTP_PROXY',
      'https_proxy',
      'HTTPS_PROXY',
      'all_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ]
    const saved = names.map((name) => process.env[name])
    try {
      for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
      process.env.NODE_USE_ENV_PROXY = '1'
      assert.deepEqual(told(await send(there.url)), [200, ''])
    } finally {
      names.forEach((name, at) => {
        delete process.env[name]
        if (saved[at] !== undefined) process.env[name] = saved[at]
      })
    }
    assert.deepEqual([there.connections, proxy.connections], [1, 0])
  })

  describe('reports status and Retry-After', () => {
    const date = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()
    const cases: [status: number, header: string | null, seconds: number | null, inSeconds?: number][] = [
      [200, null, null],
      [201, null, null],
      [299, null, null],
      [304, null, null],
      [400, null, null],
      [404, null, null],
      [410, null, null],
      [410, '5', 5],
      [429, '120', 120],
      [429, ' 0 ', 0],
      [503, '3600', 3600],
      [503, 'date ahead', 90, 90],
      [503, 'date past', 0, -90],
      [503, 'tomorrow', null],
      [503, '-5', null],
      [503, '1.5', null],
      [503, '9'.repeat(400), null],
      [503, '2026-11-21', null],
    ]
    for (const [status, header, seconds, inSeconds] of cases) {
      it(`${status} with ${header === null ? 'none' : header.slice(0, 40)}`, async () => {
        const sent = inSeconds === undefined ? header : date(inSeconds)
        const there = await receiver((socket) =>
          socket.write(answerOf(status, '', sent === null ? {} : { 'retry-after': sent })),
        )
        const { outcome } = await send(there.url)
        assert(outcome.kind === 'answered')
        assert.strictEqual(outcome.status, status)
        if (seconds === null) assert.isNull(outcome.retryAfterSeconds)
        else assert.closeTo(outcome.retryAfterSeconds!, seconds, seconds === inSeconds ? 30 : 0)
      })
    }
  })

  describe('is done with a receiver that', () => {
    /** Sends once, sees the connection closed, and gives status or error, the answer's body and the connections. */
    async function ended(
      answer: (socket: Socket) => void,
      { deadlineMs, ...options }: RawReceiverOptions & { deadlineMs?: number } = {},
    ) {
      const there = await receiver(answer, options)
      const attempt = await send(there.url, sender(deadlineMs === undefined ? {} : { deadlineMs }))
      assert.isBelow(attempt.milliseconds, 15_000)
      await there.allClosed()
      return [...told(attempt), there.connections]
    }
    const drip =
      (text: string, everyMs = 40) =>
      (socket: Socket) => {
        let at = 0
        const timer = setInterval(() => socket.write(text[at++ % text.length]!), everyMs)
        socket.once('close', () => clearInterval(timer))
      }

    it('never answers', async () => {
      assert.deepEqual(await ended(() => {}, { deadlineMs: SHORT_MS }), ['timeout', null, 1])
    })

    it('sends its head byte by byte', async () => {
      const dripped = await ended(drip('HTTP/1.1 200 OK\r\nx: y\r\n'), { deadlineMs: SHORT_MS })
      assert.deepEqual(dripped, ['timeout', null, 1])
    })

    it('sends its body byte by byte, which counts as success', async () => {
      const [status, body, connections] = await ended(
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
          drip('a')(socket)
        },
        { deadlineMs: 3_000 },
      )
      assert.deepEqual([status, connections], [200, 1])
      assert.match(body as string, /^a+$/)
    })

    it('sends a body byte by byte after a refusal', async () => {
      const [status] = await ended(
        (socket) => {
          socket.write('HTTP/1.1 500 Oh\r\ncontent-length: 1000\r\n\r\n')
          drip('a')(socket)
        },
        { deadlineMs: 3_000 },
      )
      assert.strictEqual(status, 500)
    })

    it('never ends its body, of which 16 KiB are kept', async () => {
      const [status, body] = await ended((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const more = (): void => {
          while (socket.writable && socket.write(`3e8\r\n${'b'.repeat(1000)}\r\n`));
          if (socket.writable) socket.once('drain', more)
        }
        more()
      })
      assert.strictEqual(status, 200)
      assert.strictEqual(body, 'b'.repeat(16 * 1024))
    })

    it('sends exactly 16 KiB', async () => {
      const there = await receiver((socket) => socket.write(answerOf(200, 'c'.repeat(16 * 1024))))
      assert.deepEqual(told(await send(there.url)), [200, 'c'.repeat(16 * 1024)])
    })

    it('sends heads without a status, slowly or in numbers', async () => {
      const hints = (everyMs: number) => (socket: Socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), everyMs)
        socket.once('close', () => clearInterval(timer))
      }
      assert.deepEqual(await ended(hints(100), { deadlineMs: SHORT_MS }), ['timeout', null, 1])
      assert.deepEqual(await ended(hints(1)), ['too many 1xx answers', null, 1])
    })

    it('sends 1,000 headers', async () => {
      const headers = (length: number) => `${`x: ${'y'.repeat(length)}\r\n`.repeat(1000)}content-length: 0\r\n\r\n`
      assert.deepEqual(await ended((socket) => socket.end(`HTTP/1.1 200 OK\r\n${headers(1)}`)), [200, '', 1])
      assert.deepEqual(await ended((socket) => socket.write(`HTTP/1.1 200 OK\r\n${headers(20)}`)), [
        'too many headers',
        null,
        1,
      ])
    })

    it('sends a huge header, or headers without end', async () => {
      const huge = (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`)
      assert.deepEqual(await ended(huge), ['too many headers', null, 1])
      assert.deepEqual(
        await ended((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n')
          const timer = setInterval(() => socket.write('a: b\r\n'.repeat(1000)), 5)
          socket.once('close', () => clearInterval(timer))
        }),
        ['too many headers', null, 1],
      )
    })

    it('resets at once', async () => {
      assert.deepEqual(await ended(() => {}, { onConnection: (socket) => socket.resetAndDestroy() }), [
        'connection reset',
        null,
        1,
      ])
    })

    it('resets or ends after it has read', async () => {
      assert.deepEqual(await ended((socket) => socket.resetAndDestroy()), ['connection reset', null, 1])
      assert.deepEqual(await ended((socket) => socket.end()), ['connection reset', null, 1])
      assert.deepEqual(await ended((socket) => socket.end('HTTP/1.1 200')), ['connection reset', null, 1])
    })

    it('resets or ends after its head, which counts', async () => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nab'
      const reset = await ended((socket) => socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 50)))
      assert.deepEqual(reset, [200, 'ab', 1])
      assert.strictEqual((await ended((socket) => socket.end(head)))[0], 200)
      const garbled = 'HTTP/1.1 202 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n'
      assert.strictEqual((await ended((socket) => socket.write(garbled)))[0], 202)
    })

    it('speaks something else', async () => {
      for (const text of [
        'SSH-2.0-OpenSSH_9.2\r\n',
        '-ERR unknown command\r\n',
        '\x00\x01\x02\x03',
        'HTTP/9.9 200 OK\r\n\r\n',
        'HTTP/1.1 abc OK\r\n\r\n',
        'HTTP/1.1 200 OK\r\nbad header\r\n\r\n',
        'HTTP/1.1 200 OK\r\na: b\x00c\r\n\r\n',
      ]) {
        assert.deepEqual(await ended((socket) => socket.write(text)), ['not http', null, 1], JSON.stringify(text))
      }
    })

    it('wants another protocol', async () => {
      const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
      assert.deepEqual(await ended((socket) => socket.write(upgrade)), [101, '', 1])
    })

    it('answers twice, where the second answer is ignored', async () => {
      const there = await receiver((socket, _, number) => {
        if (number === 1) socket.write(answerOf(200, 'one') + answerOf(201, 'forged'))
      })
      const through = sender({ deadlineMs: 2_000 })
      assert.deepEqual(told(await send(there.url, through)), [200, 'one'])
      assert.deepEqual(told(await send(there.url, through)), ['timeout', null])
    })

    it('sends compressed bodies, which are kept as they came', async () => {
      const text = Buffer.alloc(1_000_000)
      for (const [encoding, packed] of [
        ['br', brotliCompressSync(text)],
        ['gzip', gzipSync(text)],
        ['deflate', Buffer.from('no deflate')],
      ] as const) {
        const there = await receiver((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${packed.length}\r\n\r\n`)
          socket.write(packed)
        })
        const { outcome, answer } = await send(there.url)
        assert.deepEqual(outcome, { kind: 'answered', status: 200, retryAfterSeconds: null })
        assert.isTrue(answer!.equals(packed), encoding)
      }
    })

    it('is not there', async () => {
      const gone = createServer().listen(0, '127.0.0.1')
      await once(gone, 'listening')
      const { port } = gone.address() as AddressInfo
      await once(gone.close(), 'close')
      assert.deepEqual(told(await send(`http://127.0.0.1:${port}/`)), ['connection refused', null])
    })

    it('hangs, without delaying others', async () => {
      const [hanging, well] = [await receiver(() => {}), await receiver((socket) => socket.write(answerOf(200)))]
      const through = sender()
      let ended = 0
      const hung = Array.from({ length: 50 }, () =>
        send(hanging.url, through).then((attempt) => {
          ended += 1
          return attempt
        }),
      )
      for (let count = 0; count < 50; count += 1) assert.deepEqual(told(await send(well.url, through)), [200, ''])
      while (hanging.requests.length < 50) await wait(5)
      assert.strictEqual(ended, 0)
      await hanging.close()
      for (const attempt of await Promise.all(hung)) assert.deepEqual(told(attempt), ['connection reset', null])
    })
  })

  describe('sends a second time', () => {
    it('after a reset of a reused connection without an answer, under the same id', async () => {
      for (const end of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
        const there = await receiver((socket, _, number) => (number === 2 ? end(socket) : socket.write(answerOf(200))))
        const through = sender()
        assert.deepEqual(told(await send(there.url, through, 'msg_1')), [200, ''])
        assert.deepEqual(told(await send(there.url, through, 'msg_2')), [200, ''])
        assert.deepEqual(
          there.requests.map(({ headers }) => headers['webhook-id']),
          ['msg_1', 'msg_2', 'msg_2'],
        )
        assert.strictEqual(there.connections, 2)
      }
    })

    it('once only', async () => {
      const there = await receiver((socket, _, number) =>
        number > 1 ? socket.resetAndDestroy() : socket.write(answerOf(200)),
      )
      const through = sender()
      await send(there.url, through)
      assert.deepEqual(told(await send(there.url, through)), ['connection reset', null])
      assert.strictEqual(there.requests.length, 3)
    })

    it('not after a part of the answer', async () => {
      const there = await receiver((socket, _, number) =>
        number > 1
          ? socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 50))
          : socket.write(answerOf(200)),
      )
      const through = sender()
      await send(there.url, through)
      assert.deepEqual(told(await send(there.url, through)), ['connection reset', null])
      assert.strictEqual(there.requests.length, 2)
    })
  })

  it("returns an outcome for a webhook that can't be sent", async () => {
    const through = sender()
    const there = await receiver((socket) => socket.write(answerOf(200)))
    assert.deepEqual(told(await send('no address', through)), ['refused address', null])
    const badSecret = await through.send({ id: 'msg_1', url: there.url, body: BODY, secrets: ['whsec_'] })
    assert.deepEqual(told(badSecret), ['request failed', null])
    assert.deepEqual(told(await send(there.url, through, 'a\r\nb: c')), ['request failed', null])
    assert.strictEqual(there.requests.length, 0)
  })

  it('waits for requests in flight before it closes', async () => {
    const there = await receiver((socket) => setTimeout(() => socket.write(answerOf(200)), 100))
    const through = sender()
    const sent = send(there.url, through)
    await wait(20)
    await through.close()
    assert.deepEqual(told(await sent), [200, ''])
    await there.allClosed()
  })
})
