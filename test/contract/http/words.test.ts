// Messages of refused requests, which must make sense to people who don't know JSON Schema.
import { assert } from 'chai'
import { WORDS } from '../../../src/infrastructure/http/openapi/validation-messages.ts'
import { call, contract } from '../../support/http/contract-client.ts'
import { EXAMPLE_KEY, startExampleService, type ExampleService } from '../../support/http/example-service.ts'

type Json = Record<string, any>

const CASES: [path: string, details: string][] = [
  ['/v1/feed?limit=0', 'query.limit: must be a whole number from 1 to 100'],
  ['/v1/feed?filter=x', 'query.filter: must be one of buys, sells, high, ceo_cfo'],
  ['/v1/feed?filter=', 'query.filter: must not be empty'],
  ['/v1/feed?cursor=', 'query.cursor: must not be empty'],
  ['/v1/feed?cursor=a.b', 'query.cursor: must be the nextCursor of a page, unchanged'],
  [`/v1/feed?cursor=${'a'.repeat(513)}`, 'query.cursor: must have at most 512 characters'],
  ['/v1/feed?detail=x', 'query.detail: must be full'],
  ['/v1/signals?severity=x', 'query.severity: must be one of critical, high, medium, low'],
  ['/v1/companies/a%20b', 'path.ticker: must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193'],
  [`/v1/companies/${'a'.repeat(40)}`, 'path.ticker: must have at most 22 characters'],
  ['/v1/insiders/x', 'path.cik: must be a CIK of 1 to 10 digits'],
  ['/v1/exports/a%20b', 'path.dataset: must be the name of a dataset, as GET /v1/exports lists them'],
  ['/v1/exports/signals/x', 'path.file: must be a file of the dataset, such as 2026-11.parquet or all.parquet'],
  ['/v1/signals/x', 'path.id: must be the id of a signal, such as ceo_trade-1999001-1999101-2026-10-30-buy'],
]
/** For requests with a key. */
const KEYED: [path: string, details: string][] = [
  ['/v1/alerts/x', 'path.id: must be the id of an alert, such as alr_0123456789abcdefghij'],
  ['/v1/watchlist/deliveries?alertId=x', 'query.alertId: must be the id of an alert, such as alr_0123456789abcdefghij'],
  [
    '/v1/watchlist/deliveries/a.b',
    'path.id: must be the id of a delivery, as its header webhook-id and /v1/watchlist/deliveries have it',
  ],
]
const BODIES: [body: Json, details: string][] = [
  [{}, 'body.ticker: is required'],
  [{ ticker: 1 }, 'body.ticker: must be a string'],
  [{ ticker: '' }, 'body.ticker: must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193'],
  [{ ticker: 'A', other: 1 }, 'body.other: is not a field of this operation'],
  [{ ticker: 'A', webhookUrl: 1 }, 'body.webhookUrl: must be a string or null'],
  [{ ticker: 'A', webhookUrl: '' }, 'body.webhookUrl: must not be empty'],
  [{ ticker: 'A', webhookUrl: 'a'.repeat(2_001) }, 'body.webhookUrl: must have at most 2000 characters'],
]
/** Keywords that do not limit values, and so need no message. */
const DESCRIBING = new Set(['description', 'default', 'example', 'examples', 'properties', 'items', 'title', '$ref'])

/** What the message says of all that is wrong, and the code. */
const SEVERAL: [path: string, code: string, message: string][] = [
  ['/v1/feed?limit=0', 'invalid_parameter', 'limit must be a whole number from 1 to 100'],
  ['/v1/feed?ticker=A', 'invalid_parameter', 'ticker is not a parameter of this operation; did you mean tickers?'],
  ['/v1/feed?Limit=3', 'invalid_parameter', 'Limit is not a parameter of this operation; did you mean limit?'],
  [
    '/v1/feed?insider_ciks=3',
    'invalid_parameter',
    'insider_ciks is not a parameter of this operation; did you mean insiderCiks?',
  ],
  ['/v1/feed?apikey=x', 'invalid_parameter', 'apikey is not a parameter of this operation'],
  ['/v1/feed?%1b%5B2J=x', 'invalid_parameter', '\\u001b[2J is not a parameter of this operation'],
  ['/v1/feed?filter=%', 'invalid_parameter', 'filter is badly encoded'],
  ['/v1/feed?%zz=1', 'invalid_parameter', 'The query string is badly encoded'],
  [
    '/v1/feed?limit=0&filter=x&tickers=!',
    'invalid_parameter',
    'limit must be a whole number from 1 to 100; ' +
      'tickers: element 1, "!", must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193; ' +
      'filter must be one of buys, sells, high, ceo_cfo',
  ],
  [
    '/v1/feed?limit=5&limit=6&minValue=x&maxShares=y&filedFrom=z',
    'invalid_parameter',
    'limit is given more than once; ' +
      'minValue must be written in digits, at most 15 before the point and 2 after it; ' +
      'maxShares must be written in digits, at most 15 before the point and 4 after it; and 1 more, see details',
  ],
  [
    '/v1/feed?tickers=EXMP%2C!,&roles=["ceo"]',
    'invalid_parameter',
    'tickers: element 2, "!", must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193; ' +
      'tickers: element 3, "", must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193; ' +
      'roles: element 1, "[\\"ceo\\"]", must be one of officer, director, ten_percent_owner, other, ceo, cfo',
  ],
  ['/v1/feed?minValue=5&maxValue=3', 'invalid_parameter', 'minValue must not be above maxValue'],
  ['/v1/feed?cursor=a.b', 'invalid_cursor', 'cursor must be the nextCursor of a page, unchanged'],
  [
    '/v1/feed?cursor=a.b&limit=0',
    'invalid_parameter',
    'limit must be a whole number from 1 to 100; cursor must be the nextCursor of a page, unchanged',
  ],
  [
    '/v1/signals?minSeverity=x&issuerCiks=y&asOf=2099-01-01T00:00:00Z',
    'invalid_parameter',
    'issuerCiks: element 1, "y", must be a CIK of 1 to 10 digits; asOf must not be in the future; ' +
      'minSeverity must be one of critical, high, medium, low',
  ],
  ['/v1/search?kinds=x', 'invalid_parameter', 'q is required'],
  [
    '/v1/sentiment?sector=x&roles=y',
    'invalid_parameter',
    'sector must be one of Technology, Health Care, Financials, Real Estate, Industrials, Consumer Discretionary, ' +
      'Consumer Staples, Energy, Materials, Utilities, Communications, Unknown; ' +
      'roles: element 1, "y", must be one of officer, director, ten_percent_owner, other, ceo, cfo',
  ],
]

describe('messages of refused requests', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  const told = ({ body: { error } }: Json) =>
    error.details.map(({ path, message }: Json) => `${path}: ${message}`).join('; ')

  for (const [path, details] of CASES) {
    it(`GET ${path.slice(0, 60)}`, async () => assert.strictEqual(told(await call(service.url, 'GET', path)), details))
  }
  for (const [path, details] of KEYED) {
    it(`GET ${path} with a key`, async () => {
      const headers = { authorization: `Bearer ${EXAMPLE_KEY}` }
      assert.strictEqual(told(await call(service.url, 'GET', path, { headers })), details)
    })
  }
  for (const [path, code, message] of SEVERAL) {
    it(`GET ${path.slice(0, 60)} is refused for all that is wrong`, async () => {
      const { body } = (await call(service.url, 'GET', path)) as Json
      assert.deepEqual([body.error.code, body.error.message], [code, message])
    })
  }

  it('list at most twenty faults of a query string', async () => {
    const query = Array.from({ length: 300 }, (_, index) => `x${index}=1`).join('&')
    const { body } = (await call(service.url, 'GET', `/v1/feed?${query}`)) as Json
    assert.lengthOf(body.error.details, 20)
    assert.match(body.error.message, /; and 17 more, see details$/)
  })

  for (const [body, details] of BODIES) {
    it(`POST ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const headers = { authorization: `Bearer ${EXAMPLE_KEY}` }
      assert.strictEqual(told(await call(service.url, 'POST', '/v1/watchlist', { headers, body })), details)
    })
  }

  it('exist for every parameter, whichever the first request to a path had', async () => {
    const fresh = await startExampleService()
    const ask = (path: string) => call(fresh.url, 'GET', path)
    try {
      assert.strictEqual((await ask('/v1/feed?filter=buys')).status, 200)
      assert.strictEqual(told(await ask('/v1/feed?detail=x')), 'query.detail: must be full')
      assert.strictEqual((await ask('/v1/feed?limit=5')).status, 200)
      assert.strictEqual((await ask('/v1/feed?minSignificance=low&sort=x')).status, 400)
      assert.strictEqual((await ask('/v1/search?q=a')).status, 200)
      assert.strictEqual(told(await ask('/v1/search')), 'query.q: is required')
    } finally {
      await fresh.close()
    }
  })

  it('exist for every keyword that the contract uses to limit requests', () => {
    const used = new Set<string>()
    const resolved = (node: Json): Json =>
      node.$ref
        ? resolved(
            node.$ref
              .slice(2)
              .split('/')
              .reduce((at: Json, part: string) => at[part], contract),
          )
        : node
    const visit = (schema: Json) => {
      const found = resolved(schema)
      const { items, allOf = [], ...own } = found
      for (const keyword of Object.keys(own)) if (!DESCRIBING.has(keyword)) used.add(keyword)
      for (const part of [...Object.values<Json>(found.properties ?? {}), ...(items ? [items] : []), ...allOf])
        visit(part)
    }
    for (const operation of Object.values<Json>(contract.paths).flatMap((item) => Object.values<Json>(item))) {
      for (const parameter of operation.parameters ?? []) visit(resolved(parameter).schema)
      const body = operation.requestBody?.content['application/json']
      if (body) visit(body.schema)
    }
    assert.deepEqual(
      [...used].filter((keyword) => !(keyword in WORDS)),
      [],
    )
    assert.isAbove(used.size, 5)
  })
})
