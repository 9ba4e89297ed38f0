// The decisions of the HTTP layer, one by one, over real HTTP. The client checks every answer against openapi.yaml.
import { assert } from 'chai'
import { ServiceError } from '../../../src/application/errors.ts'
import { call, send } from '../../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  exampleQueries,
  exampleWatchlist,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'

const CLUSTER = 'cluster_buy-9900100-0000000000-30-000009-nd-1'
const PUBLIC = [
  '/v1/feed',
  '/v1/feed/stats',
  '/v1/companies?tickers=EXMP',
  '/v1/companies/EXMP',
  '/v1/search?q=a',
  '/v1/sentiment',
  '/v1/rankings',
  '/v1/insiders/0009900002',
  '/v1/signals',
  '/v1/signals/rules',
  `/v1/signals/${CLUSTER}`,
  '/v1/filings',
  '/v1/filings/0000000000-30-000042',
]
const KEYED: [method: string, path: string][] = [
  ['GET', '/v1/feed/export'],
  ['GET', '/v1/watchlist'],
  ['POST', '/v1/watchlist'],
  ['DELETE', '/v1/watchlist/EXMP'],
  ['POST', '/v1/watchlist/EXMP/test'],
  ['GET', '/v1/watchlist/deliveries'],
  ['GET', '/v1/watchlist/deliveries/evt_1'],
  ['POST', '/v1/watchlist/deliveries/evt_1/resend'],
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
    it('reach the queries decoded and with defaults, and are answered in the envelope', async () => {
      assert.deepEqual((await ask('GET', '/v1/feed')).body, example('feed-page'))
      assert.deepEqual(asked.feed, { limit: 20 })
      await ask('GET', '/v1/feed?filter=ceo_cfo&cursor=aB3_-&limit=100')
      assert.deepEqual(asked.feed, { filter: 'ceo_cfo', cursor: 'aB3_-', limit: 100 })
      const page = await ask('GET', '/v1/signals?type=reversal&severity=low&limit=1')
      assert.deepEqual(page.body, example('signal-page'))
      assert.deepEqual(asked.signals, { type: 'reversal', severity: 'low', limit: 1 })
      assert.deepEqual((await ask('GET', '/v1/feed/stats')).body, example('feed-statistics'))
    })

    it('accept a ticker in any case and with any separator', async () => {
      for (const [path, ticker] of [
        ['EXMP', 'EXMP'],
        ['BRK.B', 'BRK.B'],
        ['brk-b', 'brk-b'],
        ['BRK%2FB', 'BRK/B'],
        ['BRK%2fB', 'BRK/B'],
      ]) {
        assert.strictEqual((await ask('GET', `/v1/companies/${path}`)).status, 200)
        assert.strictEqual(asked.company, ticker)
      }
    })

    it('accept a CIK of 1 to 10 digits', async () => {
      for (const cik of ['9900002', '0009900002'])
        assert.strictEqual((await ask('GET', `/v1/insiders/${cik}`)).status, 200)
    })

    it('show a signal with its evidence, even after it has ended', async () => {
      assert.deepEqual((await ask('GET', `/v1/signals/${CLUSTER}`)).body, example('signal-detail'))
      assert.deepEqual(asked.signal, { id: CLUSTER })
      const ended = example('signal-detail-ended')
      assert.deepEqual((await ask('GET', `/v1/signals/${ended.data.signal.id}?detail=full`)).body, ended)
      assert.deepEqual(asked.signal, { id: ended.data.signal.id, detail: true })
    })

    it('list filings by companies, insiders, forms and times, and name unknown symbols', async () => {
      assert.deepEqual((await ask('GET', '/v1/filings')).body, example('filing-page'))
      assert.deepEqual(asked.filings, { limit: 20 })
      const query = 'tickers=exmp,SPY&issuerCiks=9900100&insiderCiks=9900102&forms=4/A,4&filedFrom=2030-01-15&limit=1'
      const { headers, body } = await ask('GET', `/v1/filings?${query}&filedTo=2030-01-15&cursor=aB3_-`)
      assert.deepEqual(body, example('filing-page'))
      assert.strictEqual(headers['x-unknown-tickers'], 'SPY')
      assert.deepEqual(asked.filings, {
        companies: [
          { ticker: 'EXMP', cik: null },
          { ticker: 'SPY', cik: null },
          { ticker: null, cik: '0009900100' },
        ],
        insiderCiks: ['0009900102'],
        forms: ['4', '4/A'],
        filed: { from: 1_894_683_600, before: 1_894_770_000 },
        cursor: 'aB3_-',
        limit: 1,
      })
      for (const name of ['tickers', 'issuerCiks', 'insiderCiks', 'forms', 'filedFrom', 'filedTo']) {
        assert.strictEqual(await refusal('GET', `/v1/filings?${name}=-`), `400 invalid_parameter query.${name}`)
        assert.strictEqual(await refusal('GET', `/v1/filings?${name}=`), `400 invalid_parameter query.${name}`)
      }
    })

    it('show many companies at once, in the order asked, each once', async () => {
      const { body } = await ask('GET', '/v1/companies?tickers=nofil,EXMP,brk.b,CIK9900100,EXMP,BRK%2FB,9900100')
      assert.deepEqual(body, example('company-summaries'))
      assert.deepEqual(asked.companies, [
        { ticker: 'NOFIL', cik: null },
        { ticker: 'EXMP', cik: null },
        { ticker: 'BRK-B', cik: null },
        { ticker: null, cik: '0009900100' },
      ])
      const fifty = Array.from({ length: 50 }, (_, index) => `A${index}`).join(',')
      assert.strictEqual((await ask('GET', `/v1/companies?tickers=${fifty},a0`)).status, 200)
      for (const query of [
        '',
        '?tickers=',
        '?tickers=A,,B',
        '?tickers=A%20B',
        `?tickers=${fifty},B`,
        '?tickers=A&limit=1',
      ])
        assert.match(
          await refusal('GET', `/v1/companies${query}`),
          /^400 invalid_parameter query\.(tickers|limit)$/,
          query,
        )
    })

    it('search by words, for companies and insiders', async () => {
      assert.deepEqual((await ask('GET', '/v1/search?q=exm')).body, example('search-results'))
      assert.deepEqual(asked.search, { q: 'exm', limit: 10 })
      await ask('GET', "/v1/search?q=O'Neil%20%C3%85ng+x%2Cy&kinds=insider,company&limit=20")
      assert.deepEqual(asked.search, { q: "O'Neil Ång x,y", kinds: ['company', 'insider'], limit: 20 })
      await ask('GET', '/v1/search?q=--1&kinds=company')
      assert.deepEqual(asked.search, { q: '--1', kinds: ['company'], limit: 10 })
      for (const q of ['', '%20', '--', '%27%3B%25', '%CC%81', 'a'.repeat(65)])
        assert.strictEqual(await refusal('GET', `/v1/search?q=${q}`), '400 invalid_parameter query.q', q)
      assert.strictEqual(await refusal('GET', '/v1/search'), '400 invalid_parameter query.q')
      assert.strictEqual(await refusal('GET', '/v1/search?q=a&kinds=fund'), '400 invalid_parameter query.kinds')
      for (const limit of ['0', '21', 'x'])
        assert.strictEqual(await refusal('GET', `/v1/search?q=a&limit=${limit}`), '400 invalid_parameter query.limit')
    })

    it('show a filing with all its contents', async () => {
      const filing = example('filing-detail')
      assert.deepEqual((await ask('GET', `/v1/filings/${filing.data.accessionNumber}`)).body, filing)
      assert.strictEqual(asked.filing, filing.data.accessionNumber)
      for (const unknown of ['000000000030000043', '0000000000-30-000043', 'local-0123456789abcdef']) {
        assert.strictEqual(await refusal('GET', `/v1/filings/${unknown}`), '404 unknown_filing')
        assert.strictEqual(asked.filing, unknown)
      }
      for (const bad of ['1', '0000000000-30-00042', 'local-x', '0000000000-30-000042-nd-1']) {
        assert.strictEqual(await refusal('GET', `/v1/filings/${bad}`), '400 invalid_parameter path.accessionNumber')
      }
    })

    it('describe the rules of signals', async () => {
      assert.deepEqual((await ask('GET', '/v1/signals/rules')).body, example('signal-rules'))
    })

    it('answer 404 for unknown companies, insiders, signals and filings', async () => {
      assert.strictEqual(await refusal('GET', '/v1/companies/NOSUCH'), '404 unknown_ticker')
      assert.strictEqual(await refusal('GET', '/v1/insiders/1'), '404 unknown_insider')
      const longest = `cluster_sell-0000000001-${'a'.repeat(100)}`
      for (const id of ['reversal-1-x', 'ceo_trade-9900100-9900001-2030-03-03-sell', longest]) {
        assert.strictEqual(await refusal('GET', `/v1/signals/${id}`), '404 unknown_signal', id)
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
          assert.strictEqual(await refusal('GET', `${path}?limit=${limit}`), '400 invalid_parameter query.limit', limit)
        }
      }
      assert.strictEqual(await refusal('GET', '/v1/feed?limit'), '400 invalid_parameter query.limit')
      for (const limit of ['1', '100', '%31%30'])
        assert.strictEqual((await ask('GET', `/v1/feed?limit=${limit}`)).status, 200)
    })

    it('accept only the listed values', async () => {
      for (const filter of ['BUYS', 'buys%20', '%22buys%22', '', 'buys,sells', 'all']) {
        assert.strictEqual(
          await refusal('GET', `/v1/feed?filter=${filter}`),
          '400 invalid_parameter query.filter',
          filter,
        )
      }
      assert.strictEqual(await refusal('GET', '/v1/signals?type=%22reversal%22'), '400 invalid_parameter query.type')
      assert.strictEqual(await refusal('GET', '/v1/signals?severity=none'), '400 invalid_parameter query.severity')
    })

    it('are refused when unknown, on every path', async () => {
      const paths = [...PUBLIC, '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/reference', '/docs/start.js']
      for (const path of paths) {
        assert.strictEqual(
          await refusal('GET', `${path}${path.includes('?') ? '&' : '?'}nosuch=1`),
          '400 invalid_parameter query.nosuch',
          path,
        )
      }
      for (const [method, path] of KEYED) {
        const body = method === 'POST' ? { body: { ticker: 'EXMP' } } : {}
        assert.strictEqual(
          await refusal(method, `${path}?api_key=1`, { headers: BEARER, ...body }),
          '400 invalid_parameter query.api_key',
        )
      }
      for (const query of ['limit[]=5', 'limit%5B0%5D=5', 'Limit=5', '__proto__=1', 'constructor=1']) {
        assert.match(await refusal('GET', `/v1/feed?${query}`), /^400 invalid_parameter query\./, query)
      }
    })

    it('may be separated by repeated, leading or trailing ampersands', async () => {
      for (const query of ['?', '?&', '?&&&', '?limit=5&', '?&limit=5', '?&&limit=5&&detail=full&']) {
        assert.strictEqual((await call(service.url, 'GET', `/v1/feed${query}`)).status, 200, query)
        assert.strictEqual(asked.feed.limit, query.includes('limit') ? 5 : 20, query)
      }
      assert.strictEqual((await call(service.url, 'GET', '/v1/feed/stats?&')).status, 200)
      for (const query of ['?=', '?=5', '?limit=5&=', '?&=&']) {
        const {
          status,
          body: { error },
        } = await call(service.url, 'GET', `/v1/feed${query}`)
        assert.deepEqual([status, error.details[0].path], [400, 'query'], query)
      }
      assert.strictEqual((await call(service.url, 'GET', '/v1/feed?limit=5&&limit=6')).status, 400)
    })

    it('are refused if repeated, also in another encoding', async () => {
      for (const query of ['limit=5&limit=5', 'limit=5&%6cimit=6', 'filter=buys&filter=sells']) {
        const told = await refusal('GET', `/v1/feed?${query}`)
        assert.match(told, /^400 invalid_parameter query\.(limit|filter)$/, query)
      }
    })

    it('cursor is refused with a code of its own', async () => {
      for (const cursor of ['', '%20', 'a.b', 'a%2Bb', 'a'.repeat(513)]) {
        assert.strictEqual(await refusal('GET', `/v1/feed?cursor=${cursor}`), '400 invalid_cursor query.cursor')
      }
      assert.strictEqual(await refusal('GET', '/v1/signals?cursor=%00'), '400 invalid_cursor query.cursor')
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
        assert.strictEqual(await refusal('GET', `/v1/signals/${id}`), '400 invalid_parameter path.id', id)
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
        assert.strictEqual(await refusal('GET', `/v1/companies/${ticker}`), '400 invalid_parameter path.ticker', ticker)
      }
      for (const cik of ['12345678901', 'abc', '1%20', '-1', '1e3', '0x1', '%D9%A3']) {
        assert.strictEqual(await refusal('GET', `/v1/insiders/${cik}`), '400 invalid_parameter path.cik', cik)
      }
    })
  })

  describe('paths and methods', () => {
    it('an unknown path is 404', async () => {
      for (const path of [
        '/v1',
        '/v1/',
        '/v1/feed/',
        '/V1/feed',
        '/v1/Feed',
        '/v2/feed',
        '/v1/insiders',
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
        assert.strictEqual(await refusal('GET', path), '404 not_found', path)
      }
      assert.strictEqual(await refusal('GET', '/docs/package.json'), '404 not_found')
      assert.strictEqual(await refusal('GET', '/docs/..%2Fpackage.json'), '404 not_found')
    })

    it('/, /docs/ and, without guides, /docs lead to the reference, also below a prefix that a proxy takes away', async () => {
      for (const method of ['GET', 'HEAD']) {
        for (const [path, base, to] of [
          ['/', '', '/docs'],
          ['/docs/', '', '/docs'],
          ['/docs', '', '/docs/reference'],
          ['/', '/prefix', '/docs'],
          ['/docs/', '/prefix', '/docs'],
          ['/docs', '/prefix', '/docs/reference'],
        ] as const) {
          const { status, headers, body } = await send(service.url, method, path)
          assert.deepEqual([status, body, headers['cache-control']], [302, undefined, 'no-store'], path)
          const { pathname } = new URL(headers.location!, `${service.url}${base}${path}`)
          assert.strictEqual(pathname, base + to, `${method} ${base}${path}`)
        }
      }
      assert.strictEqual(await refusal('POST', '/docs/'), '404 not_found')
      assert.strictEqual(await refusal('POST', '/'), '405 method_not_allowed')
    })

    it('a method that a path does not have is 405 with Allow', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        const { status, headers, body } = await ask(method, '/v1/feed')
        assert.deepEqual([status, body.error.code], [405, 'method_not_allowed'])
        assert.strictEqual(headers.allow, 'GET, HEAD, OPTIONS')
      }
      const keyed = await ask('PATCH', '/v1/watchlist', { headers: BEARER })
      assert.deepEqual([keyed.status, keyed.headers.allow], [405, 'GET, POST, HEAD, OPTIONS'])
      assert.strictEqual(
        (await ask('HEAD', '/v1/watchlist/EXMP', { headers: BEARER })).headers.allow,
        'DELETE, OPTIONS',
      )
    })

    it('HEAD is GET without the body, everywhere', async () => {
      for (const path of [
        ...PUBLIC,
        '/v1/companies/NOSUCH',
        '/v1/feed?limit=0',
        '/healthz',
        '/readyz',
        '/openapi.json',
        '/docs/reference',
        '/docs/swagger-ui.css',
      ]) {
        const headers = { 'x-request-id': 'same' }
        const [got, head] = [await ask('GET', path, { headers }), await ask('HEAD', path, { headers })]
        const plain = ({ date: _date, ...rest }: Record<string, string>) => rest
        assert.deepEqual([head.status, plain(head.headers)], [got.status, plain(got.headers)], path)
        assert.strictEqual(head.body, undefined)
        assert.strictEqual(head.status, path.includes('NOSUCH') ? 404 : path.includes('limit=0') ? 400 : 200, path)
      }
      assert.strictEqual((await ask('HEAD', '/metrics')).status, 200)
      assert.strictEqual((await ask('HEAD', '/v1/watchlist')).status, 401)
    })
  })

  describe('caching', () => {
    for (const path of PUBLIC) {
      it(`${path} has a strong ETag and answers 304`, async () => {
        const {
          headers: { etag },
        } = await ask('GET', path)
        assert.strictEqual((await ask('GET', path)).headers.etag, etag)
        for (const match of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag}`, ` ${etag} `]) {
          const again = await ask('GET', path, { headers: { 'if-none-match': match } })
          assert.deepEqual([again.status, again.body, again.headers.etag], [304, undefined, etag], match)
          assert.strictEqual((await ask('HEAD', path, { headers: { 'if-none-match': match } })).status, 304)
        }
        for (const match of ['"other"', etag!.slice(1, -1), '', '"', `"${etag!.slice(1, -1)}x"`]) {
          assert.strictEqual((await ask('GET', path, { headers: { 'if-none-match': match } })).status, 200, match)
        }
      })
    }

    it('different answers have different ETags; errors have none and are not cached', async () => {
      const etags = await Promise.all(PUBLIC.map(async (path) => (await ask('GET', path)).headers.etag))
      assert.strictEqual(new Set(etags).size, PUBLIC.length)
      const { headers } = await ask('GET', '/v1/companies/NOSUCH', { headers: { 'if-none-match': '*' } })
      assert.deepEqual([headers.etag, headers['cache-control']], [undefined, 'no-store'])
    })

    it('answers about a watchlist are not cached', async () => {
      for (const [method, path] of KEYED) {
        assert.strictEqual((await ask(method, path)).headers['cache-control'], 'private, no-store')
      }
    })
  })

  describe('headers', () => {
    it("X-Request-Id is the caller's where well-formed, else new", async () => {
      for (const id of ['a', 'A-b_c.9', 'x'.repeat(64)]) {
        const { headers, body } = await ask('GET', '/v1/nothing', { headers: { 'x-request-id': id } })
        assert.deepEqual([headers['x-request-id'], body.error.requestId], [id, id])
      }
      for (const id of ['', 'a b', 'x'.repeat(65), 'a"b', 'a;b', 'é']) {
        const { headers } = await ask('GET', '/v1/feed', { headers: { 'x-request-id': id } })
        assert.match(headers['x-request-id']!, /^[0-9a-f-]{36}$/, id)
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
        assert.strictEqual(headers['access-control-allow-origin'], '*')
        assert.match(headers['access-control-expose-headers']!, /ETag.*RateLimit.*X-Request-Id/)
      }
      const preflight = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
      const { status, headers, body } = await ask('OPTIONS', '/v1/feed', { headers: preflight })
      assert.deepEqual([status, body, headers['access-control-allow-origin']], [204, undefined, '*'])
      assert.strictEqual(headers['access-control-allow-methods'], 'GET, HEAD')
      // Listed by name: `*` would not cover it.
      const allowed = headers['access-control-allow-headers']!.toLowerCase().split(', ')
      assert.includeMembers(allowed, ['authorization', 'content-type', 'if-none-match', 'x-request-id'])
      const withKey = await ask('GET', '/v1/feed', { headers: { origin: 'https://page.example', ...BEARER } })
      assert.deepEqual([withKey.status, withKey.headers['access-control-allow-origin']], [200, '*'])
      for (const [, path] of KEYED) {
        for (const sent of [preflight, { ...preflight, ...BEARER }]) {
          const refused = await ask('OPTIONS', path, { headers: sent })
          assert.deepEqual(
            Object.keys(refused.headers).filter((name) => name.startsWith('access-control')),
            [],
          )
        }
      }
      for (const path of ['/v1/watchlist', '/v1/watchlist/nosuch/x', '/v1/watchlist/']) {
        for (const sent of [{}, BEARER]) {
          const { headers } = await ask('GET', path, { headers: { origin: 'https://page.example', ...sent } })
          assert.notProperty(headers, 'access-control-allow-origin', path)
        }
      }
    })

    it('do not reveal the software, and forbid guessing content types', async () => {
      const { headers } = await ask('GET', '/v1/feed')
      assert.doesNotHaveAnyKeys(headers, ['x-powered-by', 'server'])
      assert.strictEqual(headers['x-content-type-options'], 'nosniff')
      assert.strictEqual(headers['content-type'], 'application/json')
    })
  })

  describe('keys', () => {
    it('a request with one reads and changes its watchlist', async () => {
      for (const headers of [BEARER, { authorization: `bearer   ${EXAMPLE_KEY} ` }]) {
        const list = await ask('GET', '/v1/watchlist', { headers })
        assert.deepEqual([list.status, list.body, asked.watchlist], [200, example('watchlist'), { keyId: 'example' }])
      }
      const headers = BEARER
      const body = example('watchlist-addition')
      const added = await ask('POST', '/v1/watchlist', { headers, body })
      assert.deepEqual([added.status, added.body], [201, example('watchlist-entry')])
      assert.deepEqual(asked.added, { keyId: 'example', ...body })
      const plain = await ask('POST', '/v1/watchlist', { headers, body: example('watchlist-addition-plain') })
      assert.deepEqual([plain.status, plain.body], [200, example('watchlist-entry-plain')])
      assert.deepEqual(asked.added, { keyId: 'example', ticker: 'smpl.b', webhookUrl: null })
      const withNull = await ask('POST', '/v1/watchlist', { headers, body: { ticker: 'smpl.b', webhookUrl: null } })
      assert.deepEqual([withNull.status, withNull.body], [200, example('watchlist-entry-plain')])
      assert.deepEqual(asked.added, { keyId: 'example', ticker: 'smpl.b', webhookUrl: null })
      const removed = await ask('DELETE', '/v1/watchlist/EXMP', { headers })
      assert.deepEqual([removed.status, removed.body], [200, example('removed')])
      await ask('DELETE', '/v1/watchlist/brk%2Fb', { headers })
      assert.deepEqual(asked.removed, { keyId: 'example', ticker: 'brk/b' })
    })

    it('an error of the watchlist is answered as in the examples', async () => {
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
      assert.deepEqual(await told('POST', '/v1/watchlist', 'FULL'), [409, example('errors/watchlist-full')])
      assert.deepEqual(await told('POST', '/v1/watchlist', 'EXMP'), [422, example('errors/webhook-url-refused')])
      assert.deepEqual(await told('DELETE', '/v1/watchlist/NONE'), [404, example('errors/not-on-watchlist')])
      await other.close()
    })

    it('an unknown path is reported only to callers with one', async () => {
      assert.strictEqual(await refusal('GET', '/v1/watchlist/x/y', { headers: BEARER }), '404 not_found')
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

  it('an unavailable store is 503 with Retry-After, without the cause', async () => {
    const broken = await failing(() => new ServiceError('unavailable', secret))
    const { status, headers, body } = await call(broken.url, 'GET', '/v1/feed')
    await broken.close()
    assert.deepEqual([status, body.error.code, Number(headers['retry-after']) > 0], [503, 'unavailable', true])
    assert.notInclude(JSON.stringify(body), '10.11.12.13')
    assert.include(broken.log.at(-1), { level: 50, status: 503, errorCode: 'unavailable' })
    assert.strictEqual(broken.log.at(-1).err.message, secret)
  })

  it('an internal error is 500, with details in the log only', async () => {
    const broken = await failing(() => new TypeError(secret))
    const { status, body } = await call(broken.url, 'GET', '/v1/feed')
    await broken.close()
    assert.deepEqual([status, body.error.code], [500, 'internal_error'])
    assert.strictEqual(body.error.message, 'Internal server error')
    assert.strictEqual(broken.log.at(-1).err.message, secret)
  })
})
