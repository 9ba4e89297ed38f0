// Connections of hostile or careless callers: endless bodies, heads without a Host, too many connections. Each gets an
// answer in the envelope if one can still reach it.
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { assert } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createProbeServer } from '../../../src/infrastructure/http/server.ts'
import { call, contractFaults } from '../../support/http/contract-client.ts'
import { EXAMPLE_KEY, startExampleService, type ExampleService } from '../../support/http/example-service.ts'
import { bodyOf, rawExchange, statusOf } from '../../support/http/raw-http.ts'

const KEY = `Authorization: Bearer ${EXAMPLE_KEY}`
const GOOD = '{"ticker":"EXMP"}'
const MB = 1_000_000
/** What lies in the buffers of a connection's two ends, at most, and what is read to let an answer through: 16 MiB. */
const MAX_TAKEN = 40 * MB

let service: ExampleService
const head = (lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const post = (...headers: string[]) =>
  head(['POST /v1/watchlist HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers])
const codeOf = (answer: string) => bodyOf(answer.slice(answer.lastIndexOf('HTTP/1.1'))).error.code

/**
 * Sends `text` and then zeros, up to `bytes`, until the connection ends; how many went out when the answer came, and
 * in all.
 */
async function flood(text: string, bytes: number, port = service.port) {
  const piece = Buffer.alloc(65_536, ' ')
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let atAnswer: number | null = null
  let isOver = false
  socket
    .on('data', (chunk) => {
      atAnswer ??= socket.bytesWritten
      chunks.push(chunk)
    })
    .on('close', () => {
      isOver = true
    })
    .on('error', () => {
      isOver = true
    })
  socket.write(text)
  for (let sent = 0; sent < bytes && !isOver; sent += piece.length) {
    // Each end of the loop also lets the server have its turn.
    if (socket.write(piece)) await new Promise(setImmediate)
    else await Promise.race(['drain', 'close'].map((event) => once(socket, event).catch(() => {})))
  }
  const sent = socket.bytesWritten
  if (!isOver) await once(socket, 'close').catch(() => {})
  return { answer: Buffer.concat(chunks).toString(), atAnswer, sent }
}

describe('HTTP connections', function () {
  this.timeout(30_000)
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  describe('a body over the limit', () => {
    it('is refused by its Content-Length before it is sent', async () => {
      for (const length of ['16385', '300000000', '99999999999999999999']) {
        const answer = await rawExchange(service.port, post(KEY, `Content-Length: ${length}`), 2_000)
        // Of more digits than node can count with it is no HTTP.
        assert.strictEqual(statusOf(answer), length.length > 15 ? 400 : 413, length)
        if (length.length <= 15) assert.strictEqual(codeOf(answer), 'body_too_large', length)
        assert.match(answer, /\r\nConnection: close\r\n/i)
      }
    })

    it('gets no 100 Continue, while a shorter body does', async () => {
      const long = post(KEY, 'Content-Length: 300000000', 'Expect: 100-continue')
      const refused = await rawExchange(service.port, long, 2_000)
      assert.match(refused, /^HTTP\/1\.1 413/)
      const keyless = await rawExchange(service.port, post('Content-Length: 17', 'Expect: 100-continue'), 2_000)
      assert.match(keyless, /^HTTP\/1\.1 401/)
      assert.match(keyless, /\r\nConnection: close\r\n/i)
      const asked = post(KEY, `Content-Length: ${GOOD.length}`, 'Expect: 100-continue', 'Connection: close')
      assert.match(await rawExchange(service.port, asked + GOOD), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/)
    })

    it('without a length is refused at the limit, and not read to the end', async () => {
      const { answer, atAnswer, sent } = await flood(`${post(KEY, 'Transfer-Encoding: chunked')}11e1a300\r\n`, 300 * MB)
      assert.deepEqual([statusOf(answer), codeOf(answer)], [413, 'body_too_large'])
      assert.isBelow(atAnswer!, MAX_TAKEN, 'bytes sent before the answer')
      assert.isBelow(sent, MAX_TAKEN, 'bytes taken in all')
    })

    it('is not read after any other refusal either', async () => {
      const cases: [string, number][] = [
        [post('Content-Length: 300000000'), 401],
        [post('Transfer-Encoding: chunked') + '11e1a300\r\n', 401],
        [post(KEY, 'Content-Encoding: gzip', 'Content-Length: 300000000'), 415],
        [head(['POST /v1/feed HTTP/1.1', 'Host: a', 'Content-Length: 300000000']), 405],
        [head(['PUT /nothing HTTP/1.1', 'Host: a', 'Content-Length: 300000000']), 404],
        [head(['GET /v1/feed HTTP/1.1', 'Host: a', 'Content-Length: 300000000']), 200],
        [head(['OPTIONS /v1/feed HTTP/1.1', 'Host: a', 'Content-Length: 300000000']), 204],
        [head(['HEAD /v1/feed HTTP/1.1', 'Host: a', 'Content-Length: 300000000']), 200],
      ]
      for (const [text, status] of cases) {
        const { answer, sent } = await flood(text, 300 * MB)
        assert.strictEqual(statusOf(answer), status, text)
        assert.isBelow(sent, MAX_TAKEN, text)
      }
    })

    it('reaches a caller that reads only when it has sent all', async () => {
      const socket = connect(service.port, '127.0.0.1')
      socket.pause()
      const failed = new Promise<never>((_, reject) => {
        socket.once('error', reject)
      })
      const send = (bytes: Buffer | string) =>
        new Promise<void>((resolve) => {
          socket.write(bytes, () => resolve())
        })
      const sent = send(post(KEY, `Content-Length: ${8 * MB}`)).then(() => send(Buffer.alloc(8 * MB, ' ')))
      await Promise.race([failed, sent])
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk)).resume()
      await Promise.race([failed, once(socket, 'end')])
      assert.strictEqual(statusOf(Buffer.concat(chunks).toString()), 413)
    })

    it('up to the limit leaves the connection open, even if it is refused', async () => {
      const body = (text: string) => `${post(KEY, `Content-Length: ${text.length}`)}${text}`
      const last = head(['GET /v1/feed HTTP/1.1', 'Host: a', 'Connection: close'])
      const answers = await rawExchange(service.port, body(GOOD) + body('{') + body(GOOD.padEnd(16_384)) + last)
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
      assert.deepEqual(statuses, ['201', '400', '201', '200'])
    })
  })

  it('a request needs exactly one well-formed Host header, else the envelope says so', async () => {
    const cases: [lines: string[], status: number][] = [
      [[], 400],
      [['Host: a', 'Host: a'], 400],
      [['Host: a', 'hOsT: b'], 400],
      [['Host: a b'], 400],
      [['Host: a/b'], 400],
      [['Host: user@a'], 400],
      [['Host: a, b'], 400],
      [['Host: a:b'], 400],
      [['Host: é'], 400],
      [['Host: a'], 200],
      [['Host: a:8080'], 200],
      [['Host: [::1]:8080'], 200],
      [['Host: 127.0.0.1'], 200],
      [['Host:'], 200],
    ]
    for (const path of ['/v1/feed', '/v1/watchlist', '/nothing']) {
      for (const [lines, status] of cases.filter(([, status]) => status === 400 || path === '/v1/feed')) {
        const answer = await rawExchange(service.port, head([`GET ${path} HTTP/1.1`, 'Connection: close', ...lines]))
        assert.strictEqual(statusOf(answer), status, `${path} ${lines.join('; ')}`)
        if (status !== 400) continue
        assert.deepInclude(bodyOf(answer).error, { code: 'invalid_parameter' })
        assert.strictEqual(bodyOf(answer).error.details[0].path, 'header.host')
        const body = bodyOf(answer)
        const own = { 'cache-control': 'no-store', 'content-type': 'application/json' }
        const headers = { 'x-request-id': body.error.requestId, ...own }
        assert.deepEqual(contractFaults('GET', '/v1/feed', { status: 400, headers, body }), [])
      }
    }
    assert.strictEqual(statusOf(await rawExchange(service.port, head(['GET /v1/feed HTTP/1.0']))), 200)
  })

  it('of a process that only serves probes follow the same rules', async () => {
    const { server, close } = createProbeServer({
      health: { ready: async () => ({ checks: {} }) },
      registry: new Registry(),
      log: pino({ level: 'silent' }),
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    try {
      const long = head(['POST /healthz HTTP/1.1', 'Host: a', 'Content-Length: 300000000'])
      const { answer, sent } = await flood(long, 300 * MB, port)
      assert.strictEqual(statusOf(answer), 405)
      assert.isBelow(sent, MAX_TAKEN)
      assert.strictEqual(bodyOf(await rawExchange(port, 'no HTTP\r\n\r\n')).error.code, 'invalid_parameter')
      const up = head(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: close'])
      assert.match(await rawExchange(port, up), /200 OK.*"up"/s)
    } finally {
      await close(1_000)
    }
  })

  describe('of one address', () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each && !each.internal && each.family === 'IPv4')?.address
    let limited: ExampleService
    let open: Socket[] = []

    before(function () {
      if (outside !== undefined) return
      process.stdout.write('      skipped: this machine has no address but loopback, which is not counted\n')
      this.skip()
    })
    afterEach(async () => {
      for (const socket of open) socket.destroy()
      open = []
      await limited?.close()
    })

    const opened = async (host: string) => {
      const socket = connect({ host, port: limited.port })
      open.push(socket)
      await once(socket, 'connect')
      return socket
    }
    const asks = async (host: string) => {
      const socket = await opened(host)
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
      socket.write(head(['GET /healthz HTTP/1.1', 'Host: a', 'Connection: close']))
      await once(socket, 'close')
      return Buffer.concat(chunks).toString()
    }

    it('beyond the limit are answered and closed, without delaying others', async () => {
      limited = await startExampleService({ limits: { connectionsPerAddress: 5 } }, '0.0.0.0')
      for (let count = 0; count < 5; count += 1) await opened(outside!)
      // It sends nothing, so that nothing of it lies unread.
      const socket = await opened(outside!)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      await once(socket, 'close')
      assert.strictEqual(statusOf(answer.toString()), 429)
      assert.match(answer.toString(), /\r\nRetry-After: 5\r\n/)
      assert.strictEqual(bodyOf(answer.toString()).error.code, 'rate_limited')
      for (let count = 0; count < 20; count += 1) await opened('127.0.0.1')
      assert.strictEqual((await call(limited.url, 'GET', '/v1/feed')).status, 200)
      assert.include((await call(limited.url, 'GET', '/metrics')).body, 'http_connections_refused_total 1\n')
      open[0]!.destroy()
      await once(open[0]!, 'close')
      while (statusOf(await asks(outside!)) !== 200) await new Promise(setImmediate)
    })

    it('are not limited behind proxies, from which all come', async () => {
      limited = await startExampleService({ limits: { connectionsPerAddress: 2 }, trustProxy: 1 }, '0.0.0.0')
      for (let count = 0; count < 5; count += 1) await opened(outside!)
      assert.strictEqual(statusOf(await asks(outside!)), 200)
    })
  })
})
