// The watchlist over HTTP on a real PostgreSQL: who has access, and what each key sees.
import { randomBytes } from 'node:crypto'
import { assert } from 'chai'
import { newApiKey, readApiKey, writeApiKey } from '../../src/domain/alerts/api-key.ts'
import { call, type CallOptions, type Reply } from '../support/http/contract-client.ts'
import { example, type ExampleService } from '../support/http/example-service.ts'
import { keyService, type KeyService } from '../support/service/keys.ts'
import { rawExchange, statusOf } from '../support/http/raw-http.ts'
import { refusalOf } from '../support/http/two-keys.ts'

const ROUTES: [method: string, path: string][] = [
  ['GET', '/v1/watchlist'],
  ['HEAD', '/v1/watchlist'],
  ['OPTIONS', '/v1/watchlist'],
  ['GET', '/v1/watchlist?limit=0'],
  ['POST', '/v1/watchlist'],
  ['PUT', '/v1/watchlist'],
  ['DELETE', '/v1/watchlist/EXMP'],
  ['GET', '/v1/watchlist/EXMP'],
  ['OPTIONS', '/v1/watchlist/EXMP'],
  ['GET', '/v1/watchlist/x/y'],
  ['GET', '/v1/watchlist/'],
  ['DELETE', '/v1/watchlist/'],
  ['DELETE', '/v1/watchlist/%2e%2e'],
  ['GET', '/v1/watchlist/deliveries'],
  ['GET', '/v1/watchlist/deliveries/evt_1'],
  ['POST', '/v1/watchlist/deliveries/evt_1/resend'],
  ['POST', '/v1/watchlist/EXMP/test'],
]
/** What is not the watchlist to us, and must not be to anything below us. */
const ODD: [target: string, status: number][] = [
  ['/v1/watchlist#', 400],
  ['http://service.test/v1/watchlist#x', 400],
  ['//v1/watchlist', 404],
  ['/v1//watchlist', 404],
  ['/V1/watchlist', 404],
  ['/v1/Watchlist', 404],
  ['/v1/watchlist%2FEXMP', 404],
  ['/v1/%77atchlist', 404],
  ['/v1/watchlist;x', 404],
  ['/v1/feed/../watchlist', 404],
  ['/v1/watchlist%00', 404],
  ['\\v1\\watchlist', 400],
]

let service: KeyService
let http: ExampleService
let good: string

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const as = (key: string, method: string, path: string, body?: CallOptions['body']): Promise<Reply> =>
  call(http.url, method, path, { headers: bearer(key), ...(body !== undefined && { body }) })
const add = (key: string, ticker: string, webhookUrl?: string | null) =>
  as(key, 'POST', '/v1/watchlist', { ticker, ...(webhookUrl !== undefined && { webhookUrl }) })
const tickers = async (key: string): Promise<string[]> =>
  (await as(key, 'GET', '/v1/watchlist')).body.data.companies.map((entry: { ticker: string }) => entry.ticker)
function request(method: string, target: string, headers: string[]): Promise<string> {
  const body = method === 'POST' ? '{"ticker":"EXMP"}' : ''
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: service.test',
    'Connection: close',
    ...headers,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
  ]
  return rawExchange(http.port, `${head.join('\r\n')}\r\n\r\n${body}`)
}

describe('the watchlist over HTTP', function () {
  this.timeout(60_000)
  before(async () => {
    service = await keyService()
    http = await service.listen()
    good = (await service.issue()).key
  })
  after(async () => {
    await http.close()
    await service.close()
  })

  describe('without a good key', () => {
    let bad: Record<string, string[]>
    before(async () => {
      const [revoked, expired] = [await service.issue(), await service.keys.issue('expired', 1)]
      await service.keys.revoke(revoked.id)
      await service.pool.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [
        expired.id,
      ])
      const { id } = readApiKey(good)!
      const header = (value: string) => [`Authorization: ${value}`]
      bad = {
        none: [],
        empty: header(''),
        malformed: header('Bearer itd_x'),
        'no token': header('Bearer'),
        'a blank token': header('Bearer '),
        'two tokens': header('Bearer a b'),
        'no ASCII': header('Bearer é'),
        longer: header(`Bearer ${good}x`),
        typo: header(`Bearer ${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`),
        unknown: header(`Bearer ${writeApiKey(newApiKey(randomBytes))}`),
        'another secret': header(`Bearer ${writeApiKey({ id, secret: newApiKey(randomBytes).secret })}`),
        revoked: header(`Bearer ${revoked.key}`),
        expired: header(`Bearer ${expired.key}`),
        'other scheme': header(`Basic ${Buffer.from(`${good}:`).toString('base64')}`),
        'scheme of ours': header(`ApiKey ${good}`),
        'our scheme as a token': header(`Basic bearer ${good}`),
        'no scheme': header(good),
        'in quotes': header(`Bearer "${good}"`),
        'twice in one': header(`Bearer ${good}, Bearer ${good}`),
        'two headers': [...header(`Bearer ${good}`), ...header(`Bearer ${good}`)],
        'two headers, in two spellings': [...header('Bearer x'), `AUTHORIZATION: Bearer ${good}`],
        'other headers': [`X-Api-Key: ${good}`, `Cookie: key=${good}`, `Proxy-Authorization: Bearer ${good}`],
        'other case': header(`Bearer ${good.toLowerCase()}`),
      }
    })

    for (const [method, path] of ROUTES) {
      it(`${method} ${path} answers 401 and does nothing`, async () => {
        const before = service.reached()
        for (const [what, headers] of Object.entries(bad)) {
          for (const target of [
            path,
            `http://service.test${path}`,
            `HTTPS://user@other.test${path}`,
            `${path}${path.includes('?') ? '&' : '?'}api_key=${good}`,
            `${path}${path.includes('?') ? '&' : '?'}access_token=${good}`,
          ]) {
            const answer = await request(method, target, headers)
            assert.strictEqual(statusOf(answer), 401, `${what}: ${target}`)
            assert.match(answer, /\r\nWWW-Authenticate: Bearer\r\n/)
            assert.match(answer, /\r\nCache-Control: private, no-store\r\n/)
            const isMissing = what === 'none' || what === 'other headers'
            if (method !== 'HEAD') assert.match(answer, isMissing ? /missing_api_key/ : /invalid_api_key/)
          }
        }
        assert.strictEqual(service.reached(), before)
      })
    }

    it('unusual spellings of a path are not found, with or without a key', async () => {
      const before = service.reached()
      for (const [target, status] of ODD) {
        for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']) {
          for (const headers of [[], [`Authorization: Bearer ${good}`]]) {
            assert.strictEqual(statusOf(await request(method, target, headers)), status, `${method} ${target}`)
          }
        }
      }
      assert.strictEqual(service.reached(), before)
    })

    it('a body is not waited for', async () => {
      const head = [
        'POST /v1/watchlist HTTP/1.1',
        'Host: a',
        'Connection: close',
        'Content-Type: application/json',
        'Content-Length: 16000',
      ]
      assert.strictEqual(statusOf(await rawExchange(http.port, `${head.join('\r\n')}\r\n\r\n{`)), 401)
    })

    it('a key in the query string is refused even beside a valid one', async () => {
      assert.strictEqual(
        refusalOf(await as(good, 'GET', `/v1/watchlist?api_key=${good}`)),
        '400 invalid_parameter query.api_key',
      )
    })
  })

  describe('of one key', () => {
    it('is empty at first, and answers as the contract says', async () => {
      const { key } = await service.issue()
      assert.deepEqual((await as(key, 'GET', '/v1/watchlist')).body, { success: true, data: { companies: [] } })
      const url = 'https://alerts.example/form4?token=a'
      const first = await add(key, 'exmp', url)
      const { addedAt } = first.body.data
      assert.deepEqual(
        [first.status, first.body],
        [201, { success: true, data: { ticker: 'EXMP', addedAt, webhookUrl: url } }],
      )
      assert.isBelow(Math.abs(Date.parse(addedAt) - Date.now()), 30_000)
      const list = await as(key, 'GET', '/v1/watchlist')
      assert.deepEqual(
        [list.status, list.body],
        [200, { success: true, data: { companies: [{ ticker: 'EXMP', addedAt }] } }],
      )
      const removed = await as(key, 'DELETE', '/v1/watchlist/EXMP')
      assert.deepEqual([removed.status, removed.body], [200, { success: true }])
      assert.strictEqual(refusalOf(await as(key, 'DELETE', '/v1/watchlist/EXMP')), '404 not_on_watchlist')
      const head = await as(key, 'HEAD', '/v1/watchlist')
      assert.deepEqual(
        [head.status, head.body, head.headers['cache-control'], head.headers.etag],
        [200, undefined, 'private, no-store', undefined],
      )
    })

    it('keeps the time of an entry that is added again, and changes its address', async () => {
      const { key } = await service.issue()
      const { addedAt } = (await add(key, 'EXMP')).body.data
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      for (const url of ['https://one.example/', 'https://two.example/', undefined, 'https://one.example/', null]) {
        const again = await add(key, 'EXMP', url)
        assert.deepEqual(
          [again.status, again.body.data],
          [200, { ticker: 'EXMP', addedAt, ...(url && { webhookUrl: url }) }],
        )
      }
      assert.deepEqual(await tickers(key), ['EXMP'])
    })

    it('accepts any well-formed ticker, and has one entry for all its spellings', async () => {
      const { key } = await service.issue()
      for (const [ticker, status] of [
        ['BRK.B', 201],
        ['brk-b', 200],
        ['Brk/B', 200],
      ] as const) {
        assert.strictEqual((await add(key, ticker)).status, status, ticker)
      }
      const unknown = await add(key, 'neverheard')
      const warning = 'No company has the symbol NEVERHEARD at present. Alerts begin once one has.'
      assert.deepEqual([unknown.status, unknown.body.data.warning], [201, warning])
      assert.deepEqual((await add(key, 'NEVERHEARD')).body.data, { ...unknown.body.data, warning })
      assert.deepEqual(await tickers(key), ['NEVERHEARD', 'BRK-B'])
      assert.strictEqual((await as(key, 'DELETE', '/v1/watchlist/brk%2Fb')).status, 200)
      assert.strictEqual((await as(key, 'DELETE', '/v1/watchlist/neverheard')).status, 200)
      assert.deepEqual(await tickers(key), [])
    })

    it('accepts a CIK in each form, and shows and removes the same entry', async () => {
      const { key } = await service.issue()
      for (const [form, status] of [
        ['CIK0001490892', 201],
        ['1490892', 200],
        ['cik1490892', 200],
        ['0001490892', 200],
      ] as const) {
        const reply = await add(key, form)
        assert.deepEqual([reply.status, reply.body.data.ticker], [status, 'CIK0001490892'], form)
        assert.notProperty(reply.body.data, 'warning')
      }
      assert.deepEqual(await tickers(key), ['CIK0001490892'])
      assert.strictEqual(refusalOf(await add(key, 'CIK00014908921')), '400 invalid_body body.ticker')
      assert.strictEqual((await as(key, 'DELETE', '/v1/watchlist/1490892')).status, 200)
      assert.deepEqual(await tickers(key), [])
      assert.strictEqual(refusalOf(await as(key, 'DELETE', '/v1/watchlist/CIK1490892')), '404 not_on_watchlist')
    })

    it('refuses bodies and paths that violate the contract', async () => {
      const { key } = await service.issue()
      for (const more of [{ keyId: 'x' }, { key_id: 'x' }, { addedAt: '2030-01-01T00:00:00Z' }, { disabled: false }]) {
        assert.match(
          refusalOf(await as(key, 'POST', '/v1/watchlist', { ticker: 'EXMP', ...more })),
          /^400 invalid_body body\./,
        )
      }
      for (const ticker of ['', 'A B', 'ABCDEFGHIJK', '-A', 'Ä', 'A\u0000', "A'--"]) {
        assert.strictEqual(refusalOf(await add(key, ticker)), '400 invalid_body body.ticker', ticker)
      }
      assert.strictEqual(
        refusalOf(await as(key, 'POST', '/v1/watchlist', { webhookUrl: 'https://one.example/' })),
        '400 invalid_body body.ticker',
      )
      assert.strictEqual(refusalOf(await as(key, 'DELETE', '/v1/watchlist/A%20B')), '400 invalid_parameter path.ticker')
      assert.deepEqual(await tickers(key), [])
    })

    it('refuses addresses that are not public https, and changes nothing', async () => {
      const { key } = await service.issue()
      await add(key, 'EXMP', 'https://one.example/')
      for (const url of [
        'http://one.example/',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://user@one.example/',
        'https://a.inside.example/',
        'https://localhost/',
        'https://169.254.169.254/latest',
        'https://2130706433/',
        'ftp://one.example/',
        'one.example',
        'https://one.example:6379/',
      ]) {
        assert.strictEqual(refusalOf(await add(key, 'EXMP', url)), '422 webhook_url_refused body.webhookUrl', url)
        assert.strictEqual(refusalOf(await add(key, 'SMPL', url)), '422 webhook_url_refused body.webhookUrl', url)
      }
      assert.deepEqual(await tickers(key), ['EXMP'])
      const kept = await service.pool.query('SELECT webhook_url FROM watchlist WHERE key_id = $1', [
        readApiKey(key)!.id,
      ])
      assert.deepEqual(kept.rows, [{ webhook_url: 'https://one.example/' }])
    })

    it('refuses a private address and an unresolvable name, each with its own code', async () => {
      const { key } = await service.issue()
      for (const name of ['inside', 'unknown']) {
        const { status, body } = await add(key, 'EXMP', `https://a.${name}.example/`)
        const { error } = example(`errors/webhook-${name === 'inside' ? 'url-refused' : 'name-not-resolved'}`)
        assert.strictEqual(status, 422)
        assert.deepEqual(body.error, { ...error, requestId: body.error.requestId })
      }
      assert.deepEqual(await tickers(key), [])
    })

    it('has at most 1,000 entries, even if they are added concurrently', async () => {
      const { id, key } = await service.issue()
      await service.pool.query(
        `INSERT INTO watchlist (key_id, ticker) SELECT $1, 'T' || n FROM generate_series(1, 995) n`,
        [id],
      )
      const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => add(key, `NEW${at}`)))
      assert.lengthOf(
        replies.filter(({ status }) => status === 201),
        5,
      )
      for (const reply of replies.filter(({ status }) => status !== 201))
        assert.strictEqual(refusalOf(reply), '409 watchlist_full')
      assert.lengthOf(await tickers(key), 1_000)
      assert.strictEqual((await add(key, 'T7', 'https://one.example/')).status, 200, 'there already')
      assert.strictEqual(refusalOf(await add(key, 'ONEMORE')), '409 watchlist_full')
      assert.strictEqual((await as(key, 'DELETE', '/v1/watchlist/T7')).status, 200)
      assert.strictEqual((await add(key, 'ONEMORE')).status, 201)
      assert.strictEqual((await add((await service.issue()).key, 'ONEMORE')).status, 201, 'another key')
    })

    it('has one entry for a symbol that is added concurrently', async () => {
      const { key } = await service.issue()
      const statuses = (await Promise.all(Array.from({ length: 12 }, () => add(key, 'EXMP')))).map(
        ({ status }) => status,
      )
      assert.deepEqual(statuses.sort(), [...Array(11).fill(200), 201])
      assert.deepEqual(await tickers(key), ['EXMP'])
      const gone = await Promise.all(Array.from({ length: 8 }, () => as(key, 'DELETE', '/v1/watchlist/EXMP')))
      assert.deepEqual(gone.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)])
    })
  })

  describe('of two keys', () => {
    it("neither shows nor changes the other's: a foreign entry is not found", async () => {
      const [one, two] = [(await service.issue()).key, (await service.issue()).key]
      await add(one, 'ONLYONE', 'https://one.example/')
      await add(two, 'ONLYTWO', 'https://two.example/')
      await add(one, 'BOTH')
      for (const [mine, theirs, entry] of [
        [one, two, 'ONLYTWO'],
        [two, one, 'ONLYONE'],
      ] as const) {
        const before = await tickers(theirs)
        const strangers = await as(mine, 'DELETE', `/v1/watchlist/${entry}`)
        const nobodys = await as(mine, 'DELETE', '/v1/watchlist/NOBODYS')
        const plain = ({
          body: {
            error: { requestId: _requestId, ...error },
            ...body
          },
        }: Reply) => ({ ...body, error })
        assert.deepEqual([strangers.status, plain(strangers)], [404, plain(nobodys)])
        assert.deepEqual(Object.keys(strangers.headers), Object.keys(nobodys.headers))
        assert.deepEqual(await tickers(theirs), before)
        assert.notInclude(await tickers(mine), entry)
      }
      assert.strictEqual((await add(two, 'BOTH', 'https://two.example/')).status, 201, 'new to this key')
      assert.strictEqual((await as(one, 'DELETE', '/v1/watchlist/BOTH')).status, 200)
      assert.deepEqual([await tickers(one), await tickers(two)], [['ONLYONE'], ['BOTH', 'ONLYTWO']])
    })

    it('does not log keys, secrets or the query of an address', () => {
      const text = JSON.stringify(http.log)
      assert.isAbove(http.log.length, 100)
      assert.notInclude(text, readApiKey(good)!.secret.slice(0, 12))
      assert.notInclude(text, 'token=a')
    })
  })
})
