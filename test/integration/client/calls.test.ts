// The client's calls against a server that follows a script, over real HTTP: attempts, pauses, limits, errors, pages.
import { getEventListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import {
  InsiderApiError,
  InsiderClient,
  type CallOptions,
  type ClientOptions,
  type ResponseFacts,
} from '../../../src/client/index.ts'
import { OPERATIONS } from '../../../src/client/operations.ts'
import { pauseMs } from '../../../src/client/transport.ts'
import { contract } from '../../support/http/contract-client.ts'

type Step = (request: IncomingMessage, response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const data = (value: unknown) => json(200, { success: true, data: value })
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { success: false, error: { code, message: `refused: ${code}`, requestId: 'r-1' } }, headers)
const cut: Step = (request) => void request.socket.destroy()
const soon = { 'retry-after': '0' }

describe('calls of the client', () => {
  let server: Server
  let steps: Step[]
  let asked: { method: string; url: string; authorization: string | undefined; body: string }[]
  before(async () => {
    server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { method = '', url = '', headers } = request
      asked.push({ method, url, authorization: headers.authorization, body })
      const step = steps.shift() ?? data({})
      step(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    steps = []
    asked = []
  })
  after(() => void (server.closeAllConnections(), server.close()))

  const client = (options: Partial<ClientOptions> = {}) =>
    new InsiderClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/`, ...options })
  const failure = async (call: Promise<unknown>): Promise<InsiderApiError> => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (reason: unknown) => reason,
    )
    assert.instanceOf(error, InsiderApiError)
    return error
  }

  it('are all operations of the contract under /v1', () => {
    const documented = Object.entries<any>(contract.paths).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`]),
    )
    assert.deepEqual(OPERATIONS, Object.fromEntries(documented.filter(([, call]) => call.includes(' /v1/'))))
  })

  it('fill in paths and join lists by commas, below the path of the address', async () => {
    await client().feed.list({ tickers: ['EXWI', 'BRK.B'], minValue: 250_000, cursor: undefined, limit: 5 })
    await client().companies.get('BRK/B', { detail: 'full' })
    assert.deepEqual(
      asked.map(({ method, url }) => `${method} ${url}`),
      ['GET /below/v1/feed?tickers=EXWI,BRK.B&minValue=250000&limit=5', 'GET /below/v1/companies/BRK%2FB?detail=full'],
    )
  })

  it('list companies as of a time, with options after the query or in its place', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await client().companies.list(['EXWI'])
    await client().companies.list(['EXWI', 'EXGD'], { asOf: '2030-01-02T00:00:00Z' }, { retries: 0 })
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['/below/v1/companies?tickers=EXWI', '/below/v1/companies?tickers=EXWI,EXGD&asOf=2030-01-02T00%3A00%3A00Z'],
    )
    for (const stopped of [
      client().companies.list(['EXWI'], { signal }),
      client().companies.list(['EXWI'], { asOf: '2030-01-02T00:00:00Z' }, { signal }),
    ])
      assert.strictEqual(((await stopped.catch((error: unknown) => error)) as Error).message, 'stopped')
  })

  it('read page after page, each when it is needed', async () => {
    const page = (id: string, nextCursor?: string) =>
      data({ transactions: [{ id }, { id: `${id}'` }], hasMore: nextCursor !== undefined, nextCursor })
    steps = [page('a', 'one'), page('b', 'two'), page('c')]
    const ids: string[] = []
    for await (const { id } of client().feed.all({ filter: 'buys' })) {
      ids.push(id)
      if (id === 'b') assert.lengthOf(asked, 2)
    }
    assert.deepEqual(ids, ['a', "a'", 'b', "b'", 'c', "c'"])
    assert.deepEqual(
      asked.map(({ url }) => url.replace(/.*\?/, '')),
      ['limit=100&filter=buys', 'limit=100&filter=buys&cursor=one', 'limit=100&filter=buys&cursor=two'],
    )
  })

  for (const [name, fault] of [
    ['a lost connection', cut],
    ['408', refusal(408, 'unavailable', soon)],
    ['429', refusal(429, 'rate_limited', soon)],
    ['500', refusal(500, 'internal_error', soon)],
    ['503', refusal(503, 'unavailable', soon)],
    ['a page of a proxy', (_, response) => void response.writeHead(502, soon).end('<html>')],
  ] as [string, Step][]) {
    it(`are repeated after ${name}`, async () => {
      steps = [fault, data({ results: [] })]
      assert.deepEqual(await client().search({ q: 'a' }), { results: [] })
      assert.lengthOf(asked, 2)
    })
  }

  it('leave no listener on the signal that they were given, however often they were repeated', async () => {
    const { signal } = new AbortController()
    steps = [...Array.from({ length: 12 }, () => refusal(503, 'unavailable', soon)), data({ results: [] })]
    assert.deepEqual(await client().search({ q: 'a' }, { signal, retries: 12 }), { results: [] })
    assert.lengthOf(getEventListeners(signal, 'abort'), 0)
  })

  it('end after three more attempts, with code and request id', async () => {
    steps = Array.from({ length: 4 }, () => refusal(503, 'unavailable', { ...soon, 'x-request-id': 'r-7' }))
    const { code, status, requestId, message } = await failure(client().signals.rules())
    assert.deepEqual([code, status, requestId, message], ['unavailable', 503, 'r-7', 'refused: unavailable'])
    assert.lengthOf(asked, 4)
  })

  it('end with a message that has the details which the answer leaves to them', async () => {
    const details = [
      ...['limit', 'filter', 'sort'].map((name) => ({ path: `query.${name}`, message: `must be a ${name}` })),
      { path: 'query.tickers', message: 'No company has the symbol NOPE' },
    ]
    const message = 'limit must be a limit; and 3 more, see details'
    steps = [json(400, { success: false, error: { code: 'invalid_parameter', message, details, requestId: 'r' } })]
    const error = await failure(client().companies.get('X'))
    const others = 'query.filter must be a filter; query.sort must be a sort; No company has the symbol NOPE'
    assert.strictEqual(error.message, `${message}; ${others}`)
    assert.deepEqual(error.details, details)
  })

  it('are not repeated where another attempt gives the same, or not before a minute', async () => {
    for (const [step, code] of [
      [refusal(404, 'unknown_ticker'), 'unknown_ticker'],
      [refusal(400, 'invalid_parameter'), 'invalid_parameter'],
      [refusal(401, 'missing_api_key'), 'missing_api_key'],
      [refusal(429, 'rate_limited', { 'retry-after': '61' }), 'rate_limited'],
      [json(404, 'nothing here'), 'unexpected_answer'],
    ] as const) {
      steps = [step]
      asked = []
      assert.strictEqual((await failure(client().companies.get('X'))).code, code)
      assert.lengthOf(asked, 1, code)
    }
  })

  it('have a time limit for each attempt', async () => {
    const page = data({ signals: [], hasMore: false })
    steps = [() => {}, page, page, page]
    assert.deepEqual(await client({ timeoutMs: 200 }).signals.list(), { signals: [], hasMore: false })
    steps = [() => {}]
    const { code, status } = await failure(client().signals.list({}, { timeoutMs: 50, retries: 0 }))
    assert.deepEqual([code, status], ['timed_out', 0])
  })

  it('are repeated, limited and refused in the same way where the answer is no JSON', async () => {
    const text =
      (body: string): Step =>
      (_, response) =>
        void response.writeHead(200).end(body)
    const calls: ((client: InsiderClient, options?: CallOptions) => Promise<string>)[] = [
      (each, options) => each.feed.csv({}, options),
      (each, options) => each.feed.atom({}, options),
      (each, options) => each.signals.atom({}, options),
      async (each, options) => (await each.exports.file('transactions', '2030-01.parquet', options)).text(),
    ]
    for (const ask of calls) {
      ;[steps, asked] = [[refusal(503, 'unavailable', soon), cut, text('id,ticker')], []]
      assert.strictEqual(await ask(client()), 'id,ticker')
      assert.lengthOf(asked, 3)
      steps = [() => {}]
      assert.strictEqual((await failure(ask(client({ retries: 0 }), { timeoutMs: 50 }))).code, 'timed_out')
      steps = [cut]
      const { code, status } = await failure(ask(client(), { retries: 0 }))
      assert.deepEqual([code, status], ['connection_failed', 0])
      ;[steps, asked] = [[refusal(400, 'invalid_parameter')], []]
      assert.strictEqual((await failure(ask(client()))).code, 'invalid_parameter')
      assert.lengthOf(asked, 1)
    }
  })

  it('have no time limit for the rest of a file that has begun, which ends when it is aborted', async () => {
    const slow: Step = (_, response) => {
      response.writeHead(200).write('PAR1')
      setTimeout(() => response.end('PAR1'), 200)
    }
    steps = [slow]
    const file = await client().exports.file('transactions', '2030-01.parquet', { timeoutMs: 100 })
    assert.strictEqual(await file.text(), 'PAR1PAR1')
    steps = [slow]
    const stop = new AbortController()
    const { signal } = stop
    const body = (await client().exports.file('transactions', '2030-01.parquet', { signal })).text()
    stop.abort(new Error('enough'))
    assert.strictEqual(((await body.catch((error: unknown) => error)) as Error).message, 'enough')
  })

  it('end the answer of an export whose reader leaves early', async () => {
    const closed = new Promise<void>((resolve) => {
      steps = [
        (request, response) => {
          request.socket.on('close', resolve)
          response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":"a"}\n{"id":"b"}\n')
        },
      ]
    })
    for await (const { id } of client().feed.export()) {
      assert.strictEqual(id, 'a')
      break
    }
    await closed
  })

  it('end when they are aborted, also between attempts', async () => {
    steps = [refusal(503, 'unavailable', { 'retry-after': '30' })]
    const stop = new AbortController()
    const call = client({ onResponse: () => setTimeout(() => stop.abort(new Error('enough')), 20) }).signals.list(
      {},
      { signal: stop.signal },
    )
    const reason = await call.catch((error: unknown) => error)
    assert.strictEqual((reason as Error).message, 'enough')
    assert.lengthOf(asked, 1)
  })

  it('send the key, and a body to add', async () => {
    const keyed = client({ apiKey: 'itd_a_b' })
    await keyed.watchlist.add('EXWI', 'https://example.com/hook')
    assert.deepInclude(asked[0], { method: 'POST', authorization: 'Bearer itd_a_b' })
    assert.deepEqual(JSON.parse(asked[0]!.body), { ticker: 'EXWI', webhookUrl: 'https://example.com/hook' })
    await keyed.feed.statistics()
    assert.strictEqual(asked[1]!.body, '')
    await keyed.watchlist.add('EXWI', null, { detail: true, notices: true })
    assert.deepEqual(JSON.parse(asked[2]!.body), { ticker: 'EXWI', detail: true, notices: true })
  })

  it('count a removal as done that an attempt without an answer has made', async () => {
    steps = [cut, refusal(404, 'not_on_watchlist')]
    await client().watchlist.remove('EXWI')
    assert.lengthOf(asked, 2)
    steps = [refusal(404, 'not_on_watchlist')]
    assert.strictEqual((await failure(client().watchlist.remove('EXWI'))).code, 'not_on_watchlist')
  })

  it('count the removal of an alert as done likewise, and repeat its creation only where nothing was done', async () => {
    const settings = { name: 'x', destination: { url: 'https://example.com/hook' } }
    steps = [cut, refusal(404, 'unknown_alert')]
    await client().alerts.remove('alr_x')
    assert.lengthOf(asked, 2)
    for (const step of [cut, refusal(503, 'unavailable', soon)]) {
      ;[steps, asked] = [[step], []]
      await failure(client().alerts.create(settings))
      assert.lengthOf(asked, 1)
    }
    ;[steps, asked] = [[refusal(429, 'rate_limited', soon), json(201, { success: true, data: { id: 'alr_x' } })], []]
    assert.deepEqual(await client().alerts.create(settings), { id: 'alr_x' } as any)
    assert.lengthOf(asked, 2)
    ;[steps, asked] = [[cut, json(200, { success: true, data: {} })], []]
    await client().alerts.replace('alr_x', settings)
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['PUT', 'PUT'],
    )
  })

  it('report each response', async () => {
    const seen: ResponseFacts[] = []
    const headers = { 'x-request-id': 'r-2', ratelimit: '"default";r=1;t=2', 'x-unknown-tickers': 'SPY,QQQ' }
    steps = [refusal(503, 'unavailable', soon), json(200, { success: true, data: {} }, headers)]
    await client({ onResponse: (facts) => seen.push(facts) }).feed.list({ tickers: 'SPY,QQQ,EXWI' })
    assert.deepEqual(
      seen.map(({ ms: _, ...facts }) => facts),
      [
        { operation: 'listFeed', status: 503, requestId: null, rateLimit: null, unknownTickers: [], attempt: 1 },
        {
          operation: 'listFeed',
          status: 200,
          requestId: 'r-2',
          rateLimit: '"default";r=1;t=2',
          unknownTickers: ['SPY', 'QQQ'],
          attempt: 2,
        },
      ],
    )
  })

  it('pause half a second, doubled up to eight, give or take a quarter', () => {
    for (const [attempt, ms] of [
      [1, 500],
      [2, 1_000],
      [4, 4_000],
      [5, 8_000],
      [50, 8_000],
    ] as const) {
      const pauses = Array.from({ length: 50 }, () => pauseMs(attempt))
      for (const pause of pauses) assert.closeTo(pause, ms, ms / 4)
      assert.isAbove(new Set(pauses).size, 40)
    }
    assert.strictEqual(pauseMs(9, 3), 3_000)
  })
})
