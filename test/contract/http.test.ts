// The HTTP layer's decisions, one by one, over real HTTP. Every answer is held against openapi.yaml by the client, and
// by the service.
import { expect } from 'chai'
import { ServiceError } from '../../src/application/errors.ts'
import { call, send } from '../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  exampleQueries,
  exampleWatchlist,
  startExampleService,
  type ExampleService,
} from '../support/http/example-service.ts'

const CLUSTER = 'cluster_buy-9900100-0000000000-30-000009-nd-1'
const PUBLIC = [
  '/v1/feed',
  '/v1/feed/stats',
  '/v1/companies/EXMP',
  '/v1/insiders/0009900002',
  '/v1/signals',
  '/v1/signals/rules',
  `/v1/signals/${CLUSTER}`,
]
const KEYED: [method: string, path: string][] = [
  ['GET', '/v1/watchlist'],
  ['POST', '/v1/watchlist'],
  ['DELETE', '/v1/watchlist/EXMP'],
]
const BEARER = { authorization: `Bearer ${EXAMPLE_KEY}` }

let service: ExampleService
const ask = (method: string, path: string, options = {}) => call(service.url, method, path, options)

async function refusal(method: string, path: string, options = {}) {
  const {
    status,
    body: { error },
  } = await ask(method, path, options)
  return [status, error.code, ...(error.details ?? []).map((detail: any) => detail.path)].join(' ')
}

describe('HTTP', () => {
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  describe('questions', () => {
    it('reach the queries decoded, with defaults, and come back in the envelope', async () => {
      expect((await ask('GET', '/v1/feed')).body).to.deep.equal(example('feed-page'))
      expect(asked.feed).to.deep.equal({ limit: 20 })
      await ask('GET', '/v1/feed?filter=ceo_cfo&cursor=aB3_-&limit=100')
      expect(asked.feed).to.deep.equal({ filter: 'ceo_cfo', cursor: 'aB3_-', limit: 100 })
      const page = await ask('GET', '/v1/signals?type=reversal&severity=low&limit=1')
      expect(page.body).to.deep.equal(example('signal-page'))
      expect(asked.signals).to.deep.equal({ type: 'reversal', severity: 'low', limit: 1 })
      expect((await ask('GET', '/v1/feed/stats')).body).to.deep.equal(example('feed-statistics'))
    })

    it('take a ticker in any case and separator', async () => {
      for (const [path, ticker] of [
        ['EXMP', 'EXMP'],
        ['BRK.B', 'BRK.B'],
        ['brk-b', 'brk-b'],
        ['BRK%2FB', 'BRK/B'],
        ['BRK%2fB', 'BRK/B'],
      ]) {
        expect((await ask('GET', `/v1/companies/${path}`)).status).to.equal(200)
        expect(asked.company).to.equal(ticker)
      }
    })

    it('take a CIK of 1 to 10 digits', async () => {
      for (const cik of ['9900002', '0009900002'])
        expect((await ask('GET', `/v1/insiders/${cik}`)).status).to.equal(200)
    })

    it('tell of one signal with all it rests on, also of one that has ended', async () => {
      expect((await ask('GET', `/v1/signals/${CLUSTER}`)).body).to.deep.equal(example('signal-detail'))
      expect(asked.signal).to.deep.equal({ id: CLUSTER })
      const ended = example('signal-detail-ended')
      expect((await ask('GET', `/v1/signals/${ended.data.signal.id}?detail=full`)).body).to.deep.equal(ended)
      expect(asked.signal).to.deep.equal({ id: ended.data.signal.id, detail: true })
    })

    it('tell the rules of signals', async () => {
      expect((await ask('GET', '/v1/signals/rules')).body).to.deep.equal(example('signal-rules'))
    })

    it('are refused for what is unknown', async () => {
      expect(await refusal('GET', '/v1/companies/NOSUCH')).to.equal('404 unknown_ticker')
      expect(await refusal('GET', '/v1/insiders/1')).to.equal('404 unknown_insider')
      const longest = `cluster_sell-0000000001-${'a'.repeat(100)}`
      for (const id of ['reversal-1-x', 'ceo_trade-9900100-9900001-2030-03-03-sell', longest]) {
        expect(await refusal('GET', `/v1/signals/${id}`), id).to.equal('404 unknown_signal')
      }
    })
  })

  describe('parameters', () => {
    it('limit is decimal digits from 1 to 100', async () => {
      const bad = [
        '0',
        '101',
        '0x10',
        '%205',
        '+5',
        '5%20',
        '1e2',
        '',
        '-1',
        '1.0',
        'ten',
        '%D9%A3',
        '99999999999999999999',
        '1,2',
      ]
      for (const limit of bad) {
        for (const path of ['/v1/feed', '/v1/signals']) {
          expect(await refusal('GET', `${path}?limit=${limit}`), limit).to.equal('400 invalid_parameter query.limit')
        }
      }
      expect(await refusal('GET', '/v1/feed?limit')).to.equal('400 invalid_parameter query.limit')
      for (const limit of ['1', '100', '%31%30'])
        expect((await ask('GET', `/v1/feed?limit=${limit}`)).status).to.equal(200)
    })

    it('have their listed values only', async () => {
      for (const filter of ['BUYS', 'buys%20', '%22buys%22', '', 'buys,sells', 'all']) {
        expect(await refusal('GET', `/v1/feed?filter=${filter}`), filter).to.equal('400 invalid_parameter query.filter')
      }
      expect(await refusal('GET', '/v1/signals?type=%22reversal%22')).to.equal('400 invalid_parameter query.type')
      expect(await refusal('GET', '/v1/signals?severity=none')).to.equal('400 invalid_parameter query.severity')
    })

    it('are refused when unknown, on every path', async () => {
      const paths = [...PUBLIC, '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/docs/start.js']
      for (const path of paths) {
        expect(await refusal('GET', `${path}?nosuch=1`), path).to.equal('400 invalid_parameter query.nosuch')
      }
      for (const [method, path] of KEYED) {
        const body = method === 'POST' ? { body: { ticker: 'EXMP' } } : {}
        expect(await refusal(method, `${path}?api_key=1`, { headers: BEARER, ...body })).to.equal(
          '400 invalid_parameter query.api_key',
        )
      }
      for (const query of ['limit[]=5', 'limit%5B0%5D=5', 'Limit=5', '__proto__=1', 'constructor=1']) {
        expect(await refusal('GET', `/v1/feed?${query}`), query).to.match(/^400 invalid_parameter query\./)
      }
    })

    it('have nothing between two ampersands, or before or after one', async () => {
      for (const query of ['?', '?&', '?&&&', '?limit=5&', '?&limit=5', '?&&limit=5&&detail=full&']) {
        expect((await call(service.url, 'GET', `/v1/feed${query}`)).status, query).to.equal(200)
        expect(asked.feed.limit, query).to.equal(query.includes('limit') ? 5 : 20)
      }
      expect((await call(service.url, 'GET', '/v1/feed/stats?&')).status).to.equal(200)
      for (const query of ['?=', '?=5', '?limit=5&=', '?&=&']) {
        const {
          status,
          body: { error },
        } = await call(service.url, 'GET', `/v1/feed${query}`)
        expect([status, error.details[0].path], query).to.deep.equal([400, 'query'])
      }
      expect((await call(service.url, 'GET', '/v1/feed?limit=5&&limit=6')).status).to.equal(400)
    })

    it('are refused when repeated, also in another spelling', async () => {
      for (const query of ['limit=5&limit=5', 'limit=5&%6cimit=6', 'filter=buys&filter=sells']) {
        const told = await refusal('GET', `/v1/feed?${query}`)
        expect(told, query).to.match(/^400 invalid_parameter query\.(limit|filter)$/)
      }
    })

    it('cursor is refused with a code of its own', async () => {
      for (const cursor of ['', '%20', 'a.b', 'a%2Bb', 'a'.repeat(513)]) {
        expect(await refusal('GET', `/v1/feed?cursor=${cursor}`)).to.equal('400 invalid_cursor query.cursor')
      }
      expect(await refusal('GET', '/v1/signals?cursor=%00')).to.equal('400 invalid_cursor query.cursor')
    })

    it('the id of a signal must be well-formed', async () => {
      for (const id of [
        'x',
        'rules%20',
        'Rules',
        'cluster_buy',
        'cluster_buy-',
        'cluster_buy-1',
        'cluster_buy-1-',
        'cluster-1-x',
        'Cluster_buy-1-x',
        'cluster_buy-12345678901-x',
        'cluster_buy-x-x',
        'cluster_buy--1-x',
        'cluster_buy-1-a_b',
        'cluster_buy-1-a.b',
        "cluster_buy-1-'",
        'cluster_buy-1-%00',
        'cluster_buy-1-%C3%A4',
        'cluster_buy-1-a%2Fb',
        'cluster_buy-%D9%A3-x',
        'cluster_buy-1-x%0A',
        `cluster_buy-1-${'a'.repeat(101)}`,
      ]) {
        expect(await refusal('GET', `/v1/signals/${id}`), id).to.equal('400 invalid_parameter path.id')
      }
    })

    it('ticker and cik must be well-formed', async () => {
      for (const ticker of [
        'ABCDEFGHIJK',
        'A..B',
        'A%20B',
        'A-B-C-D',
        '-A',
        'A%2F%2FB',
        '..%2FA',
        '%00',
        'Ä',
        '%C3%84',
        '$A',
        "A'--",
      ]) {
        if (ticker === 'Ä') continue // no HTTP client sends it raw
        expect(await refusal('GET', `/v1/companies/${ticker}`), ticker).to.equal('400 invalid_parameter path.ticker')
      }
      for (const cik of ['12345678901', 'abc', '1%20', '-1', '1e3', '0x1', '%D9%A3']) {
        expect(await refusal('GET', `/v1/insiders/${cik}`), cik).to.equal('400 invalid_parameter path.cik')
      }
    })
  })

  describe('paths and methods', () => {
    it('what is not there is 404', async () => {
      for (const path of [
        '/v1',
        '/v1/',
        '/v1/feed/',
        '/V1/feed',
        '/v1/Feed',
        '/v2/feed',
        '/v1/companies',
        '/v1/companies/',
        '/v1/companies/A/B',
        '//v1/feed',
        '/v1//feed',
        '/v1/%66eed',
        '/v1/feed%2Fstats',
        '/v1/./feed',
        '/v1/x/../feed',
        '/docs//',
        '/favicon.ico',
        '/.env',
      ]) {
        expect(await refusal('GET', path), path).to.equal('404 not_found')
      }
      expect(await refusal('GET', '/docs/package.json')).to.equal('404 not_found')
      expect(await refusal('GET', '/docs/..%2Fpackage.json')).to.equal('404 not_found')
    })

    it('/ and /docs/ lead to the reference, also below a prefix that a proxy takes away', async () => {
      for (const method of ['GET', 'HEAD']) {
        for (const [path, base] of [
          ['/', ''],
          ['/docs/', ''],
          ['/', '/prefix'],
          ['/docs/', '/prefix'],
        ] as const) {
          const { status, headers, body } = await send(service.url, method, path)
          expect([status, body, headers['cache-control']], path).to.deep.equal([302, undefined, 'no-store'])
          const { pathname } = new URL(headers.location!, `${service.url}${base}${path}`)
          expect(pathname, `${method} ${base}${path}`).to.equal(`${base}/docs`)
        }
      }
      for (const path of ['/', '/docs/']) expect(await refusal('POST', path), path).to.equal('404 not_found')
    })

    it('a method that a path does not have is 405 with Allow', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        const { status, headers, body } = await ask(method, '/v1/feed')
        expect([status, body.error.code]).to.deep.equal([405, 'method_not_allowed'])
        expect(headers.allow).to.equal('GET, HEAD, OPTIONS')
      }
      const keyed = await ask('PATCH', '/v1/watchlist', { headers: BEARER })
      expect([keyed.status, keyed.headers.allow]).to.deep.equal([405, 'GET, POST, HEAD, OPTIONS'])
      expect((await ask('HEAD', '/v1/watchlist/EXMP', { headers: BEARER })).headers.allow).to.equal('DELETE, OPTIONS')
    })

    it('HEAD is GET without the body, everywhere', async () => {
      for (const path of [
        ...PUBLIC,
        '/v1/companies/NOSUCH',
        '/v1/feed?limit=0',
        '/healthz',
        '/readyz',
        '/openapi.json',
        '/docs',
        '/docs/swagger-ui.css',
      ]) {
        const headers = { 'x-request-id': 'same' }
        const [got, head] = [await ask('GET', path, { headers }), await ask('HEAD', path, { headers })]
        const plain = ({ date, ...rest }: Record<string, string>) => rest
        expect([head.status, plain(head.headers)], path).to.deep.equal([got.status, plain(got.headers)])
        expect(head.body).to.equal(undefined)
        expect(head.status, path).to.equal(path.includes('NOSUCH') ? 404 : path.includes('limit=0') ? 400 : 200)
      }
      expect((await ask('HEAD', '/metrics')).status).to.equal(200)
      expect((await ask('HEAD', '/v1/watchlist')).status).to.equal(401)
    })
  })

  describe('caching', () => {
    for (const path of PUBLIC) {
      it(`${path} has a strong ETag and answers 304`, async () => {
        const {
          headers: { etag },
        } = await ask('GET', path)
        expect((await ask('GET', path)).headers.etag).to.equal(etag)
        for (const match of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag}`, ` ${etag} `]) {
          const again = await ask('GET', path, { headers: { 'if-none-match': match } })
          expect([again.status, again.body, again.headers.etag], match).to.deep.equal([304, undefined, etag])
          expect((await ask('HEAD', path, { headers: { 'if-none-match': match } })).status).to.equal(304)
        }
        for (const match of ['"other"', etag!.slice(1, -1), '', '"', `"${etag!.slice(1, -1)}x"`]) {
          expect((await ask('GET', path, { headers: { 'if-none-match': match } })).status, match).to.equal(200)
        }
      })
    }

    it('other answers have other ETags; errors have none and are not kept', async () => {
      const etags = await Promise.all(PUBLIC.map(async (path) => (await ask('GET', path)).headers.etag))
      expect(new Set(etags).size).to.equal(PUBLIC.length)
      const { headers } = await ask('GET', '/v1/companies/NOSUCH', { headers: { 'if-none-match': '*' } })
      expect([headers.etag, headers['cache-control']]).to.deep.equal([undefined, 'no-store'])
    })

    it('watchlist answers are not to be kept', async () => {
      for (const [method, path] of KEYED) {
        expect((await ask(method, path)).headers['cache-control']).to.equal('private, no-store')
      }
    })
  })

  describe('headers', () => {
    it("X-Request-Id is the caller's where well-formed, else new", async () => {
      for (const id of ['a', 'A-b_c.9', 'x'.repeat(64)]) {
        const { headers, body } = await ask('GET', '/v1/nothing', { headers: { 'x-request-id': id } })
        expect([headers['x-request-id'], body.error.requestId]).to.deep.equal([id, id])
      }
      for (const id of ['', 'a b', 'x'.repeat(65), 'a"b', 'a;b', 'é']) {
        const { headers } = await ask('GET', '/v1/feed', { headers: { 'x-request-id': id } })
        expect(headers['x-request-id'], id).to.match(/^[0-9a-f-]{36}$/)
      }
    })

    it('CORS: any page may read public GETs, none the watchlist', async () => {
      for (const path of [
        ...PUBLIC,
        '/v1/companies/NOSUCH',
        '/v1/nosuch',
        '/nosuch',
        '/v1/feed?limit=x',
        '/v1/feed/',
      ]) {
        const { headers } = await ask('GET', path, { headers: { origin: 'https://page.example' } })
        expect(headers['access-control-allow-origin']).to.equal('*')
        expect(headers['access-control-expose-headers']).to.match(/ETag.*RateLimit.*X-Request-Id/)
      }
      const preflight = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
      const { status, headers, body } = await ask('OPTIONS', '/v1/feed', { headers: preflight })
      expect([status, body, headers['access-control-allow-origin']]).to.deep.equal([204, undefined, '*'])
      expect(headers['access-control-allow-methods']).to.equal('GET, HEAD')
      // Listed by name: `*` would not cover it.
      const allowed = headers['access-control-allow-headers']!.toLowerCase().split(', ')
      expect(allowed).to.include.members(['authorization', 'content-type', 'if-none-match', 'x-request-id'])
      const withKey = await ask('GET', '/v1/feed', { headers: { origin: 'https://page.example', ...BEARER } })
      expect([withKey.status, withKey.headers['access-control-allow-origin']]).to.deep.equal([200, '*'])
      for (const [, path] of KEYED) {
        for (const sent of [preflight, { ...preflight, ...BEARER }]) {
          const refused = await ask('OPTIONS', path, { headers: sent })
          expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([])
        }
      }
      for (const path of ['/v1/watchlist', '/v1/watchlist/nosuch/x', '/v1/watchlist/']) {
        for (const sent of [{}, BEARER]) {
          const { headers } = await ask('GET', path, { headers: { origin: 'https://page.example', ...sent } })
          expect(headers, path).not.to.have.property('access-control-allow-origin')
        }
      }
    })

    it('say nothing of what runs here, and forbid guessing types', async () => {
      const { headers } = await ask('GET', '/v1/feed')
      expect(headers).not.to.have.any.keys('x-powered-by', 'server')
      expect(headers['x-content-type-options']).to.equal('nosniff')
      expect(headers['content-type']).to.equal('application/json')
    })
  })

  describe('keys', () => {
    it('without one: 401 missing_api_key, whatever else is wrong', async () => {
      for (const [method, path] of [
        ...KEYED,
        ['PATCH', '/v1/watchlist'],
        ['GET', '/v1/watchlist/x/y'],
        ['GET', '/v1/watchlist?limit=0'],
        ['GET', '/v1/watchlist?api_key=itd_example_key'],
        ['DELETE', '/v1/watchlist/..%2F'],
        ['OPTIONS', '/v1/watchlist'],
      ] as const) {
        const { status, headers, body } = await ask(method, path)
        expect([status, body.error.code, headers['www-authenticate']], path).to.deep.equal([
          401,
          'missing_api_key',
          'Bearer',
        ])
      }
    })

    it('not as Bearer <token>: 401 invalid_api_key', async () => {
      for (const authorization of [
        '',
        'Bearer',
        'Bearer ',
        'Basic YTpi',
        'Basic bearer x',
        'itd_a_b',
        'Bearer a b',
        'Bearer a,b',
        'Token x',
        'Bearer é',
        'Bearer x',
        `Bearer ${EXAMPLE_KEY}x`,
        `Bearer ${EXAMPLE_KEY.toUpperCase()}`,
      ]) {
        const { status, body, headers } = await ask('GET', '/v1/watchlist', { headers: { authorization } })
        expect([status, body.error.code, headers['www-authenticate']], authorization).to.deep.equal([
          401,
          'invalid_api_key',
          'Bearer',
        ])
      }
      expect(await refusal('GET', '/v1/watchlist', { headers: { authorization: ['Bearer a', 'Bearer b'] } })).to.equal(
        '401 invalid_api_key',
      )
    })

    it('with one its watchlist is read and changed', async () => {
      for (const headers of [BEARER, { authorization: `bearer   ${EXAMPLE_KEY} ` }]) {
        const list = await ask('GET', '/v1/watchlist', { headers })
        expect([list.status, list.body, asked.watchlist]).to.deep.equal([
          200,
          example('watchlist'),
          { keyId: 'example' },
        ])
      }
      const headers = BEARER
      const body = example('watchlist-addition')
      const added = await ask('POST', '/v1/watchlist', { headers, body })
      expect([added.status, added.body]).to.deep.equal([201, example('watchlist-entry')])
      expect(asked.added).to.deep.equal({ keyId: 'example', ...body })
      const plain = await ask('POST', '/v1/watchlist', { headers, body: example('watchlist-addition-plain') })
      expect([plain.status, plain.body]).to.deep.equal([200, example('watchlist-entry-plain')])
      expect(asked.added).to.deep.equal({ keyId: 'example', ticker: 'smpl.b', webhookUrl: null })
      const withNull = await ask('POST', '/v1/watchlist', { headers, body: { ticker: 'smpl.b', webhookUrl: null } })
      expect([withNull.status, withNull.body]).to.deep.equal([200, example('watchlist-entry-plain')])
      expect(asked.added).to.deep.equal({ keyId: 'example', ticker: 'smpl.b', webhookUrl: null })
      const removed = await ask('DELETE', '/v1/watchlist/EXMP', { headers })
      expect([removed.status, removed.body]).to.deep.equal([200, example('removed')])
      await ask('DELETE', '/v1/watchlist/brk%2Fb', { headers })
      expect(asked.removed).to.deep.equal({ keyId: 'example', ticker: 'brk/b' })
    })

    it('what its watchlist refuses is told as the examples show', async () => {
      const full = new ServiceError('watchlist_full', example('errors/watchlist-full').error.message)
      const { message, details } = example('errors/webhook-url-refused').error
      const refused = new ServiceError('webhook_url_refused', message, details)
      const add = async (_: string, ticker: string) => {
        throw ticker === 'FULL' ? full : refused
      }
      const other = await startExampleService({ watchlist: { ...exampleWatchlist, add } })
      const told = async (method: string, path: string, ticker?: string) => {
        const reply = await call(other.url, method, path, {
          headers: { ...BEARER, 'x-request-id': example('errors/watchlist-full').error.requestId },
          ...(ticker && { body: { ticker } }),
        })
        return [reply.status, reply.body]
      }
      expect(await told('POST', '/v1/watchlist', 'FULL')).to.deep.equal([409, example('errors/watchlist-full')])
      expect(await told('POST', '/v1/watchlist', 'EXMP')).to.deep.equal([422, example('errors/webhook-url-refused')])
      expect(await told('DELETE', '/v1/watchlist/NONE')).to.deep.equal([404, example('errors/not-on-watchlist')])
      await other.close()
    })

    it('what is not there is told only to those with one', async () => {
      expect(await refusal('GET', '/v1/watchlist/x/y', { headers: BEARER })).to.equal('404 not_found')
    })
  })
})

describe('HTTP over failing stores', () => {
  const secret = 'connect ECONNREFUSED 10.11.12.13:8123 user=itd'
  const failing = (fault: () => Error) =>
    startExampleService({
      queries: {
        ...exampleQueries,
        feed: async () => {
          throw fault()
        },
      },
    })

  it('a store that is away: 503 with Retry-After and no word of the cause', async () => {
    const broken = await failing(() => new ServiceError('unavailable', secret))
    const { status, headers, body } = await call(broken.url, 'GET', '/v1/feed')
    await broken.close()
    expect([status, body.error.code, Number(headers['retry-after']) > 0]).to.deep.equal([503, 'unavailable', true])
    expect(JSON.stringify(body)).not.to.contain('10.11.12.13')
    expect(broken.log.at(-1)).to.include({ level: 50, status: 503, errorCode: 'unavailable' })
    expect(broken.log.at(-1).err.message).to.equal(secret)
  })

  it('a fault of ours: 500, told to the log only', async () => {
    const broken = await failing(() => new TypeError(secret))
    const { status, body } = await call(broken.url, 'GET', '/v1/feed')
    await broken.close()
    expect([status, body.error.code]).to.deep.equal([500, 'internal_error'])
    expect(body.error.message).to.equal('Internal server error')
    expect(broken.log.at(-1).err.message).to.equal(secret)
  })

  it('an answer that breaks the contract is a fault of ours while answers are validated', async () => {
    const broken = await startExampleService({
      queries: { ...exampleQueries, feed: async () => ({ ...example('feed-page').data, total: 3 }) },
    })
    const { status, body } = await send(broken.url, 'GET', '/v1/feed')
    await broken.close()
    expect([status, body.error.code]).to.deep.equal([500, 'internal_error'])
  })
})
