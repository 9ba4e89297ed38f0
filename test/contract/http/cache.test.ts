// Answers from memory over HTTP, which callers can't tell from others except by speed.
import { JsonText } from '../../../src/application/queries/json-text.ts'
import { gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import { Registry } from 'prom-client'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import type { Queries } from '../../../src/application/queries/queries.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import {
  asked,
  EXAMPLE_KEY,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { rawRequest } from '../../support/http/raw-answers.ts'

const TARGETS = [
  '/v1/feed',
  '/v1/feed?limit=5&filter=buys',
  '/v1/feed/stats',
  '/v1/companies/EXMP?detail=full',
  '/v1/insiders/9900002',
  '/v1/signals?severity=high',
  '/v1/signals/rules',
  '/v1/filings/0000000000-30-000042',
  '/v1/companies?tickers=EXMP,ZZZZ',
  '/v1/search?q=exm&limit=5',
  '/v1/sentiment?ticker=EXMP',
  '/v1/rankings?days=30',
]

/** The examples, with the dependencies that queries of the stores state. */
function cacheable({ feedExport, sectors, ...lists }: Queries): { queries: Queries; asked: () => number } {
  let count = 0
  const dependent = (data: object) =>
    withDependencies(data instanceof JsonText ? new JsonText(data.text) : { ...data }, { parts: ['signals'] })
  const counted =
    (query: (...ask: any[]) => Promise<any>) =>
    async (...ask: unknown[]) => {
      count += 1
      const result = await query(...ask)
      if (result === null) return null
      return 'page' in result ? { ...result, page: dependent(result.page) } : dependent(result)
    }
  const queries = Object.fromEntries(Object.entries(lists).map(([name, query]) => [name, counted(query)]))
  return { queries: { feedExport, sectors, ...queries } as Queries, asked: () => count }
}

describe('answers from memory over HTTP', () => {
  let service: ExampleService
  let changes: ChangeTracker
  let registry: Registry
  let count: () => number
  const start = async (more = {}, host = '127.0.0.1') => {
    const { queries, asked: questions } = cacheable(exampleQueries)
    count = questions
    changes = new ChangeTracker()
    registry = new Registry()
    const cache = new AnswerCache({ maxBytes: 8 << 20, changes, clock: Date.now })
    service = await startExampleService({ queries, cache, registry, ...more }, host)
  }
  afterEach(() => service.close())

  for (const target of TARGETS) {
    it(`${target} has the same status, headers and body as from the stores`, async () => {
      await start()
      const made = await rawRequest(service.port, 'GET', target)
      const questions = count()

      const hit = await rawRequest(service.port, 'GET', target)
      const head = await rawRequest(service.port, 'HEAD', target)
      const same = await rawRequest(service.port, 'GET', target, { 'If-None-Match': made.headers.etag! })

      assert.strictEqual(count(), questions)
      assert.deepEqual(withoutVarying(hit), withoutVarying(made))
      assert.deepEqual(withoutVarying(head), { ...withoutVarying(made), body: '' })
      assert.strictEqual(same.status, 304)
      assert.strictEqual(same.headers.etag, made.headers.etag)
      assert.strictEqual(same.body.length, 0)
    })
  }

  it('are compressed for callers that accept gzip, from the first answer, and revalidate by either ETag', async () => {
    await start()
    const plain = await rawRequest(service.port, 'GET', '/v1/feed')

    for (const what of ['the first', 'from memory']) {
      const zipped = await rawRequest(service.port, 'GET', '/v1/feed', { 'Accept-Encoding': 'br, gzip;q=0.5' })
      assert.strictEqual(zipped.headers['content-encoding'], 'gzip', what)
      assert.strictEqual(zipped.headers.etag, `${plain.headers.etag!.slice(0, -1)}-g"`, what)
      assert.strictEqual(zipped.headers.vary, 'Accept-Encoding', what)
      assert.deepEqual(gunzipSync(zipped.body), plain.body, what)
    }
    for (const etag of [plain.headers.etag!, `${plain.headers.etag!.slice(0, -1)}-g"`]) {
      const same = await rawRequest(service.port, 'GET', '/v1/feed', {
        'Accept-Encoding': 'gzip',
        'If-None-Match': etag,
      })
      assert.strictEqual(same.status, 304)
    }
    const refused = await rawRequest(service.port, 'GET', '/v1/feed', { 'Accept-Encoding': 'gzip;q=0, identity' })
    assert.deepEqual(withoutVarying(refused), withoutVarying(plain))
  })

  it('are recomputed after a change of their data', async () => {
    await start()
    await rawRequest(service.port, 'GET', '/v1/feed')
    await rawRequest(service.port, 'GET', '/v1/feed')
    assert.strictEqual(count(), 1)

    changes.record({ parts: ['signals'], feed: [] })
    await rawRequest(service.port, 'GET', '/v1/feed')

    assert.strictEqual(count(), 2)
  })

  it('are recomputed after the clock is set back', async () => {
    let now = Date.parse('2030-03-05T12:00:00Z')
    const { queries, asked: questions } = cacheable(exampleQueries)
    const cache = new AnswerCache({ maxBytes: 8 << 20, changes: new ChangeTracker(), clock: () => now })
    await start({ queries, cache })
    await rawRequest(service.port, 'GET', '/v1/feed/stats')
    await rawRequest(service.port, 'GET', '/v1/feed/stats')
    assert.strictEqual(questions(), 1)

    now -= 86_400_000
    await rawRequest(service.port, 'GET', '/v1/feed/stats')
    await rawRequest(service.port, 'GET', '/v1/feed/stats')

    assert.strictEqual(questions(), 2)
  })

  it('are computed once for equal concurrent requests', async () => {
    await start()

    const replies = await Promise.all(Array.from({ length: 64 }, () => rawRequest(service.port, 'GET', '/v1/feed')))

    assert.strictEqual(count(), 1)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  })

  it('never include errors, or answers to a key', async () => {
    await start()
    for (const target of ['/v1/companies/UNKN', '/v1/feed?limit=0', '/v1/nothing']) {
      const [one, two] = [await rawRequest(service.port, 'GET', target), await rawRequest(service.port, 'GET', target)]
      assert.isAtLeast(one.status, 400)
      assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id'])
    }
    const keyed = { Authorization: `Bearer ${EXAMPLE_KEY}` }
    await rawRequest(service.port, 'GET', '/v1/watchlist', keyed)
    asked.watchlist = undefined
    await rawRequest(service.port, 'GET', '/v1/watchlist', keyed)
    assert.isDefined(asked.watchlist)
    assert.strictEqual((await rawRequest(service.port, 'GET', '/v1/watchlist')).status, 401)
  })

  it('are refused if the Host header is missing or malformed', async () => {
    await start()
    await rawRequest(service.port, 'GET', '/v1/feed')

    assert.strictEqual((await rawRequest(service.port, 'GET', '/v1/feed', { Host: 'a b' })).status, 400)
  })

  it('have a log line with the same fields as any other, with control characters escaped', async () => {
    await start()
    const headers = { 'User-Agent': 'tester/1 itd_abc123defg_S3cretS3cretS3cret \u009b31m' }
    const replies = []
    for (const _ of [1, 2]) replies.push(await rawRequest(service.port, 'GET', '/v1/feed?limit=5', headers))

    const [made, hit] = service.log
    assert.deepEqual(
      service.log.map(({ requestId }) => requestId),
      replies.map((reply) => reply.headers['x-request-id']),
    )
    assert.notEqual(hit.requestId, made.requestId)
    const { time: _one, durationMs: _two, requestId: _three, ...expected } = made
    const { time, durationMs, requestId: _four, ...written } = hit
    assert.deepEqual(written, expected)
    assert.deepEqual(Object.keys(hit), Object.keys(made))
    assert.isAtMost(Math.abs(Date.now() - time), 60_000)
    assert.isNumber(durationMs)
    assert.notMatch(JSON.stringify(hit), /S3cret/)
  })

  it('are counted and measured', async () => {
    await start()
    for (let number = 0; number < 3; number += 1) await rawRequest(service.port, 'GET', '/v1/feed')

    const metrics = await registry.metrics()
    assert.match(metrics, /http_answers_from_memory_total 2\b/)
    assert.match(metrics, /http_request_duration_seconds_count\{operation="listFeed",status="2xx"\} 3\b/)
  })
})

function withoutVarying({ status, headers, body }: Awaited<ReturnType<typeof rawRequest>>) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers
  return { status, headers: rest, body: body.toString() }
}
