// Requests that no well-meaning client sends. The service must refuse them in the envelope or close the connection, and
// continue to answer others.
import { assert } from 'chai'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { call, contractFaults } from '../../support/http/contract-client.ts'
import { asked, startExampleService, type ExampleService } from '../../support/http/example-service.ts'
import { bodyOf, get, rawExchange, silentReader, statusOf } from '../../support/http/raw-http.ts'

const BEARER = { authorization: 'Bearer itd_example_notarealkey' }
/** Of the service whose callers are cut. */
const LIMITS = { headersMs: 1000, requestMs: 1500, checkMs: 50, drainMs: 1000 }

let [service, hasty]: ExampleService[] = []
const raw = (text: string, quietMs?: number, { port } = service!) => rawExchange(port, text, quietMs)
const post = (options: object) => call(service!.url, 'POST', '/v1/watchlist', options)
const postJson = (body: string | Buffer, headers = {}) =>
  post({ body, headers: { ...BEARER, 'content-type': 'application/json', ...headers } })

async function alive() {
  for (const { url } of [service!, hasty!]) assert.strictEqual((await call(url, 'GET', '/v1/feed')).status, 200)
}

describe('HTTP against hostile callers', function () {
  this.timeout(120_000)
  before(async () => {
    ;[service, hasty] = await Promise.all([startExampleService(), startExampleService({ limits: LIMITS })])
  })
  after(() => Promise.all([service!.close(), hasty!.close()]))
  afterEach(alive)

  describe('request targets', () => {
    it('absolute form is treated like its path, also by authentication', async () => {
      for (const host of ['http://service.test', 'HTTPS://service.test:8443', 'http://user@evil.test']) {
        assert.strictEqual(statusOf(await raw(get(`${host}/v1/feed?limit=3`))), 200)
        assert.deepEqual(asked.feed, { limit: 3 })
        assert.strictEqual(statusOf(await raw(get(`${host}/v1/feed?limit=0`))), 400)
        assert.strictEqual(statusOf(await raw(get(`${host}/v1/watchlist`))), 401)
      }
      for (const root of ['http://service.test', 'http://service.test?limit=1']) {
        assert.match(await raw(get(root)), /^HTTP\/1\.1 302 .*\r\nLocation: docs\r\n/s, root)
      }
    })

    it('fragments, other forms and raw bytes are 400', async () => {
      for (const target of [
        '/v1/feed#x',
        '/v1/watchlist#',
        'http://service.test/v1/watchlist#x',
        'ftp://service.test/v1/feed',
        '*',
        'v1/feed',
        '/v1/feed\x80',
        '/v1/companies/\xc4',
      ]) {
        const answer = await raw(get(target))
        assert.strictEqual(statusOf(answer), 400, target)
        assert.strictEqual(bodyOf(answer).error.code, 'invalid_parameter')
      }
    })

    it('bad percent-encoding is 400 in the path and in the query', async () => {
      for (const path of [
        '/v1/companies/%',
        '/v1/companies/%zz',
        '/v1/companies/%C3',
        '/v1/insiders/%E0%A4%A',
        '/%',
        '/v1/feed%',
        '/v1/feed?cursor=%',
        '/v1/feed?%zz=1',
        '/v1/feed?cursor=%FF',
      ]) {
        const answer = await raw(get(path))
        assert.strictEqual(statusOf(answer), 400, path)
        assert.strictEqual(bodyOf(answer).error.code, 'invalid_parameter')
      }
    })

    it('extra slashes, dots and encoded slashes are not found', async () => {
      for (const path of [
        '//v1/feed',
        '//evil.test/v1/feed',
        '/\\v1/feed',
        '/v1/watchlist/../feed',
        '/v1%2Ffeed',
        '/v1/feed/../watchlist',
        '/v1/feed;x=1',
        '/v1/feed%00',
      ]) {
        assert.oneOf(statusOf(await raw(get(path))), [401, 404], path)
      }
      for (const path of ['//v1/watchlist', '/v1//watchlist', '/v1/%77atchlist', '/v1/watchlist%2F', '/V1/WATCHLIST']) {
        assert.strictEqual(statusOf(await raw(get(path))), 404, path)
      }
    })
  })

  describe('bodies', () => {
    const good = JSON.stringify({ ticker: 'EXMP' })

    it('compressed ones are 415, not unpacked', async () => {
      for (const [encoding, body] of [
        ['gzip', gzipSync(good)],
        ['br', brotliCompressSync(good)],
        ['deflate', deflateSync(good)],
        ['x-new', good],
      ] as const) {
        const {
          status,
          body: { error },
        } = await postJson(body, { 'content-encoding': encoding })
        assert.deepEqual([status, error.code], [415, 'unsupported_media_type'], encoding)
      }
      const bomb = gzipSync(Buffer.alloc(8_000_000))
      assert.strictEqual((await postJson(bomb, { 'content-encoding': 'gzip' })).status, 415)
      assert.strictEqual((await postJson(good, { 'content-encoding': 'identity' })).status, 201)
    })

    it('of other types are 415', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-16',
        'application/jsonx',
        'application/vnd.api+json',
        'application/json; charset=utf-8; x=1',
        '',
        'application/json, text/plain',
      ]) {
        assert.strictEqual((await postJson(good, { 'content-type': type })).status, 415, type)
      }
      assert.strictEqual((await post({ headers: BEARER })).status, 415)
      assert.strictEqual((await postJson(good, { 'content-type': 'Application/JSON; charset="UTF-8"' })).status, 201)
    })

    it('that violate the contract are 400 invalid_body', async () => {
      const bodies = [
        '',
        '{',
        '[]',
        'null',
        '1',
        '"x"',
        '{}',
        '{"ticker":1}',
        '{"ticker":["A"]}',
        '{"ticker":"A","extra":1}',
        '{"ticker":""}',
        '{"ticker":"A B"}',
        '{"ticker":null}',
        '{"ticker":"A","webhookUrl":""}',
        '{"ticker":"A","webhookUrl":[null]}',
        '{"ticker":"A","__proto__":{"admin":true}}',
        '{"__proto__":{"ticker":"A"}}',
        '{"constructor":{"prototype":{"x":1}}}',
        '\u0000',
        '{"ticker":"A"}}',
        '['.repeat(8000),
        `{"ticker":"A","webhookUrl":"https://${'a'.repeat(2050)}"}`,
      ]
      for (const body of bodies) {
        const answer = await postJson(body)
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_body'], body.slice(0, 60))
      }
      assert.strictEqual(({} as any).admin ?? ({} as any).x, undefined)
    })

    it('cut short are not waited for', async () => {
      const answer = await raw(`${postHead('Content-Length: 100')}{"ticker":`, 60_000, hasty)
      assert.strictEqual(statusOf(answer), 408)
    })
  })

  describe('headers', () => {
    it('__proto__ and constructor are treated like other names', async () => {
      const answer = await raw(get('/v1/feed', '__proto__: x', 'constructor: y', 'prototype: z', '__proto__: again'))
      assert.strictEqual(statusOf(answer), 200)
      assert.strictEqual(({} as any).x, undefined)
    })

    it('more than 64 of them, or a head over 16 KiB, is 431', async () => {
      const many = (length: number) => get('/v1/feed', ...Array.from({ length }, (_, at) => `X-H${at}: ${at}`))
      // Host and Connection count too
      assert.strictEqual(statusOf(await raw(many(60))), 200)
      const long = 'a'.repeat(17_000)
      for (const text of [many(65), many(1000), get('/v1/feed', `X-Long: ${long}`), get(`/v1/feed?cursor=${long}`)]) {
        const answer = await raw(text)
        assert.strictEqual(statusOf(answer), 431)
        assert.match(bodyOf(answer).error.requestId, /^[0-9a-f-]{36}$/)
      }
    })

    it('a hostile If-None-Match costs nothing', async () => {
      const before = process.cpuUsage()
      for (const value of ['"'.repeat(8000), ', '.repeat(5000), 'W/'.repeat(5000), '"a",'.repeat(3000)]) {
        assert.strictEqual(statusOf(await raw(get('/v1/feed', `If-None-Match: ${value}`))), 200)
      }
      const { user, system } = process.cpuUsage(before)
      assert.isBelow(user + system, 1_000_000, 'microseconds')
    })

    it('an unknown Expect header is ignored', async () => {
      assert.strictEqual(statusOf(await raw(get('/v1/feed', 'Expect: a-miracle'))), 200)
    })

    it('many content types on GET take no memory', async () => {
      const types = (from: number) =>
        Array.from(
          { length: 800 },
          (_, at) => `GET /v1/signals HTTP/1.1\r\nHost: a\r\nContent-Type: x/t${from + at}; a=b${at}\r\n\r\n`,
        ).join('') + get('/nothing')
      await raw(types(0))
      const before = heap()
      const answers = await raw(types(1000))
      assert.lengthOf(answers.match(/HTTP\/1\.1 200/g)!, 800)
      // Kept schemas would be 12 kB each: 9.6 MB.
      assert.isBelow(heap() - before, 3_000_000)
    })
  })

  describe('lines and time', () => {
    it('input that is not HTTP is 400 in the envelope', async () => {
      for (const text of [
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n',
        'GET /v1/feed HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n',
        'POST /v1/watchlist HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'GET /v1/feed HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      ]) {
        const answer = await raw(text)
        assert.strictEqual(statusOf(answer), 400, text)
        const id = /X-Request-Id: (\S+)/.exec(answer)![1]!
        const headers = { 'x-request-id': id, 'cache-control': 'no-store', 'content-type': 'application/json' }
        assert.deepEqual(contractFaults('GET', '/v1/feed', { status: 400, headers, body: bodyOf(answer) }), [])
      }
    })

    it('a connection whose head arrives slowly or not at all is cut', async () => {
      for (const begun of ['GET /v1/feed HTTP/1.1\r\nHost: a\r\n', 'G', '']) {
        const started = performance.now()
        await raw(begun, 60_000, hasty)
        assert.isAtLeast(performance.now() - started, 900, JSON.stringify(begun))
        assert.isAtMost(performance.now() - started, 30_000, JSON.stringify(begun))
      }
    })

    it('a caller that does not read is cut', async () => {
      const asking = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)
      const socket = await silentReader(hasty!.port, asking)
      const started = performance.now()
      socket.on('error', () => {})
      // a paused socket does not hear of the end, so it is poked
      const poke = setInterval(() => socket.write('\r\n'), 50)
      await new Promise((resolve) => socket.once('close', resolve))
      clearInterval(poke)
      assert.isAtLeast(performance.now() - started, 900)
      assert.isAtMost(performance.now() - started, 30_000)
    })

    it('a caller that reads gets a large answer completely', async () => {
      const answer = await raw(get('/docs/swagger-ui-bundle.js'))
      assert.isAbove(answer.length, 1_700_000)
    })

    it('a connection is closed cleanly after 1,000 requests', async () => {
      const started = performance.now()
      const answers = await raw('HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1003), 60_000)
      assert.isBelow(performance.now() - started, 50_000)
      assert.lengthOf(answers.match(/HTTP\/1\.1 200/g)!, 1000)
      assert.lengthOf(answers.match(/Connection: close/gi)!, 1)
    })

    it('CONNECT is 400 in the envelope', async () => {
      const connect = 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n'
      for (const text of [connect, `${connect}more`]) {
        const answer = await raw(text, 60_000)
        assert.strictEqual(statusOf(answer), 400, text)
        assert.match(answer, /\r\nConnection: close\r\n/)
        assert.strictEqual(bodyOf(answer).error.code, 'invalid_parameter')
      }
    })

    it('a request that asks for another protocol is answered, and ends its connection', async () => {
      const socket = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
      const http2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
      const feed = 'GET /v1/feed HTTP/1.1\r\nHost: a\r\n'
      for (const asking of [socket, http2, 'Upgrade: websocket\r\n']) {
        for (const more of ['', `${feed}\r\n`, 'no HTTP\r\n\r\n', 'GET /v1/fe']) {
          const answer = await raw(`${feed}${asking}\r\n${more}`, 60_000)
          assert.strictEqual(statusOf(answer), 200, more)
          assert.match(answer, /\r\nConnection: close\r\n/, more)
          assert.lengthOf(answer.match(/HTTP\/1\.1 /g)!, 1, more)
        }
      }
    })

    it('a faulty body of such a request is refused in the envelope', async () => {
      const head = postHead('Upgrade: websocket\r\nTransfer-Encoding: chunked')
      const asking = head.replace('Connection: close', 'Connection: Upgrade')
      const answer = await raw(`${asking}ZZ\r\n`, 60_000, hasty)
      assert.include([400, 408], statusOf(answer))
      assert.strictEqual(bodyOf(answer).error.code, 'invalid_parameter')
    })
  })
})

function postHead(header: string): string {
  const head = [
    'POST /v1/watchlist HTTP/1.1',
    'Host: a',
    `Authorization: ${BEARER.authorization}`,
    'Content-Type: application/json',
    'Connection: close',
    header,
  ]
  return `${head.join('\r\n')}\r\n\r\n`
}

function heap(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
