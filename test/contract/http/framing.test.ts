// Where one request ends and the next begins: callers that end their side after a request, what follows a request on
// its connection without being one, and versions of HTTP that are not spoken here. Answers from memory, answers from
// the stores and answers that take a while are the same in all of it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import {
  EXAMPLE_KEY,
  example,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { KeptConnection } from '../../support/http/kept-connection.ts'
import { bodyOf, rawExchange, statusOf } from '../../support/http/raw-http.ts'
import { jsonText } from '../../support/service/parsed-queries.ts'

const SLOW_MS = 150
const head = (method: string, target: string, ...headers: string[]) =>
  [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
const get = (target: string, ...headers: string[]) => head('GET', target, ...headers)
const statusesOf = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

/** A company is answered after a while, from memory the second time; a filing after a while each time. */
const KEPT = '/v1/companies/EXMP'
const SLOW = `/v1/filings/${example('filing-detail').data.accessionNumber}`
const MALFORMED = ['no HTTP\r\n\r\n', 'GET / HTTP/1.1\r\nBad Header: x\r\n\r\n', get('/', 'Content-Length: x')]

/** Sends a text and ends this side; resolves with all that comes back, and how the connection ended. */
async function halfClosed(port: number, text: string): Promise<{ answers: string; error: string | null }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  let error: string | null = null
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', ({ message }) => (error = message))
  socket.end(text)
  await once(socket, 'close').catch(() => {})
  return { answers: Buffer.concat(chunks).toString('latin1'), error }
}

describe('HTTP framing', function () {
  this.timeout(30_000)
  let service: ExampleService
  before(async () => {
    const queries = {
      ...exampleQueries,
      company: async () => {
        await sleep(SLOW_MS)
        return withDependencies(jsonText<any>(example('company').data), { parts: ['signals'] })
      },
      filing: async () => (await sleep(SLOW_MS), example('filing-detail').data),
    }
    const cache = new AnswerCache({ maxBytes: 1 << 20, changes: new ChangeTracker(), clock: Date.now })
    service = await startExampleService({ queries, cache })
    assert.strictEqual(statusOf(await rawExchange(service.port, get(KEPT, 'Connection: close'))), 200)
  })
  after(() => service.close())

  describe('a caller that ends its side after a request', () => {
    it('is answered from memory, from the stores and late alike', async () => {
      for (const target of [KEPT, SLOW, '/v1/feed', '/healthz', '/metrics', '/nothing']) {
        for (const headers of [[], ['Connection: close'], ['Accept-Encoding: gzip']]) {
          const { answers, error } = await halfClosed(service.port, get(target, ...headers))
          assert.isNull(error, target)
          assert.deepEqual(statusesOf(answers), [target === '/nothing' ? 404 : 200], target)
          const [top = '', body = ''] = answers.split('\r\n\r\n')
          assert.strictEqual(body.length, Number(/Content-Length: (\d+)/.exec(top)![1]), target)
        }
      }
    })

    it('is answered after a request with a body, and after several requests in their order', async () => {
      const body = '{"ticker":"EXMP"}'
      const key = `Authorization: Bearer ${EXAMPLE_KEY}`
      const post = head(
        'POST',
        '/v1/watchlist',
        key,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      )
      assert.deepEqual(statusesOf((await halfClosed(service.port, post + body)).answers), [201])
      const { answers } = await halfClosed(service.port, get(SLOW) + get(KEPT) + get('/nothing') + get(SLOW))
      assert.deepEqual(statusesOf(answers), [200, 200, 404, 200])
    })

    it('in the middle of a request gets 400', async () => {
      for (const text of ['GET /v1/fe', `${head('POST', '/v1/watchlist', 'Content-Length: 20')}{"tick`]) {
        const { answers } = await halfClosed(service.port, text)
        assert.include([400, 401], statusesOf(answers)[0], text)
        assert.lengthOf(statusesOf(answers), 1, text)
      }
    })

    it('gets no stream, whose callers are known to be gone by that', async () => {
      const before = await service.connections()
      for (const after of ['', MALFORMED[0]!]) await halfClosed(service.port, get('/v1/stream') + after)
      const metrics = await rawExchange(service.port, get('/metrics', 'Connection: close'))
      assert.match(metrics, /\nstreams_open 0\n/)
      assert.isAtMost(await service.connections(), before)
    })
  })

  describe('what follows a request without being one', () => {
    it('never takes the place of an answer that is pending', async () => {
      for (const malformed of MALFORMED) {
        for (const pending of [
          get(SLOW),
          get(SLOW) + get(KEPT),
          get(KEPT) + get(SLOW),
          get(KEPT) + get(SLOW) + get(KEPT),
        ]) {
          const answers = await rawExchange(service.port, pending + malformed, 10_000)
          // All that was asked is answered, and then the connection ends without a word.
          assert.deepEqual(statusesOf(answers), Array(pending.split('GET ').length - 1).fill(200), pending + malformed)
        }
      }
    })

    it('is 400 once the answers before it are sent', async () => {
      const proxied = 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n'
      for (const malformed of [...MALFORMED, proxied]) {
        for (const target of [KEPT, SLOW]) {
          const connection = new KeptConnection(service.port)
          const [first] = await connection.exchange([get(target)], ['GET'])
          const [second] = await connection.exchange([malformed], ['GET'])
          assert.deepEqual([statusOf(first!), statusOf(second!)], [200, 400], malformed)
          assert.strictEqual(bodyOf(second!).error.code, 'invalid_parameter', malformed)
          connection.close()
        }
      }
    })

    it('is not read after a request that was to be the last, which is answered', async () => {
      const last = await startExampleService({ limits: { requestsPerConnection: 1 } })
      for (const follows of [
        ...MALFORMED,
        get(KEPT),
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
        '\r\n',
        'x'.repeat(100_000),
      ]) {
        for (const target of [KEPT, SLOW, '/healthz']) {
          const answers = await rawExchange(service.port, get(target, 'Connection: close') + follows, 10_000)
          assert.deepEqual(statusesOf(answers), [200], target + follows)
        }
        assert.deepEqual(statusesOf(await rawExchange(last.port, get('/v1/feed') + follows, 10_000)), [200], follows)
      }
      await last.close()
    })

    it('is dropped also where it is CONNECT, while answers are pending', async () => {
      const proxied = 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n'
      assert.deepEqual(statusesOf(await rawExchange(service.port, proxied, 10_000)), [400])
      for (const pending of [get(KEPT), get(SLOW), get(SLOW) + get(KEPT)]) {
        const answers = await rawExchange(service.port, `${pending}${proxied}more`, 10_000)
        assert.deepEqual(statusesOf(answers), Array(pending.split('GET ').length - 1).fill(200), pending)
      }
    })

    it('a faulty body is refused in place of its own answer, and of no other', async () => {
      const post = head(
        'POST',
        '/v1/watchlist',
        `Authorization: Bearer ${EXAMPLE_KEY}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      )
      assert.deepEqual(statusesOf(await rawExchange(service.port, `${post}zz\r\n`, 10_000)), [400])
      const connection = new KeptConnection(service.port)
      await connection.exchange([get(KEPT)], ['GET'])
      assert.strictEqual(statusOf((await connection.exchange([`${post}zz\r\n`], ['POST']))[0]!), 400)
      assert.notInclude(statusesOf(await rawExchange(service.port, `${get(SLOW)}${post}zz\r\n`, 10_000)), 400)
    })

    it('a faulty body cuts no answer that was given before it was read', async () => {
      for (const more of ['Expect: 100-continue', 'X-Nothing: 1']) {
        const post = head('POST', '/v1/feed', 'Transfer-Encoding: chunked', more)
        for (const body of ['zz\r\n', '0;x\r\nGET / HTTP/1.1\r\n\r\n', '5\r\nabcdefgh\r\n']) {
          const answer = await rawExchange(service.port, post + body, 10_000)
          assert.strictEqual(statusOf(answer), 405, body)
          assert.strictEqual(bodyOf(answer).error.code, 'method_not_allowed', body)
        }
      }
    })

    it('a request that does not arrive in time is no answer to the one before it', async () => {
      const hasty = await startExampleService({
        limits: { headersMs: 60, requestMs: 60, checkMs: 10 },
        queries: { ...exampleQueries, filing: async () => (await sleep(SLOW_MS), example('filing-detail').data) },
      })
      assert.notInclude(statusesOf(await rawExchange(hasty.port, `${get(SLOW)}GET /v1`, 10_000)), 408)
      assert.deepEqual(statusesOf(await rawExchange(hasty.port, `${get('/healthz')}GET /v1`, 10_000)), [200, 408])
      await hasty.close()
    })
  })

  it('HTTP/1.0 with Transfer-Encoding ends its connection with the answer', async () => {
    const asking = 'GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    const answers = await rawExchange(service.port, asking + get('/v1/feed', 'Connection: close'), 10_000)
    assert.deepEqual(statusesOf(answers), [200])
    assert.match(answers, /\r\nConnection: close\r\n/)
  })

  it('other versions than 1.0 and 1.1 are 400, and their connection ends', async () => {
    for (const version of ['HTTP/2.0', 'HTTP/0.9', 'HTTP/3.0', 'HTTP/1.2', 'HTTP/2', 'HTTP/0.0', 'http/1.1']) {
      for (const target of [KEPT, '/healthz', '/metrics', '/nothing', '/v1/watchlist', '/mcp']) {
        const text = `GET ${target} ${version}\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n`
        const answers = await rawExchange(service.port, text, 10_000)
        assert.deepEqual(statusesOf(answers), [400], text)
        assert.match(answers, /\r\nConnection: close\r\n/, text)
        assert.strictEqual(bodyOf(answers).error.code, 'invalid_parameter', text)
      }
    }
    const spoken = await rawExchange(service.port, 'GET /v1/feed HTTP/1.0\r\n\r\n')
    assert.strictEqual(statusOf(spoken), 200)
  })
})
