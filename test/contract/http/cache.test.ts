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
import { sendRaw } from '../../support/http/contract-client.ts'

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

/** What no answer of these tests is kept of. */
const NOT_KEPT = ['feedExport', 'sectors', 'filings', 'ruleReturns']

/** The examples, with the dependencies that queries of the stores state. */
function cacheable(queries: Queries): { queries: Queries; asked: () => number } {
  let count = 0
  const kept = (data: object) => {
    const own = data instanceof JsonText ? new JsonText(data.text) : { ...data }
    return withDependencies(own, { parts: ['signals'] })
  }
  const counted = Object.entries<(...ask: any[]) => Promise<any>>({ ...queries }).map(([name, query]) => [
    name,
    async (...ask: unknown[]) => {
      const result = await query(...ask)
      if (NOT_KEPT.includes(name)) return result
      count += 1
      if (result === null) return result
      return 'page' in result ? { ...result, page: kept(result.page) } : kept(result)
    },
  ])
  return { queries: Object.fromEntries(counted) as Queries, asked: () => count }
}

describe('answers from memory over HTTP', () => {
  let service: ExampleService
  let changes: ChangeTracker
  let registry: Registry
  let count: () => number
  const start = async (more = {}) => {
    const { queries, asked: questions } = cacheable(exampleQueries)
    count = questions
    changes = new ChangeTracker()
    registry = new Registry()
    const cache = new AnswerCache({ maxBytes: 8 << 20, changes, clock: Date.now })
    service = await startExampleService({ queries, cache, registry, ...more })
  }
  afterEach(() => service.close())
  const ask = (method: string, target: string, headers: Record<string, string> = {}) =>
    sendRaw(service.url, method, target, { headers })

  for (const target of TARGETS) {
    it(`${target} has the same status, headers and body as from the stores`, async () => {
      await start()
      const made = await ask('GET', target)
      const questions = count()

      const hit = await ask('GET', target)
      const head = await ask('HEAD', target)
      const same = await ask('GET', target, { 'If-None-Match': made.headers.etag! })

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
    const plain = await ask('GET', '/v1/feed')

    for (const what of ['the first', 'from memory']) {
      const zipped = await ask('GET', '/v1/feed', { 'Accept-Encoding': 'br, gzip;q=0.5' })
      assert.strictEqual(zipped.headers['content-encoding'], 'gzip', what)
      assert.strictEqual(zipped.headers.etag, `${plain.headers.etag!.slice(0, -1)}-g"`, what)
      assert.strictEqual(zipped.headers.vary, 'Accept-Encoding', what)
      assert.deepEqual(gunzipSync(zipped.body), plain.body, what)
    }
    for (const etag of [plain.headers.etag!, `${plain.headers.etag!.slice(0, -1)}-g"`]) {
      const same = await ask('GET', '/v1/feed', {
        'Accept-Encoding': 'gzip',
        'If-None-Match': etag,
      })
      assert.strictEqual(same.status, 304)
    }
    const refused = await ask('GET', '/v1/feed', { 'Accept-Encoding': 'gzip;q=0, identity' })
    assert.deepEqual(withoutVarying(refused), withoutVarying(plain))
  })

  it('are recomputed after a change of their data', async () => {
    await start()
    await ask('GET', '/v1/feed')
    await ask('GET', '/v1/feed')
    assert.strictEqual(count(), 1)

    changes.record({ parts: ['signals'], feed: [] })
    await ask('GET', '/v1/feed')

    assert.strictEqual(count(), 2)
  })

  it('are recomputed after the clock is set back', async () => {
    let now = Date.parse('2030-03-05T12:00:00Z')
    const { queries, asked: questions } = cacheable(exampleQueries)
    const cache = new AnswerCache({ maxBytes: 8 << 20, changes: new ChangeTracker(), clock: () => now })
    await start({ queries, cache })
    await ask('GET', '/v1/feed/stats')
    await ask('GET', '/v1/feed/stats')
    assert.strictEqual(questions(), 1)

    now -= 86_400_000
    await ask('GET', '/v1/feed/stats')
    await ask('GET', '/v1/feed/stats')

    assert.strictEqual(questions(), 2)
  })

  it('are computed once for equal concurrent requests', async () => {
    await start()

    const replies = await Promise.all(Array.from({ length: 64 }, () => ask('GET', '/v1/feed')))

    assert.strictEqual(count(), 1)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  })

  it('never include errors, or answers to a key', async () => {
    await start()
    for (const target of ['/v1/companies/UNKN', '/v1/feed?limit=0', '/v1/nothing']) {
      const [one, two] = [await ask('GET', target), await ask('GET', target)]
      assert.isAtLeast(one.status, 400)
      assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id'])
    }
    const keyed = { Authorization: `Bearer ${EXAMPLE_KEY}` }
    await ask('GET', '/v1/watchlist', keyed)
    asked.watchlist = undefined
    await ask('GET', '/v1/watchlist', keyed)
    assert.isDefined(asked.watchlist)
    assert.strictEqual((await ask('GET', '/v1/watchlist')).status, 401)
  })

  it('are refused if the Host header is missing or malformed', async () => {
    await start()
    await ask('GET', '/v1/feed')

    assert.strictEqual((await ask('GET', '/v1/feed', { Host: 'a b' })).status, 400)
  })

  it('have a log line with the same fields as any other, with control characters escaped', async () => {
    await start()
    const headers = { 'User-Agent': 'tester/1 itd_abc123defg_S3cretS3cretS3cret \u009b31m', 'X-Request-Id': 'log-1' }
    await ask('GET', '/v1/feed?limit=5', headers)
    await ask('GET', '/v1/feed?limit=5', headers)

    const [made, hit] = service.log
    assert.strictEqual(service.log.length, 2)
    const { time: _one, durationMs: _two, ...expected } = made
    const { time, durationMs, ...written } = hit
    assert.deepEqual(written, expected)
    assert.deepEqual(Object.keys(hit), Object.keys(made))
    assert.isAtMost(Math.abs(Date.now() - time), 60_000)
    assert.isNumber(durationMs)
    assert.notMatch(JSON.stringify(hit), /S3cret/)
  })

  it('are counted and measured', async () => {
    await start()
    for (let number = 0; number < 3; number += 1) await ask('GET', '/v1/feed')

    const metrics = await registry.metrics()
    assert.match(metrics, /http_answers_from_memory_total 2\b/)
    assert.match(metrics, /http_request_duration_seconds_count\{operation="listFeed",status="2xx"\} 3\b/)
  })
})

function withoutVarying({ status, headers, body }: Awaited<ReturnType<typeof sendRaw>>) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers
  return { status, headers: rest, body: body.toString() }
}
