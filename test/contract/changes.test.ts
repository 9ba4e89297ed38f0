// The log of changes over HTTP: what its parameters mean, what is refused, and what may not be cached.
import { assert } from 'chai'
import { gunzipSync } from 'node:zlib'
import { asked, example, startExampleService, type ExampleService } from '../support/http/example-service.ts'

describe('/v1/changes', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  const ask = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/v1/changes${query}`, { headers: { 'accept-encoding': 'identity', ...headers } })
  const refusal = async (query: string) => {
    const { status, body } = await ask(query).then(async (reply) => ({
      status: reply.status,
      body: await reply.json(),
    }))
    return { status, code: (body as any).error.code, paths: (body as any).error.details.map(({ path }: any) => path) }
  }

  it('returns the present position, then the changes after it, as in the examples', async () => {
    assert.deepEqual(await (await ask('')).json(), example('change-position'))
    assert.deepEqual(asked.changes, { limit: 100 })
    assert.deepEqual(await (await ask('?after=5244929&limit=7')).json(), example('change-page'))
    assert.deepEqual(asked.changes, { after: 5244929, limit: 7 })
    await ask('?after=earliest&limit=1000')
    assert.deepEqual(asked.changes, { after: 'earliest', limit: 1000 })
  })

  it('accepts lists of types and companies, and names unknown symbols', async () => {
    const reply = await ask('?types=signal.detected,dataset.changed&tickers=exmp,NOSUCH&issuerCiks=42')
    assert.deepEqual(asked.changes, {
      types: ['dataset.changed', 'signal.detected'],
      issuers: ['0009900100', '0000000042'],
      limit: 100,
    })
    assert.strictEqual(reply.headers.get('x-unknown-tickers'), 'NOSUCH')
    assert.include(reply.headers.get('access-control-expose-headers'), 'X-Unknown-Tickers')
    const none = await ask('?tickers=NOSUCH')
    assert.deepEqual([none.status, ((await none.json()) as any).error.code], [404, 'unknown_ticker'])
  })

  it('accepts sectors in upper and lower case', async () => {
    await ask('?sectors=health%20care,Unknown,energy')
    assert.deepEqual(asked.changes, { sectors: ['Energy', 'Health Care', 'Unknown'], limit: 100 })
  })

  it("accepts the feed's filters of transactions, and a minimum severity of signals", async () => {
    await ask(
      '?insiderCiks=7&transactionTypes=buy,sell&transactionCodes=P,none&roles=ceo&ownership=direct' +
        '&plan10b51=no,unknown&routine=no&minSignificance=high&minValue=250000.5&maxShares=10&minSeverity=medium' +
        '&late=true&firstBuyInYears=2&maxHoldingChange=-0.25',
    )
    assert.deepEqual(asked.changes, {
      insiders: ['0000000007'],
      transactions: {
        types: ['buy', 'sell'],
        codes: ['P', ''],
        roles: ['ceo'],
        ownership: 'direct',
        plans: ['no', 'unknown'],
        routine: false,
        minSignificance: 'high',
        value: { min: '250000.5' },
        shares: { max: '10' },
        late: true,
        firstBuyYears: 2,
        holdingChange: { max: -0.25 },
      },
      minSeverity: 'medium',
      limit: 100,
    })
  })

  it('may be read by any web page, is not cached, and is compressed on request', async () => {
    const reply = await ask('?after=1000')
    assert.strictEqual(reply.headers.get('cache-control'), 'no-store')
    assert.strictEqual(reply.headers.get('access-control-allow-origin'), '*')
    assert.isNull(reply.headers.get('etag'))
    const { request } = await import('node:http')
    const packed = await new Promise<Buffer>((resolve, reject) => {
      request(`${service.url}/v1/changes?after=1000`, { headers: { 'accept-encoding': 'gzip' } }, async (answer) => {
        assert.strictEqual(answer.headers['content-encoding'], 'gzip')
        resolve(Buffer.concat(await answer.toArray()))
      })
        .on('error', reject)
        .end()
    })
    assert.deepEqual(JSON.parse(gunzipSync(packed).toString()), example('change-page'))
  })

  it('refuses a position that is no longer kept as the example shows', async () => {
    const id = example('errors/cursor-expired').error.requestId
    const reply = await ask('?after=1', { 'x-request-id': id })
    assert.deepEqual([reply.status, await reply.json()], [410, example('errors/cursor-expired')])
  })

  it('refuses malformed, unknown and repeated parameters', async () => {
    for (const query of ['?after=x', '?after=01', '?after=-1', '?after=', '?after=1234567890123456']) {
      assert.deepEqual(await refusal(query), { status: 400, code: 'invalid_cursor', paths: ['query.after'] }, query)
    }
    for (const [query, path] of [
      ['?limit=0', 'limit'],
      ['?limit=1001', 'limit'],
      ['?types=transaction.made', 'types'],
      ['?types=', 'types'],
      ['?types=signal.detected,', 'types'],
      ['?issuerCiks=12345678901', 'issuerCiks'],
      ['?tickers=,', 'tickers'],
      ['?cursor=1', 'cursor'],
      ['?transactionTypes=purchase', 'transactionTypes'],
      ['?routine=maybe', 'routine'],
      ['?minValue=1e3', 'minValue'],
      ['?minSeverity=worst', 'minSeverity'],
      ['?sectors=Fishing', 'sectors'],
      ['?filter=buys', 'filter'],
    ] as const) {
      const { status, code, paths } = await refusal(query)
      assert.deepEqual([status, code, new Set(paths)], [400, 'invalid_parameter', new Set([`query.${path}`])], query)
    }
    assert.strictEqual((await ask('?after=1000&after=1001')).status, 400)
  })
})
