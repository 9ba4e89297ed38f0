// What the contract does not cover: probes, metrics, reference, log, rate limit and a graceful stop.
import { jsonText } from '../../support/service/parsed-queries.ts'
import { assert } from 'chai'
import { Agent, get as httpGet } from 'node:http'
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import { parseRateLimit } from '../../../src/infrastructure/http/rate-limit/limit-rate.ts'
import { call, contract, send } from '../../support/http/contract-client.ts'
import {
  example,
  EXAMPLE_KEY,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { get, rawExchange } from '../../support/http/raw-http.ts'

describe('HTTP paths outside the contract', () => {
  let service: ExampleService
  const ask = (method: string, path: string, options = {}) => call(service.url, method, path, options)
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  it('/healthz queries no store', async () => {
    assert.deepEqual((await ask('GET', '/healthz')).body, { status: 'up' })
  })

  it('/readyz reports the stores, and lag alone does not make it fail', async () => {
    assert.deepEqual((await ask('GET', '/readyz')).body, example('readiness'))
    const { checks } = example('readiness-unavailable')
    const lagging = { follows: true, newestFilingAt: null, lagSeconds: { p50: 86_400, p95: 90_000 }, silent: true }
    const late = await startExampleService({
      health: { ready: async () => ({ checks: { postgres: checks.postgres }, ingestion: lagging }) },
    })
    assert.strictEqual((await call(late.url, 'GET', '/readyz')).status, 200)
    await late.close()
    const broken = await startExampleService({ health: { ready: async () => ({ checks }) } })
    const { status, body } = await call(broken.url, 'GET', '/readyz')
    assert.deepEqual([status, body.status], [503, 'unavailable'])
    assert.deepEqual(body.checks.clickhouse, { ok: false, ms: 1000, error: 'timeout' })
    await broken.close()
  })

  it('/v1/status reports the current data and versions to any web page', async () => {
    const { body, headers } = await ask('GET', '/v1/status')
    assert.deepEqual(body, example('status'))
    assert.deepEqual(
      [headers['cache-control'], headers['access-control-allow-origin'], headers.etag],
      ['no-store', '*', undefined],
    )
    assert.deepEqual((await ask('GET', '/v1/status?days=3')).body.error.code, 'invalid_parameter')
    const { version: _, revision: __, contract: ___, ...filling } = example('status-filling').data
    const other = await startExampleService({
      statusQueries: { status: async () => filling },
      version: '9.9.9',
      revision: null,
    })
    assert.deepEqual((await call(other.url, 'GET', '/v1/status')).body.data, {
      ...filling,
      version: '9.9.9',
      revision: null,
      contract: contract.info.version,
    })
    await other.close()
  })

  it('/metrics counts requests by operation and status class, whatever paths are requested', async () => {
    await ask('GET', '/v1/companies/NOSUCH')
    for (const path of ['/a', '/b', '/c']) await ask('GET', path)
    const { body } = await ask('GET', '/metrics')
    assert.match(body, /http_request_duration_seconds_count\{operation="getCompany",status="4xx"\} 1\n/)
    assert.match(body, /http_request_duration_seconds_count\{operation="none",status="4xx"\} 3\n/)
    assert.match(body, /\nhttp_requests_in_flight 1\n/)
    assert.match(body, /\nprocess_resident_memory_bytes \d/)
  })

  it('/openapi.json is the document with its examples', async () => {
    const { body, headers } = await ask('GET', '/openapi.json')
    assert.deepEqual(Object.keys(body.paths), Object.keys(contract.paths))
    assert.deepEqual(body.components.examples.FeedPage.value, example('feed-page'))
    assert.notInclude(JSON.stringify(body), 'externalValue')
    assert.strictEqual((await ask('GET', '/openapi.json', { headers: { 'if-none-match': headers.etag } })).status, 304)
  })

  it('/docs/reference loads nothing from other hosts, and its policy forbids it', async () => {
    const page = await ask('GET', '/docs/reference')
    const policy = page.headers['content-security-policy']!
    assert.match(policy, /^default-src 'none'; script-src 'self';/)
    assert.notMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    const references = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1])
    assert.includeMembers(references, ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'])
    for (const reference of references) {
      assert.notMatch(reference, /^([a-z]+:)?\/\//i)
      const { status, body, headers } = await ask('GET', new URL(reference, 'http://x/docs/reference').pathname)
      assert.deepEqual([status, headers['x-content-type-options']], [200, 'nosniff'], reference)
      // Style sheets load by url() and @import; our own script says by name what it loads.
      if (reference!.endsWith('.css')) assert.deepEqual(body.match(/@import|url\((?!["']?data:)[^)]*\)/g) ?? [], [])
      if (reference!.endsWith('start.js')) {
        assert.match(body, /url: '..\/openapi.json'/)
        assert.match(body, /validatorUrl: null/)
        assert.notMatch(body, /\/\//)
      }
    }
    assert.notMatch(page.body, /<script>|<style|@import| on[a-z]+=/)
  })
})

describe('the log', () => {
  it('has one line per request, and probes at debug level', async () => {
    const service = await startExampleService()
    const id = 'log-test-1'
    await call(service.url, 'GET', '/v1/feed?limit=5', { headers: { 'x-request-id': id, 'user-agent': 'tester/1' } })
    await call(service.url, 'GET', '/healthz')
    await service.close()
    assert.lengthOf(service.log, 2)
    assert.include(service.log[0], {
      level: 30,
      requestId: id,
      operationId: 'listFeed',
      method: 'GET',
      path: '/v1/feed',
      status: 200,
      address: '127.0.0.1',
      userAgent: 'tester/1',
    })
    assert.deepEqual(service.log[0].query, { limit: '5' })
    assert.isAtLeast(service.log[0].durationMs, 0)
    assert.isAtMost(service.log[0].durationMs, 5000)
    assert.strictEqual(service.log[0].bytes, JSON.stringify(example('feed-page')).length)
    assert.include(service.log[1], { level: 20, operationId: 'getHealth' })
  })

  it('contains no secret, wherever a caller puts one', async () => {
    const service = await startExampleService()
    const key = 'itd_abc123_S3cretS3cretS3cret'
    const webhook = { ticker: 'EXMP', webhookUrl: 'https://u:S3cret@example.com/?token=S3cret' }
    await call(service.url, 'GET', '/v1/watchlist', { headers: { authorization: `Bearer ${key}` } })
    await call(service.url, 'GET', `/v1/watchlist?api_key=${key}`)
    await call(service.url, 'GET', `/v1/watchlist?${key}=1`, { headers: { authorization: 'Bearer x' } })
    await call(service.url, 'GET', `/v1/feed?api_key=S3cretOther`)
    await call(service.url, 'GET', `/v1/feed?cursor=${key}`)
    await call(service.url, 'GET', `/v1/companies/${key}`)
    const telling = { 'user-agent': `curl ${key}`, cookie: 'S3cretCookie', referer: `https://x/?k=${key}` }
    await call(service.url, 'GET', '/v1/feed', { headers: telling })
    await send(service.url, 'POST', '/v1/watchlist', {
      headers: { authorization: `Bearer ${key}` },
      body: webhook,
    })
    await call(service.url, 'POST', '/v1/watchlist', {
      headers: { authorization: `Bearer ${EXAMPLE_KEY}` },
      body: webhook,
    })
    await service.close()
    assert.lengthOf(service.log, 9)
    assert.notMatch(JSON.stringify(service.log), /S3cret|notarealkey/)
    assert.include(JSON.stringify(service.log), 'itd_***')
  })
})

describe('the rate limit', () => {
  it('is parsed from text', () => {
    assert.deepEqual(parseRateLimit('600/min'), { requests: 600, seconds: 60 })
    const units = { 1: ['s', 'sec', 'second'], 60: ['m', 'min', 'minute'], 3600: ['h', 'hour', 'HOUR'] }
    for (const [seconds, names] of Object.entries(units)) {
      for (const name of names) {
        assert.deepEqual(parseRateLimit(`5/${name}`), { requests: 5, seconds: Number(seconds) })
      }
    }
    for (const text of ['', '600', '0/min', '-1/min', '1.5/min', '600/day', '600/', '/min', '600 per min', '1e3/min'])
      assert.strictEqual(parseRateLimit(text), null, text)
  })

  it('is off by default', async () => {
    const service = await startExampleService({ trustProxy: 1 })
    const { headers } = await call(service.url, 'GET', '/v1/feed', { headers: { 'x-forwarded-for': '203.0.113.7' } })
    assert.doesNotHaveAnyKeys(headers, ['ratelimit', 'ratelimit-policy'])
    await service.close()
  })

  it('counts per address, reports what is left, and refuses with Retry-After', async () => {
    const service = await startExampleService({ rateLimit: { requests: 3, seconds: 60 }, trustProxy: 1 })
    const from = (address: string, path = '/v1/feed') =>
      call(service.url, 'GET', path, { headers: { 'x-forwarded-for': address } })
    for (const left of [2, 1, 0]) {
      const { status, headers } = await from('203.0.113.7')
      assert.deepEqual([status, headers['ratelimit-policy']], [200, '"default";q=3;w=60'])
      assert.match(headers.ratelimit!, new RegExp(`^"default";r=${left};t=(60|5\\d)$`))
    }
    const refused = await from('203.0.113.7')
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
    assert.match(refused.headers.ratelimit!, /^"default";r=0;t=(60|5\d)$/)
    assert.isAtLeast(Number(refused.headers['retry-after']), 1)
    assert.isAtMost(Number(refused.headers['retry-after']), 60)
    assert.strictEqual(refused.headers['access-control-allow-origin'], '*')
    assert.strictEqual((await from('203.0.113.7', '/v1/watchlist')).status, 429)
    assert.strictEqual((await from('203.0.113.7', '/healthz')).status, 200)
    // what the caller wrote itself comes before what the proxy added
    assert.strictEqual((await from('198.51.100.1, 203.0.113.7')).status, 429)
    assert.strictEqual((await from('203.0.113.8')).status, 200)
    await service.close()
  })

  it('counts a /64 network of IPv6 as one caller, and counts refused keys too', async () => {
    const service = await startExampleService({ rateLimit: { requests: 2, seconds: 60 }, trustProxy: 1 })
    const from = async (address: string) => {
      const { status } = await call(service.url, 'GET', '/v1/watchlist', { headers: { 'x-forwarded-for': address } })
      return status
    }
    assert.deepEqual([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:ffff::9')], [401, 401])
    assert.strictEqual(await from('2001:0DB8:1:2:3:4:5:6'), 429)
    assert.strictEqual(await from('2001:db8:1:3::1'), 401)
    await service.close()
  })

  it('counts a valid key from any address, also on public routes, and invalid ones by address', async () => {
    const service = await startExampleService({ rateLimit: { requests: 2, seconds: 60 }, trustProxy: 1 })
    const from = async (address: string, path: string, key?: string) => {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const { status } = await call(service.url, 'GET', path, {
        headers: { 'x-forwarded-for': address, ...authorization },
      })
      return status
    }
    assert.deepEqual(
      [await from('203.0.113.1', '/v1/watchlist', EXAMPLE_KEY), await from('203.0.113.2', '/v1/feed', EXAMPLE_KEY)],
      [200, 200],
    )
    assert.deepEqual(
      [await from('203.0.113.3', '/v1/feed', EXAMPLE_KEY), await from('203.0.113.3', '/v1/watchlist', EXAMPLE_KEY)],
      [429, 429],
    )
    // its addresses are not charged for it
    assert.strictEqual(await from('203.0.113.1', '/v1/feed'), 200)
    // guesses are, and stop being looked at; a bad key on a public route is as good as none
    assert.deepEqual(
      [await from('203.0.113.4', '/v1/watchlist', 'guess1'), await from('203.0.113.4', '/v1/feed', 'guess2')],
      [401, 200],
    )
    assert.deepEqual(
      [await from('203.0.113.4', '/v1/watchlist', 'guess3'), await from('203.0.113.4', '/v1/feed')],
      [429, 429],
    )
    await service.close()
  })

  it('does not check keys on public routes while it is off', async () => {
    let looked = 0
    const service = await startExampleService({
      verifyKey: async () => {
        throw new Error(`looked ${++looked}`)
      },
    })
    const { status } = await call(service.url, 'GET', '/v1/feed', { headers: { authorization: 'Bearer itd_x' } })
    await service.close()
    assert.deepEqual([status, looked], [200, 0])
  })

  it('counts in its own memory while Redis is away', async () => {
    const redis = createClient({ url: 'redis://127.0.0.1:1', disableOfflineQueue: true })
    const service = await startExampleService({ rateLimit: { requests: 1, seconds: 60, redis }, trustProxy: 1 })
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    assert.match((await call(service.url, 'GET', '/v1/feed', { headers })).headers.ratelimit!, /^"default";r=0;/)
    assert.strictEqual((await call(service.url, 'GET', '/v1/feed', { headers })).status, 429)
    await service.close()
  })

  it('counts an address behind proxies the same, however it is written', async function () {
    this.timeout(30_000)
    const same: [address: string, ...spellings: string[]][] = [
      [
        '198.51.100.6',
        '198.51.100.6:1234',
        '198.51.100.6:65535',
        '[198.51.100.6]',
        '::ffff:198.51.100.6',
        '::FFFF:c633:6406',
        '[::ffff:c633:6406]:80',
        '0:0:0:0:0:ffff:198.51.100.6',
        ' 198.51.100.6 ',
        '203.0.113.9, 198.51.100.6',
      ],
      [
        '2001:db8::1',
        '[2001:db8::1]',
        '[2001:db8::1]:2000',
        '2001:DB8::1',
        '2001:0db8:0000:0000:0000:0000:0000:0001',
        '2001:db8:0:0:ffff::',
        '2001:db8::192.0.2.1',
        '2001:db8::1%eth0',
        '[2001:db8::1%25]:2000',
      ],
      // Forwarded, this machine's own addresses are like others.
      ['127.0.0.1', '127.0.0.1:4711', '::ffff:127.0.0.1', '[::ffff:7f00:1]:1'],
      ['::1', '[::1]', '[::1]:8080', '0:0:0:0:0:0:0:1'],
    ]
    // What is no address counts as that of the connection, which here is this machine's.
    const none = ['127.evil', '127.1', '0177.0.0.1', '0x7f.0.0.1', '2130706433', 'unknown', '_hidden', '1.2.3.4.5']
    none.push(
      '198.51.100.6:',
      '198.51.100.6:x',
      '198.51.100.6:123456',
      '[2001:db8::1',
      '2001:db8::1]',
      '[]',
      '::g',
      ':::',
    )
    same.push(['127.0.0.1', ...none, ...none.map((each) => `203.0.113.9, ${each}`)])
    const changes = new ChangeTracker()
    // An answer from memory is counted by its own way.
    for (const cache of [undefined, new AnswerCache({ maxBytes: 1 << 20, changes, clock: Date.now })])
      for (const [address, ...spellings] of same) {
        const rateLimit = { requests: spellings.length, seconds: 3_600 }
        const queries = {
          ...exampleQueries,
          feedStats: async () => withDependencies(await exampleQueries.feedStats(), { parts: [] }),
        }
        const service = await startExampleService({
          rateLimit,
          trustProxy: 1,
          queries,
          ...(cache && { cache }),
        })
        const from = (forwarded: string) =>
          call(service.url, 'GET', '/v1/feed/stats', { headers: { 'x-forwarded-for': forwarded } })
        let left = spellings.length
        for (const spelling of spellings) {
          const { headers } = await from(spelling)
          assert.match(headers.ratelimit!, new RegExp(`;r=${--left};`), spelling)
        }
        assert.strictEqual((await from(address)).status, 429)
        assert.strictEqual((await from('192.0.2.77')).status, 200)
        const logged = service.log.map((line) => line.address)
        assert.isTrue(
          logged.every((each) => each === address || isIP(each) === 6 || each === '192.0.2.77'),
          logged.join(),
        )
        await service.close()
      }
  })

  it('does not limit this machine unless a proxy names another address', async () => {
    const service = await startExampleService({ rateLimit: { requests: 1, seconds: 60 }, trustProxy: 1 })
    for (let at = 0; at < 3; at++) assert.strictEqual((await call(service.url, 'GET', '/v1/feed')).status, 200)
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    assert.strictEqual((await call(service.url, 'GET', '/v1/feed', { headers })).status, 200)
    assert.strictEqual((await call(service.url, 'GET', '/v1/feed', { headers })).status, 429)
    await service.close()
  })

  it('does not limit this machine, and ignores X-Forwarded-For unless configured to trust it', async () => {
    const service = await startExampleService({ rateLimit: { requests: 1, seconds: 60 } })
    for (let at = 0; at < 3; at++) {
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      assert.strictEqual((await call(service.url, 'GET', '/v1/feed', { headers })).status, 200)
    }
    await service.close()
  })
})

describe('a graceful stop', () => {
  it('answers received requests, refuses new ones and closes idle connections', async () => {
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const feedStats = async () => (asked.resolve(), await held.promise, jsonText(example('feed-statistics').data))
    const limits = { answerMs: 60_000 }
    const service = await startExampleService({ queries: { ...exampleQueries, feedStats }, limits })
    const agent = new Agent({ keepAlive: true })
    const idle = await new Promise<Socket>((resolve) =>
      httpGet(`${service.url}/healthz`, { agent }, (response) => {
        const { socket } = response
        response.resume().on('end', () => resolve(socket))
      }),
    )
    const gone = new Promise((resolve) => idle.once('close', resolve))
    const slow = rawExchange(service.port, get('/v1/feed/stats').replace('Connection: close\r\n', ''), 60_000)
    await asked.promise
    const started = performance.now()
    const closed = service.close(60_000)
    await gone
    assert.strictEqual(await send(service.url, 'GET', '/healthz').catch((fault) => fault.code), 'ECONNREFUSED')
    held.resolve()
    const answers = await slow
    await closed
    assert.isBelow(performance.now() - started, 20_000)
    assert.match(answers, /^HTTP\/1\.1 200 OK/)
    assert.include(answers, '"topSignals"')
    agent.destroy()
  })

  it('sends all of an answer that its caller reads slowly', async () => {
    // More than the buffers of a connection hold.
    const statistics = { ...example('feed-statistics').data, note: 'long '.repeat(4_000_000) }
    const feedStats = async () => jsonText(statistics)
    const service = await startExampleService({ queries: { ...exampleQueries, feedStats } })
    const socket = connect(service.port, '127.0.0.1')
    socket.write(get('/v1/feed/stats').replace('Connection: close\r\n', ''))
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    const closed = service.close(60_000)
    await sleep(200)
    const answer = Buffer.concat([first, ...((await socket.toArray()) as Buffer[])]).toString('latin1')
    await closed
    const [top = '', body] = answer.split('\r\n\r\n')
    assert.strictEqual(body!.length, Number(/content-length: (\d+)/i.exec(top)?.[1]))
  })

  it('reports not ready at once', async () => {
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const ready = async () => (asked.resolve(), await held.promise, { checks: {} })
    const service = await startExampleService({ health: { ready } })
    const probe = call(service.url, 'GET', '/readyz')
    await asked.promise
    const closed = service.close()
    held.resolve()
    const { status, body } = await probe
    await closed
    assert.deepEqual([status, body.status], [503, 'stopping'])
  })

  it('cuts requests that take longer than the grace time', async () => {
    const asked = Promise.withResolvers<void>()
    const feedStats = () => (asked.resolve(), new Promise<never>(() => {}))
    const limits = { answerMs: 60_000 }
    const service = await startExampleService({ queries: { ...exampleQueries, feedStats }, limits })
    const lost = send(service.url, 'GET', '/v1/feed/stats').catch((fault) => fault.code)
    await asked.promise
    const started = performance.now()
    await service.close(200)
    assert.isAtLeast(performance.now() - started, 150)
    assert.isAtMost(performance.now() - started, 20_000)
    assert.strictEqual(await lost, 'ECONNRESET')
  })
})
