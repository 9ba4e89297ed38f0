// Answers from memory, byte by byte: a connection carries the same as without the cache, including the order of
// headers, in every way of using HTTP, and stays open or closes the same way.
import { once } from 'node:events'
import { connect } from 'node:net'
import { assert } from 'chai'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'
import type { ServerLimits } from '../../../src/infrastructure/http/server/limits.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import {
  example,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { jsonText } from '../../support/service/parsed-queries.ts'
import { rawExchange, silentReader } from '../../support/http/raw-http.ts'

const LARGE = 20_000
const NAME = 'Société Générale ·\u{1f4c8} 株式会社'
const LIMITS = { requestsPerConnection: 100 }
/** For the service whose callers are cut. */
const DRAIN_MS = 500

/** The examples, not ASCII alone, one of them larger than what is written at once. */
function queries(count: () => void): Queries {
  const kept = (data: object) => async () => {
    count()
    return withDependencies(jsonText<any>(data), { parts: ['signals'] })
  }
  const company = { ...example('company').data, companyName: NAME }
  const signals = { ...example('signal-page').data, note: NAME.repeat(LARGE) }
  return {
    ...exampleQueries,
    feed: paged(kept(example('feed-page').data)),
    company: kept(company),
    signals: paged(kept(signals)),
  }
}

/** A page with all symbols known. */
const paged = (answer: () => Promise<any>) => async () => ({ page: await answer(), unknown: [] })

const request = (method: string, target: string, ...headers: string[]) =>
  [`${method} ${target}`, 'Host: a', 'X-Request-Id: same', ...headers, '', ''].join('\r\n')
const last = (method: string, target: string, ...headers: string[]) =>
  request(method, `${target} HTTP/1.1`, ...headers, 'Connection: close')

describe('answers from memory as bytes', function () {
  this.timeout(30_000)
  let [made, kept]: ExampleService[] = []
  let questions = 0
  /** What was answered before it was in memory. */
  const firsts = new Map<string, string>()
  const start = (limits: Partial<ServerLimits> = LIMITS) =>
    Promise.all([
      startExampleService({ queries: queries(() => {}), limits }),
      startExampleService({
        queries: queries(() => (questions += 1)),
        cache: new AnswerCache({ maxBytes: 64 << 20, changes: new ChangeTracker(), clock: Date.now }),

        limits,
      }),
    ])
  before(async () => {
    ;[made, kept] = await start()
    for (const target of ['/v1/feed', '/v1/companies/EXMP', '/v1/signals']) {
      for (const headers of [[], ['Accept-Encoding: gzip']]) {
        const text = last('GET', target, ...headers)
        firsts.set(text, await replies(kept.port, text))
      }
    }
  })
  after(() => Promise.all([made!.close(), kept!.close()]))

  /** What comes back until the end of the connection, without the time. */
  const replies = async (port: number, text: string) =>
    (await rawExchange(port, text)).replaceAll(/\r\nDate: [^\r]+ GMT\r\n/g, '\r\nDate: now\r\n')
  const etagOf = async (target: string) => /ETag: (\S+)/.exec(await replies(kept!.port, last('HEAD', target)))![1]!

  /** Compares both services, without a question to the stores by the one with memory. */
  const compare = async (text: string) => {
    const before = questions
    const [expected, found] = [firsts.get(text) ?? (await replies(made!.port, text)), await replies(kept!.port, text)]
    assert.strictEqual(found, expected)
    assert.strictEqual(questions, before, 'questions')
    assert.include(found, 'Date: now')
    return found
  }

  for (const target of ['/v1/feed', '/v1/companies/EXMP', '/v1/signals']) {
    it(`${target} is the same by GET and HEAD, plain and compressed, whole and not modified`, async () => {
      const etag = await etagOf(target)
      for (const method of ['GET', 'HEAD']) {
        assert.match(await compare(last(method, target)), /^HTTP\/1\.1 200 OK\r\n/)
        assert.match(await compare(last(method, target, `If-None-Match: ${etag}`)), /^HTTP\/1\.1 304 Not Modified\r\n/)
        await compare(last(method, target, `If-None-Match: ${etag}`, 'Accept-Encoding: gzip'))
      }
    })
  }

  for (const target of ['/v1/feed', '/v1/companies/EXMP', '/v1/signals']) {
    it(`${target} is the same compressed as it was when it was compressed`, async () => {
      const found = await compare(last('GET', target, 'Accept-Encoding: gzip'))
      const [head] = found.split('\r\n\r\n')
      assert.strictEqual(await replies(kept!.port, last('HEAD', target, 'Accept-Encoding: gzip')), `${head}\r\n\r\n`)
    })
  }

  it('are the same in HTTP/1.0, where the connection closes unless kept alive', async () => {
    const etag = await etagOf('/v1/feed')
    for (const condition of ['X-None: 1', `If-None-Match: ${etag}`]) {
      await compare(request('GET', '/v1/feed HTTP/1.0', condition))
      const again = request('GET', '/v1/feed HTTP/1.0', condition, 'Connection: keep-alive')
      await compare(again + request('GET', '/v1/companies/EXMP HTTP/1.0', condition))
    }
  })

  it('keep the order of requests that are sent without waiting, beside ones that memory does not have', async () => {
    const etag = await etagOf('/v1/companies/EXMP')
    const targets = ['/v1/signals', '/v1/feed', '/healthz', '/v1/companies/EXMP', '/v1/feed?limit=0']
    const sent = Array.from({ length: 60 }, (_, place) =>
      request(
        place % 7 === 0 ? 'HEAD' : 'GET',
        `${targets[place % targets.length]} HTTP/1.1`,
        ...(place % 3 === 0 ? [`If-None-Match: ${etag}`] : []),
      ),
    )

    const found = await compare(sent.join('') + last('GET', '/v1/feed'))

    assert.lengthOf(found.match(/HTTP\/1\.1 \d{3} /g)!, 61)
  })

  it('close the connection after its last request, and announce it', async () => {
    const found = await compare(request('GET', '/v1/feed HTTP/1.1').repeat(LIMITS.requestsPerConnection + 5))

    assert.lengthOf(found.match(/HTTP\/1\.1 200 OK/g)!, LIMITS.requestsPerConnection)
    assert.lengthOf(found.match(/Connection: keep-alive\r\nKeep-Alive: timeout=65\r\n/g)!, 99)
    assert.lengthOf(found.match(/Connection: close\r\n/g)!, 1)
  })

  it('are written no faster than the caller reads, and cut if nothing is read', async () => {
    const services = await start({ ...LIMITS, drainMs: DRAIN_MS })
    const { port } = services[1]
    await rawExchange(port, last('GET', '/v1/signals'))
    const socket = await silentReader(port, request('GET', '/v1/signals HTTP/1.1').repeat(90))
    let received = 0
    while ((await services[1].connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 50))

    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'close')

    assert.isBelow(received, 40 * LARGE * Buffer.byteLength(NAME))
    await Promise.all(services.map((service) => service.close()))
  })

  it('continue to the last byte for a slow caller', async () => {
    const whole = await rawExchange(kept!.port, last('GET', '/v1/signals'))
    const socket = connect(kept!.port, '127.0.0.1')
    socket.write(last('GET', '/v1/signals'))
    let received = 0
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received < 400_000) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.strictEqual(received, whole.length)
  })

  it('are complete while others with the same bytes still wait for slow callers', async () => {
    const ids = Array.from({ length: 6 }, (_, place) => `slow-${place}`)
    const asked = (id: string) => request('GET', '/v1/signals HTTP/1.1').replace('same', id)
    const [, body] = (await rawExchange(kept!.port, last('GET', '/v1/signals'))).split('\r\n\r\n')
    const socket = connect(kept!.port, '127.0.0.1')
    socket.pause()
    socket.write(ids.map(asked).join(''))
    for (const id of ['fast-1', 'fast-2', 'of-another-length']) {
      const fast = await rawExchange(kept!.port, last('GET', '/v1/signals').replace('same', id))
      assert.include(fast, `X-Request-Id: ${id}\r\n`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }

    socket.end()
    const received = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1')
    assert.deepEqual(
      [...received.matchAll(/X-Request-Id: (\S+)\r\n/g)].map(([, id]) => id),
      ids,
    )
    const bodies = received.split('\r\n\r\n').slice(1)
    assert.isTrue(bodies.every((each) => each.startsWith(body!)))
  })

  it('arrive completely if the service stops while they are sent, and then the connection closes', async () => {
    const services = await start()
    const [other, service] = services
    await other.close()
    await rawExchange(service.port, last('GET', '/v1/signals'))
    const socket = connect(service.port, '127.0.0.1')
    socket.write(request('GET', '/v1/signals HTTP/1.1'))
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.pause()

    const closed = service.close(5_000)
    const rest = await socket.toArray()

    await closed
    const text = Buffer.concat([first, ...(rest as Buffer[])]).toString('latin1')
    const [head = '', body] = text.split('\r\n\r\n')
    assert.strictEqual(body!.length, Number(/Content-Length: (\d+)/.exec(head)![1]))
  })
})
