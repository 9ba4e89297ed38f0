// What a refusal says of each value: words that people read without knowing JSON Schema.
import { assert } from 'chai'
import { WORDS } from '../../../src/infrastructure/http/openapi/validation-messages.ts'
import { call, contract } from '../../support/http/contract-client.ts'
import { EXAMPLE_KEY, startExampleService, type ExampleService } from '../../support/http/example-service.ts'

type Json = Record<string, any>

const CASES: [path: string, details: string][] = [
  ['/v1/feed?limit=0', 'query.limit: must be a whole number from 1 to 100, in decimal digits'],
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
  [
    '/v1/signals/x',
    'path.id: must be the id of a signal, such as ceo_trade-1999001-1999101-2026-10-30-buy, or of a delivery',
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
/** That say nothing of what a value may be. */
const DESCRIBING = new Set(['description', 'default', 'example', 'examples', 'properties', 'title', '$ref'])

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
  for (const [body, details] of BODIES) {
    it(`POST ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const headers = { authorization: `Bearer ${EXAMPLE_KEY}` }
      assert.strictEqual(told(await call(service.url, 'POST', '/v1/watchlist', { headers, body })), details)
    })
  }

  it('come for every parameter, whichever the first requests for a path had', async () => {
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

  it('are there for every keyword by which the contract limits what is sent', () => {
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
      for (const keyword of Object.keys(found)) if (!DESCRIBING.has(keyword)) used.add(keyword)
      for (const property of Object.values<Json>(found.properties ?? {})) visit(property)
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
