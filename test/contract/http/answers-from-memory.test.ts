// Answers from memory on persistent connections: the same bytes as others, in the order of requests, rate-limited.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import fc from 'fast-check'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import { loadContract } from '../../../src/infrastructure/http/app.ts'
import {
  example,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { rawExchange } from '../../support/http/raw-http.ts'
import { KeptConnection } from '../../support/http/kept-connection.ts'
import { jsonText } from '../../support/service/parsed-queries.ts'

const TARGETS = ['/v1/feed', '/v1/companies/EXMP', '/v1/signals']
/** What takes long to read, and is not ASCII alone. */
const NOTE = 'Société Générale ·\u{1f4c8} 株式会社'.repeat(5_000)
/** The most that is kept, nearly. */
const LONGEST = 'long '.repeat(200_000)

const head = (method: string, target: string, ...headers: string[]) =>
  [`${method} ${target} HTTP/1.1`, 'Host: a', 'User-Agent: test', ...headers, '', ''].join('\r\n')
const get = (target: string, ...headers: string[]) => head('GET', target, ...headers)

/** The examples; a company is answered late where `delayMs` says so. */
function queries(count: () => void, delayMs: () => number): Queries {
  const kept =
    (data: object, delay = () => 0) =>
    async () => {
      count()
      await sleep(delay())
      return withDependencies(jsonText<any>(data), { parts: ['signals'] })
    }
  const paged = (answer: () => Promise<any>) => async () => ({ page: await answer(), unknown: [] })
  return {
    ...exampleQueries,
    feed: paged(kept(example('feed-page').data)),
    company: kept(example('company').data, delayMs),
    insider: kept({ ...example('insider').data, note: LONGEST }),
    signals: paged(kept({ ...example('signal-page').data, note: NOTE })),
  }
}

/** A response without what differs each time; compressed ones by their content, as levels differ. */
const alike = (response: string) =>
  unpacked(response)
    .replaceAll(/\r\nX-Request-Id: [\w-]{36}\r\n/g, '\r\nX-Request-Id: id\r\n')
    .replace(/"requestId":"[\w-]{36}"/, '"requestId":"id"')
    .replaceAll(/\r\nDate: [^\r]+ GMT\r\n/g, '\r\nDate: now\r\n')
    .replace(/;t=\d+/, ';t=seconds')

function unpacked(response: string): string {
  const [top = '', ...body] = response.split('\r\n\r\n')
  if (!top.includes('\r\nContent-Encoding: gzip')) return response
  const bytes = Buffer.from(body.join('\r\n\r\n'), 'latin1')
  const text = bytes.length === 0 ? '' : gunzipSync(bytes).toString('latin1')
  return `${top.replace(/Content-Length: \d+/, 'Content-Length: any')}\r\n\r\n${text}`
}

describe('answers from memory', function () {
  this.timeout(120_000)
  const contract = loadContract()
  let [made, kept]: ExampleService[] = []
  let questions = 0
  let delayMs = 0
  const open: KeptConnection[] = []
  const start = async (more = {}) => {
    questions = delayMs = 0
    const cache = new AnswerCache({ maxBytes: 64 << 20, changes: new ChangeTracker(), clock: Date.now })
    const common = { contract, ...more }
    ;[made, kept] = await Promise.all([
      startExampleService({
        queries: queries(
          () => {},
          () => delayMs,
        ),
        ...common,
      }),
      startExampleService({
        queries: queries(
          () => (questions += 1),
          () => delayMs,
        ),
        cache,
        ...common,
      }),
    ])
  }
  const connectionTo = (service: ExampleService) => {
    const connection = new KeptConnection(service.port)
    open.push(connection)
    return connection
  }
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.close()
    await Promise.all([made!.close(), kept!.close()])
  })
  const etagOf = async (target: string) =>
    /ETag: (\S+)/.exec((await connectionTo(kept!).exchange([get(target)], ['GET']))[0]!)![1]!
  /** Sends it until its answer is in memory in each encoding. */
  const learn = async (connection: KeptConnection, request: string) => {
    for (const _ of [1, 2]) await connection.exchange([request], [request.split(' ')[0]!])
  }

  it('repeat the first answer without querying the stores', async () => {
    await start()
    for (const target of TARGETS) {
      const etag = await etagOf(target)
      for (const method of ['GET', 'HEAD']) {
        for (const headers of [
          [],
          ['Accept-Encoding: gzip'],
          [`If-None-Match: ${etag}`],
          ['Accept-Encoding: gzip', `If-None-Match: ${etag}`],
        ]) {
          const request = head(method, target, ...headers)
          const [own, other] = [connectionTo(kept!), connectionTo(made!)]
          await other.exchange([get(target)], ['GET'])
          const [expected] = await other.exchange([request], [method])
          await learn(own, request)
          const before = questions
          for (let time = 0; time < 3; time += 1) {
            const [response] = await own.exchange([request], [method])
            assert.strictEqual(alike(response!), alike(expected!), request)
          }
          assert.strictEqual(questions, before, request)
        }
      }
    }
  })

  it('are sent in the order of pipelined requests', async () => {
    await start()
    const connection = connectionTo(kept!)
    await learn(connection, get('/v1/feed'))
    delayMs = 50
    const responses = await connection.exchange(
      [get('/v1/companies/EXMP'), get('/v1/feed'), get('/v1/feed')],
      ['GET', 'GET', 'GET'],
    )
    assert.include(responses[0], example('company').data.name)
    for (const response of responses.slice(1)) assert.include(response, '"transactions"')
  })

  it('close the connection after its last request, and announce it', async () => {
    await start({ limits: { requestsPerConnection: 10 } })
    const connection = connectionTo(kept!)
    const responses: string[] = []
    for (let time = 0; time < 12; time += 1) responses.push(...(await connection.exchange([get('/v1/feed')], ['GET'])))
    assert.lengthOf(responses, 10)
    for (const response of responses.slice(0, 9)) assert.include(response, '\r\nConnection: keep-alive\r\n')
    assert.include(responses[9], '\r\nConnection: close\r\n')
    assert.strictEqual(questions, 1)
  })

  it('are the same in HTTP/1.0, where the connection closes unless kept alive', async () => {
    await start()
    const etag = await etagOf('/v1/feed')
    const get10 = (...headers: string[]) => get('/v1/feed', ...headers).replace('HTTP/1.1', 'HTTP/1.0')
    for (const condition of ['X-None: 1', `If-None-Match: ${etag}`]) {
      for (const text of [get10(condition), get10(condition, 'Connection: keep-alive') + get10(condition)]) {
        const [found, expected] = await Promise.all([kept!, made!].map(({ port }) => rawExchange(port, text)))
        assert.strictEqual(alike(found!), alike(expected!))
        assert.match(found!, /^HTTP\/1\.1 (200|304) /)
      }
    }
    assert.strictEqual(questions, 1)
  })

  it('keep the connection open until the announced idle time', async () => {
    await start({ limits: { keepAliveMs: 2_000 } })
    const connection = connectionTo(kept!)
    await learn(connection, get('/v1/feed'))
    // node waits for a second more than it says.
    for (const end = performance.now() + 3_500; performance.now() < end; await sleep(100)) {
      const [response] = await connection.exchange([get('/v1/feed')], ['GET'])
      assert.include(response, '\r\nKeep-Alive: timeout=2\r\n')
    }
    assert.strictEqual(questions, 1)
    for (let tries = 0; tries < 1_200 && !connection.isClosed; tries += 1) await sleep(50)
    assert.isTrue(connection.isClosed)
  })

  it('close the connection when the service stops', async () => {
    await start()
    const connection = connectionTo(kept!)
    await learn(connection, get('/v1/feed'))
    const closing = kept!.close(60_000, 2_000)
    const [response] = await connection.exchange([get('/v1/feed')], ['GET'])
    assert.include(response, '\r\nConnection: close\r\n')
    await closing
  })

  it('arrive completely if the service stops while they are sent', async () => {
    await start()
    await learn(connectionTo(kept!), get('/v1/insiders/9900002'))
    assert.strictEqual(questions, 1)
    const socket = connect(kept!.port, '127.0.0.1')
    socket.write(get('/v1/insiders/9900002'))
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    const closed = kept!.close(5_000)
    const rest = (await socket.toArray()) as Buffer[]
    await closed
    const [top = '', body] = Buffer.concat([first, ...rest])
      .toString('latin1')
      .split('\r\n\r\n')
    assert.strictEqual(body!.length, Number(/Content-Length: (\d+)/.exec(top)![1]))
  })

  it('count towards the rate limit, each once, and are refused beyond it', async () => {
    await start({ rateLimit: { requests: 8, seconds: 3_600 }, trustProxy: 1 })
    const request = get('/v1/feed', 'X-Forwarded-For: 192.0.2.7')
    const [own, other] = [connectionTo(kept!), connectionTo(made!)]
    for (let time = 0; time < 11; time += 1) {
      const [[found], [expected]] = await Promise.all([
        own.exchange([request], ['GET']),
        other.exchange([request], ['GET']),
      ])
      assert.strictEqual(alike(found!), alike(expected!), `request ${time}`)
      assert.match(found!, time < 8 ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 429 /)
    }
  })

  const sixtyTimes = (connection: KeptConnection) =>
    connection.exchange(Array<string>(60).fill(get('/v1/signals')), Array<string>(60).fill('GET'))

  it('are complete while others with the same bytes still wait for slow callers', async () => {
    await start()
    const [slow, fast] = [connectionTo(kept!), connectionTo(kept!)]
    for (const each of [slow, fast]) await learn(each, get('/v1/signals'))
    const [expected] = await fast.exchange([get('/v1/signals')], ['GET'])
    slow.pause()
    const late = sixtyTimes(slow)
    for (let time = 0; time < 20; time += 1) {
      const [response] = await fast.exchange([get('/v1/signals')], ['GET'])
      assert.strictEqual(alike(response!), alike(expected!))
      await sleep(10)
    }
    slow.resume()
    const responses = await late
    assert.lengthOf(responses, 60)
    for (const response of responses) assert.strictEqual(alike(response), alike(expected!))
    assert.strictEqual(new Set(responses.map((each) => /X-Request-Id: (\S+)/.exec(each)![1])).size, 60)
  })

  it('end if the caller breaks off its body', async () => {
    await start()
    const connection = connectionTo(kept!)
    await learn(connection, get('/v1/feed'))
    const upload = head('POST', '/v1/watchlist', 'Transfer-Encoding: chunked', 'Content-Type: application/json')
    const answered = connection.exchange([`${upload}11e1a300\r\n${' '.repeat(100_000)}`], ['POST'])
    connection.end()
    await answered
    for (let tries = 0; tries < 1_200 && !connection.isClosed; tries += 1) await sleep(50)
    assert.isTrue(connection.isClosed)
  })

  it('are written no faster than the caller reads, and cut if nothing is read', async () => {
    await start({ limits: { drainMs: 300 } })
    const connection = connectionTo(kept!)
    await learn(connection, get('/v1/signals'))
    connection.pause()
    const unread = sixtyTimes(connection)
    while ((await kept!.connections()) > 0) await sleep(50)
    connection.resume()
    assert.isBelow((await unread).length, 60)
  })

  it('equal answers without a cache, for requests of any kind, split anywhere', async () => {
    await start()
    const etags = await Promise.all(TARGETS.map(etagOf))
    const requests = TARGETS.flatMap((target, place) => [
      get(target),
      get(target),
      head('HEAD', target),
      get(target, 'Accept-Encoding: gzip'),
      get(target, `If-None-Match: ${etags[place]}`),
    ])
    const others = [
      get('/healthz'),
      get('/v1/feed?limit=0'),
      get('/nothing'),
      get('/v1/feed', 'Content-Length: 0'),
      `${get('/v1/feed', 'Content-Length: 3')}abc`,
      `${head('POST', '/v1/feed', 'Content-Length: 2')}{}`,
      `\r\n${get('/v1/feed')}`,
      get('/v1/feed', `X-Long: ${'x'.repeat(2_000)}`),
      get('/v1/feed', 'Upgrade: websocket', 'Connection: Upgrade'),
      'GET /v1/feed HTTP/1.1\r\n\r\n',
      'nonsense\r\n\r\n',
    ]
    const step = fc.record({
      requests: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...requests).map((each) => [each]) },
        { weight: 1, arbitrary: fc.constantFrom(...others).map((each) => [each]) },
        { weight: 1, arbitrary: fc.array(fc.constantFrom(...requests), { minLength: 2, maxLength: 3 }) },
      ),
      cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 12 }),
    })
    let all = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const [own, other] = [connectionTo(kept!), connectionTo(made!)]
        for (const { requests: asked, cut } of steps) {
          const text = asked.join('')
          const place = cut === null ? 0 : Math.floor(cut * text.length)
          const pieces = place === 0 ? [text] : [text.slice(0, place), text.slice(place)]
          const methods = asked.map((each) => each.trimStart().split(' ')[0]!)
          const [found, expected] = await Promise.all([own.exchange(pieces, methods), other.exchange(pieces, methods)])
          assert.deepEqual(found.map(alike), expected.map(alike), text)
          all += found.length
          if (expected.length < methods.length) break
        }
        own.close()
        other.close()
      }),
      { numRuns: 150 },
    )
    assert.isBelow(questions, all / 2, 'most were answered from memory')
  })
})
