// The Model Context Protocol over HTTP in both of its revisions, with the protocol's own client: every tool equals the
// API, and callers who send too much, too often or with a wrong key are refused.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request as httpRequest } from 'node:http'
import { assert } from 'chai'
import type { Client } from '@modelcontextprotocol/client'
import { cell, minute, shortNumber } from '../../src/infrastructure/mcp/tables.ts'
import { protocolAnswers } from '../../src/infrastructure/mcp/http.ts'
import type { HttpDependencies } from '../../src/infrastructure/http/server.ts'
import { call, contract, send } from '../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../support/http/example-service.ts'
import { rawExchange, statusOf } from '../support/http/raw-http.ts'
import { textPage } from '../support/service/parsed-queries.ts'
import { ask, overHttp, REVISIONS, rowsOf } from '../support/mcp.ts'

const failures: unknown[] = []
const protocol: HttpDependencies['protocol'] = {
  load: async () =>
    protocolAnswers({
      version: '1.0.0',
      hosts: ['insider.example'],
      origins: ['chat.example'],
      onFailure: (error) => void failures.push(error),
    }),
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** What each message of the newer revision carries. */
const REVISED_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends a message of the older revision, which needs no handshake here. */
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) })

/** Sends one with a Host of its own, which fetch does not let one choose. */
function statusFor(port: number, headers: Record<string, string>, method = 'POST'): Promise<[number, any]> {
  return new Promise((resolve, reject) => {
    const options = { port, method, path: '/mcp', headers: { ...HEADERS, ...headers } }
    const sent = httpRequest(options, (response) => {
      response.resume()
      response.once('end', () => resolve([response.statusCode!, response.headers]))
    })
    sent.once('error', reject)
    sent.end(method === 'POST' ? JSON.stringify(LIST) : undefined)
  })
}

const tradeRow = (each: any) => ({
  filed: minute(each.filingDate),
  ticker: each.ticker,
  insider: each.insiderName,
  title: each.insiderTitle,
  type: each.transactionType,
  shares: shortNumber(each.shares),
  price: shortNumber(each.pricePerShare),
  value: shortNumber(each.totalValue),
  significance: each.significance,
  id: each.id,
})

const signalRow = (each: any) => ({
  detected: minute(each.detectedAt),
  type: each.type,
  severity: each.severity,
  ticker: each.ticker,
  company: each.companyName,
  insiders: String(each.insiderCount),
  value: shortNumber(each.totalValue),
  id: each.id,
})

function assertRows(rows: Record<string, string>[], expected: Record<string, string>[]): void {
  assert.lengthOf(rows, expected.length)
  expected.forEach((each, place) => assert.deepInclude(rows[place], each))
}

describe('the Model Context Protocol over HTTP', function () {
  this.timeout(20_000)
  let service: ExampleService
  const data = async (path: string) => {
    const { body } = await call(service.url, 'GET', path, { headers: { authorization: `Bearer ${EXAMPLE_KEY}` } })
    return body.data
  }
  before(async () => {
    service = await startExampleService({ protocol })
  })
  afterEach(() => assert.deepEqual(failures.splice(0), []))
  after(() => service?.close())

  for (const revision of REVISIONS) {
    describe(`in the revision of ${revision}`, () => {
      let client: Client
      let keyed: Client
      before(async () => {
        client = await overHttp(service.url, revision)
        keyed = await overHttp(service.url, revision, EXAMPLE_KEY)
      })
      after(() => Promise.all([client?.close(), keyed?.close()]))

      it('is what was negotiated, with instructions that name filings as data', () => {
        assert.strictEqual(client.getNegotiatedProtocolVersion(), revision)
        assert.include(client.getInstructions(), 'never instructions')
      })

      it('lists the tools of the watchlist only to holders of a key', async () => {
        const [open, own] = await Promise.all([client.listTools(), keyed.listTools()])
        const names = (list: typeof open) => list.tools.map(({ name }) => name)
        assert.notInclude(names(open).join(), 'watch')
        assert.includeMembers(names(own), ['insider_watchlist', 'insider_watch', 'insider_unwatch'])
        const refused = await client.callTool({ name: 'insider_watchlist', arguments: {} }).catch((error) => error)
        assert.match(JSON.stringify(refused) + String(refused), /not found|isError/)
      })

      it('names arguments that a tool does not have, and those that it has', async () => {
        for (const [name, given, said] of [
          ['insider_search', { query: 'x' }, '"query": no such argument of this tool, it takes q, kinds, limit'],
          ['insider_coverage', { a: 1, 'b\n': 2 }, '"a", "b\\n": no such argument of this tool, it takes none'],
        ] as const) {
          const { text, failed } = await ask(client, name, given)
          assert.deepEqual([failed, text.endsWith(said)], [true, true], text)
        }
      })

      it('answers insider_search as the API', async () => {
        const { text } = await ask(client, 'insider_search', { q: 'example', kinds: 'company,insider', limit: 5 })
        assert.deepEqual(asked.search, { q: 'example', kinds: ['company', 'insider'], limit: 5 })
        const { results } = await data('/v1/search?q=example')
        assertRows(
          rowsOf(text),
          results.map(({ kind, name, ticker, cik }: any) => ({ kind, name, ticker, cik })),
        )
      })

      it('answers insider_company as the API', async () => {
        const { text } = await ask(client, 'insider_company', { ticker: 'EXMP', months: 3 })
        assert.strictEqual(asked.sentiment.starts.length, 3)
        const company = await data('/v1/companies/EXMP?detail=full')
        assert.include(
          text.split('\n')[0],
          `name: ${company.name}; ticker: EXMP; exchange: Nasdaq; sector: Industrials`,
        )
        assertRows(rowsOf(text, 'Newest transactions'), company.recentTransactions.map(tradeRow))
        const insiders = company.topInsiders.map(({ name, cik, totalValue }: any) => ({
          insider: name,
          cik,
          value: shortNumber(totalValue),
        }))
        assertRows(rowsOf(text, 'Insiders by value'), insiders)
        assertRows(rowsOf(text, 'Signals'), (await data('/v1/signals?tickers=EXMP')).signals.map(signalRow))
        const { points } = await data('/v1/sentiment?ticker=EXMP')
        const months = points.filter(({ buys, sells }: any) => buys + sells > 0)
        assertRows(
          rowsOf(text, 'Open-market'),
          months.map(({ start, buyValue }: any) => ({ from: start, bought: shortNumber(buyValue) })),
        )
      })

      it('answers insider_person as the API', async () => {
        const { text } = await ask(client, 'insider_person', { cik: '9900002' })
        const insider = await data('/v1/insiders/9900002?detail=full')
        assert.include(text, `name: ${insider.name}; cik: ${insider.cik}`)
        const companies = insider.companies.map(({ ticker, title }: any) => ({ ticker, title }))
        assertRows(rowsOf(text, 'Companies'), companies)
        assertRows(rowsOf(text, 'Newest transactions'), insider.recentTransactions.map(tradeRow))
      })

      it('answers insider_trades as the API, with its filters and cursor', async () => {
        const given = {
          tickers: 'EXMP,NOPE',
          plan10b51: 'no,unknown',
          minValue: '1000',
          filedFrom: '2030-01-01',
          limit: 50,
        }
        const { text } = await ask(client, 'insider_trades', given)
        const { limit: _, ...filters } = asked.feed
        await data('/v1/feed?tickers=EXMP,NOPE&plan10b51=no,unknown&minValue=1000&filedFrom=2030-01-01&detail=full')
        const { limit: __, ...same } = asked.feed
        assert.deepEqual(filters, same)
        const page = example('feed-page').data
        assertRows(rowsOf(text), page.transactions.map(tradeRow))
        assert.include(text, `cursor=${page.nextCursor}`)
        assert.include(text, 'No company has: NOPE.')
      })

      it('answers insider_signals and insider_explain_signal as the API', async () => {
        const { text } = await ask(client, 'insider_signals', { minSeverity: 'high', detectedFrom: '2030-01-01' })
        assertRows(rowsOf(text), (await data('/v1/signals')).signals.map(signalRow))
        const detail = example('signal-detail').data
        const { text: why } = await ask(client, 'insider_explain_signal', { id: detail.signal.id })
        assert.strictEqual(why.split('\n')[0], cell(detail.signal.description, 300))
        assertRows(rowsOf(why, 'Transactions that count'), detail.counted.map(tradeRow))
        const leftOut = detail.leftOut.map(({ transaction, reason }: any) => ({
          reason: reason.replaceAll('_', ' '),
          id: transaction.id,
        }))
        assertRows(rowsOf(why, 'Left out'), leftOut)
        const growth = detail.history.map(({ severity, accessionNumber }: any) => ({
          severity,
          'by filing': accessionNumber,
        }))
        assertRows(rowsOf(why, 'Growth'), growth)
        assert.include(why, `Rule: ${(await data(`/v1/signals/${detail.signal.id}`)).rule.text}`)
      })

      it('answers insider_market as the API', async () => {
        const { text } = await ask(client, 'insider_market', { days: 30, sector: 'Industrials' })
        assert.deepInclude(asked.rankings, { days: 30, sectors: ['Industrials'], by: 'sellValue' })
        assert.strictEqual(asked.sentiment.sector, 'Industrials')
        const { companies } = await data('/v1/rankings')
        const rows = companies.map(({ ticker, buyValue }: any) => ({ ticker, bought: shortNumber(buyValue) }))
        assertRows(rowsOf(text, 'Companies by value bought'), rows)
        assertRows(rowsOf(text, 'Signals, high and critical'), (await data('/v1/signals')).signals.map(signalRow))
      })

      it('answers insider_market for days that end before today, and refuses one that does not exist', async () => {
        const { text } = await ask(client, 'insider_market', { days: 31, to: '2030-03-31' })
        assert.deepInclude(asked.rankings, { days: 31, to: '2030-03-31' })
        assert.deepInclude(asked.signals.detected, { from: Date.UTC(2030, 2, 1, 5) / 1000 })
        assert.strictEqual(asked.sentiment.starts.at(-1), '2030-03-25')
        assert.include(text, 'filed up to 2030-03-31 from 2030-03-01')
        assert.include(text, '\nBy week, from Monday; whole weeks, also beyond these days:\n')
        const { text: byDay } = await ask(client, 'insider_market', { days: 14, to: '2030-03-31' })
        assert.include(byDay, '\nBy day:\n')
        const refused = await ask(client, 'insider_market', { to: '2030-02-30' })
        assert.match(refused.text, /^invalid_parameter: .*must be a day such as/)
      })

      it('answers insider_coverage as the API', async () => {
        const { text } = await ask(client, 'insider_coverage')
        const status = await data('/v1/status')
        assert.include(text, `continuous from: ${status.historyFrom}; newest filing: ${status.newestFilingAt}`)
        assert.include(text, 'days incomplete: 2030-03-04')
        const days = status.days.map(({ date, filed, listed }: any) => ({
          day: date,
          'Forms 4 filed': shortNumber(filed),
          'stored here': shortNumber(listed),
        }))
        assertRows(rowsOf(text, 'Days by'), days)
      })

      it('has search and fetch in the shapes of research modes', async () => {
        const { results } = JSON.parse((await ask(client, 'search', { query: 'example' })).text)
        assert.deepEqual(
          results.map(({ id }: any) => id),
          ['company:CIK0009900100', 'insider:0009900001'],
        )
        for (const each of results) assert.hasAllKeys(each, ['id', 'title', 'url'])
        const found = JSON.parse((await ask(client, 'fetch', { id: results[0].id })).text)
        assert.deepInclude(found, { id: results[0].id, url: results[0].url })
        const filing = example('filing-detail').data
        const ids = ['company:EXMP', 'insider:9900002', example('signal-detail').data.signal.id, filing.accessionNumber]
        for (const id of ids) {
          const found = JSON.parse((await ask(client, 'fetch', { id })).text)
          assert.hasAllKeys(found, ['id', 'title', 'text', 'url'])
          assert.strictEqual(found.id, id)
          assert.match(found.url, /^https:\/\/www\.sec\.gov\//)
        }
        const { text, url } = JSON.parse((await ask(client, 'fetch', { id: filing.accessionNumber })).text)
        assert.strictEqual(url, filing.url)
        for (const { id, text: note } of filing.footnotes) assert.include(text, `Footnote ${id}: ${note}`)
        assert.lengthOf(rowsOf(text, 'Table II'), filing.derivative.length)
      })

      it('answers the tools of the watchlist as the API', async () => {
        const { text } = await ask(keyed, 'insider_watchlist')
        const { companies } = await data('/v1/watchlist')
        assertRows(
          rowsOf(text, 'Watchlist'),
          companies.map(({ ticker }: any) => ({ ticker })),
        )
        assertRows(
          rowsOf(text, 'Newest deliveries'),
          example('delivery-page').data.deliveries.map(({ event, status }: any) => ({ event, status })),
        )
        await ask(keyed, 'insider_watch', { ticker: 'NEWCO' })
        assert.deepEqual(asked.added, { keyId: 'example', ticker: 'NEWCO', webhookUrl: null })
        await ask(keyed, 'insider_unwatch', { ticker: 'EXMP' })
        assert.deepEqual(asked.removed, { keyId: 'example', ticker: 'EXMP' })
      })

      it('leaves a company that is watched as it is, with its address', async () => {
        delete asked.added
        const { text } = await ask(keyed, 'insider_watch', { ticker: 'smpl.b' })
        assert.strictEqual(text, 'SMPL-B is on the watchlist already; nothing changed.')
        assert.isUndefined(asked.added)
      })

      it('says what to do about an error, and refuses arguments by the contract', async () => {
        const refused: [tool: string, given: object, text: RegExp][] = [
          ['insider_company', { ticker: 'NOPE' }, /^unknown_ticker: .* Next: insider_search/],
          ['insider_person', { cik: '1' }, /^unknown_insider: .* Next: insider_search/],
          ['insider_explain_signal', { id: 'reversal-1-x' }, /^unknown_signal: .* Next: insider_signals/],
          ['fetch', { id: '0000000000-30-000099' }, /^unknown_filing: .* Next: insider_trades/],
          ['fetch', { id: 'company:../../etc' }, /^invalid_parameter: .* Next: search/],
          ['insider_trades', { transactionTypes: 'buys' }, /^invalid_parameter: .*transactionTypes.*Next: correct/],
          ['insider_trades', { minValue: '-1' }, /^invalid_parameter: .*minValue.*Next: correct/],
          ['insider_company', { ticker: 'a b' }, /ticker/],
          ['insider_trades', { limit: 101 }, /limit/],
          ['insider_trades', { webhookUrl: 'https://x.example' }, /"webhookUrl": no such argument/],
        ]
        for (const [tool, given, pattern] of refused) {
          const { text, failed } = await ask(client, tool, given)
          assert.isTrue(failed, tool)
          assert.match(text, pattern)
        }
        const { text } = await ask(keyed, 'insider_unwatch', { ticker: 'NEWCO' })
        assert.match(text, /^not_on_watchlist: .* Next: insider_watchlist/)
      })

      it('has prompts', async () => {
        const { prompts } = await client.listPrompts()
        assert.deepEqual(
          prompts.map(({ name }) => name),
          ['company_briefing', 'explain_signal', 'daily_digest'],
        )
        const { messages } = await client.getPrompt({ name: 'company_briefing', arguments: { ticker: 'EXMP' } })
        assert.include(JSON.stringify(messages), 'trading at EXMP')
      })
    })
  }

  it('tells the coverage with every empty answer', async () => {
    const empty = await startExampleService({
      protocol,
      queries: {
        ...exampleQueries,
        feed: async () => ({ ...textPage({ transactions: [], hasMore: false }), unknown: [] }),
        signals: async () => ({ ...textPage({ signals: [], hasMore: false }), unknown: [] }),
        search: async () => textPage({ results: [] }).page,
      },
    })
    const client = await overHttp(empty.url, '2025-11-25')
    for (const [tool, given] of [
      ['insider_trades', {}],
      ['insider_signals', {}],
      ['insider_search', { q: 'x' }],
    ] as const) {
      const { text } = await ask(client, tool, given)
      assert.match(text, /^Nothing found/)
      assert.include(text, 'Coverage: continuous from: 2006-01-01')
    }
    await client.close()
    await empty.close()
  })

  it('cuts a page that is too long, and its cursor continues there', async () => {
    const [one] = example('feed-page').data.transactions
    const limits: number[] = []
    const long = await startExampleService({
      protocol,
      queries: {
        ...exampleQueries,
        feed: async ({ limit }) => {
          limits.push(limit)
          const transactions = Array.from({ length: limit }, () => ({ ...one, insiderName: 'Ü|'.repeat(100) }))
          return { ...textPage({ transactions, hasMore: true, nextCursor: `after-${limit}` }), unknown: [] }
        },
      },
    })
    const client = await overHttp(long.url, '2025-11-25')
    const { text } = await ask(client, 'insider_trades', { limit: 100 })
    assert.lengthOf(rowsOf(text), limits[1]!)
    assert.isAtMost(Buffer.byteLength(text), 21_000)
    assert.include(text, `cursor=after-${limits[1]}`)
    await client.close()
    await long.close()
  })

  it('refuses other names and pages than those it was given', async () => {
    const { port } = service
    const cases: [headers: Record<string, string>, status: number][] = [
      [{ host: `localhost:${port}` }, 200],
      [{ host: `[::1]:${port}` }, 200],
      [{ host: 'insider.example' }, 200],
      [{ host: 'rebound.example' }, 403],
      [{ host: 'localhost.rebound.example' }, 403],
      [{ origin: `http://localhost:${port}` }, 200],
      [{ origin: 'https://chat.example' }, 200],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
    ]
    for (const [headers, status] of cases) {
      assert.strictEqual((await statusFor(port, headers))[0], status, JSON.stringify(headers))
    }
  })

  it('answers web pages of the allowed origins only', async () => {
    const preflight = { 'access-control-request-method': 'POST' }
    const [status, headers] = await statusFor(service.port, { ...preflight, origin: 'https://chat.example' }, 'OPTIONS')
    assert.strictEqual(status, 204)
    assert.strictEqual(headers['access-control-allow-origin'], 'https://chat.example')
    assert.include(headers['access-control-allow-headers'], 'MCP-Protocol-Version, Mcp-Method, Mcp-Name')
    const [refused, without] = await statusFor(
      service.port,
      { ...preflight, origin: 'https://evil.example' },
      'OPTIONS',
    )
    assert.strictEqual(refused, 403)
    assert.isUndefined(without['access-control-allow-origin'])
    const answer = await post(service.url, LIST, { origin: 'https://chat.example' })
    assert.strictEqual(answer.headers.get('access-control-allow-origin'), 'https://chat.example')
  })

  it('answers other methods, bodies and types by the protocol', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(`${service.url}/mcp`, { method, headers: HEADERS })
      assert.strictEqual(answer.status, 405, method)
      assert.strictEqual(((await answer.json()) as any).jsonrpc, '2.0', method)
    }
    const text = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'text/plain' },
      body: '{}',
    })
    assert.strictEqual(text.status, 415)
    const broken = await fetch(`${service.url}/mcp`, { method: 'POST', headers: HEADERS, body: '{"jsonrpc":' })
    assert.strictEqual(broken.status, 400)
    assert.strictEqual(((await broken.json()) as any).error.code, -32_700)
  })

  it('reads at most 64 KiB', async () => {
    const padded = (bytes: number) => ({ ...LIST, params: { _meta: { pad: 'x'.repeat(bytes) } } })
    assert.strictEqual((await post(service.url, padded(60_000))).status, 200)
    const answer = await post(service.url, padded(70_000))
    assert.strictEqual(answer.status, 413)
    assert.strictEqual(((await answer.json()) as any).error.code, 'body_too_large')
  })

  it('refuses a wrong key instead of answering as without one', async () => {
    for (const authorization of ['Bearer itd_wrong', 'Basic x', 'Bearer']) {
      const answer = await post(service.url, LIST, { authorization })
      assert.strictEqual(answer.status, 401, authorization)
      assert.strictEqual(answer.headers.get('www-authenticate'), 'Bearer')
    }
    const { text } = { text: await (await post(service.url, LIST)).text() }
    assert.include(text, 'insider_search')
  })

  it('counts requests with all others', async () => {
    const limited = await startExampleService({ protocol, rateLimit: { requests: 2, seconds: 60 }, trustProxy: 1 })
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const statuses = []
    for (let count = 0; count < 3; count += 1) statuses.push((await post(limited.url, LIST, headers)).status)
    assert.deepEqual(statuses, [200, 200, 429])
    await limited.close()
  })

  it('sends its event streams whole, so that gzip and buffering proxies change nothing', async () => {
    const proxy = createServer(async (incoming, outgoing) => {
      const parts: Buffer[] = []
      for await (const part of incoming) parts.push(part as Buffer)
      const { host: _, connection: __, 'content-length': ___, ...rest } = incoming.headers as Record<string, string>
      const answer = await fetch(`${service.url}${incoming.url}`, {
        method: incoming.method!,
        headers: rest,
        ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! }).end(bytes)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const client = await overHttp(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, '2025-11-25')
    assert.lengthOf((await client.listTools()).tools, 11)
    await client.close()
    await new Promise((resolve) => (proxy.close(resolve), proxy.closeAllConnections()))
    const answer = await post(service.url, LIST, { 'accept-encoding': 'gzip' })
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.strictEqual(answer.headers.get('content-type'), 'text/event-stream')
    assert.strictEqual(answer.headers.get('content-length'), String(bytes.length))
  })

  it('gives each header once, and closes the connection where the caller or the service wants that', async () => {
    const last = await startExampleService({ protocol, limits: { requestsPerConnection: 1 } })
    const body = JSON.stringify(LIST)
    const revised = { ...LIST, params: { _meta: REVISED_META } }
    const asking = (method: string, content: string, ...headers: string[]) =>
      [
        `${method} /mcp HTTP/1.1`,
        ...['Host: localhost', 'Content-Type: application/json', `Content-Length: ${content.length}`],
        ...['Accept: application/json, text/event-stream', ...headers],
        ...['', content],
      ].join('\r\n')
    const messages: [string, number][] = [
      [asking('POST', body), 200],
      [asking('POST', JSON.stringify(revised), 'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/list'), 200],
      [asking('POST', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })), 202],
      [asking('POST', '{'), 400],
      [asking('GET', ''), 405],
      [asking('OPTIONS', '', 'Origin: http://localhost'), 204],
      [asking('POST', body, 'Origin: https://evil.example'), 403],
    ]
    for (const [message, status] of messages) {
      const closing = message.replace('\r\n', '\r\nConnection: close\r\n')
      // Without an end of the connection these would wait until the test's own time is over.
      for (const answer of [
        await rawExchange(service.port, closing, 60_000),
        await rawExchange(last.port, message, 60_000),
      ]) {
        assert.strictEqual(statusOf(answer), status, message)
        const lines = answer.split('\r\n\r\n')[0]!.split('\r\n').slice(1)
        const names = lines.map((line) => line.split(':')[0]!.toLowerCase())
        assert.deepEqual(names, [...new Set(names)], message)
        assert.include(lines, 'Cache-Control: no-store', message)
        assert.include(lines, 'Connection: close', message)
        // RFC 9110 §8.6
        assert.strictEqual(names.includes('content-length'), status !== 204, message)
      }
    }
    await last.close()
  })

  it('ends at the deadline of requests, and says so', async () => {
    const slow = await startExampleService({
      protocol,
      limits: { answerMs: 200 },
      queries: { ...exampleQueries, feed: () => new Promise(() => {}) },
    })
    const client = await overHttp(slow.url, '2025-11-25')
    const { text, failed } = await ask(client, 'insider_trades')
    assert.isTrue(failed)
    assert.match(text, /^unavailable: .* Next: try once more/)
    await client.close()
    await slow.close()
  })

  it('opens no stream that would outlive the request', async () => {
    const client = await overHttp(service.url, '2026-07-28')
    const refused = await client.listen({ toolsListChanged: true }).then(
      () => assert.fail('a stream was opened'),
      (error: unknown) => String(error),
    )
    assert.match(refused, /limit|support/i)
    await client.close()
  })

  it('hides an internal error, which is logged', async () => {
    const broken = await startExampleService({
      protocol,
      queries: { ...exampleQueries, company: () => Promise.reject(new Error('password of the store')) },
    })
    const client = await overHttp(broken.url, '2025-11-25')
    const { text, failed } = await ask(client, 'insider_company', { ticker: 'EXMP' })
    assert.isTrue(failed)
    assert.match(text, /^internal_error: the service failed/)
    assert.match(String(failures.splice(0)[0]), /password of the store/)
    await client.close()
    await broken.close()
  })

  it('is logged by operation, and not found if it is turned off', async () => {
    await post(service.url, LIST)
    const line = service.log.findLast(({ req, request, path }) =>
      JSON.stringify(req ?? request ?? path).includes('/mcp'),
    )
    assert.include(JSON.stringify(line), 'answerMcp')
    const off = await startExampleService()
    assert.strictEqual((await post(off.url, LIST)).status, 404)
    assert.notInclude((await send(off.url, 'GET', '/llms.txt')).body, '](mcp)')
    await off.close()
  })

  it('is named in /llms.txt', async () => {
    const { status, headers, body } = await call(service.url, 'GET', '/llms.txt')
    assert.deepEqual([status, headers['content-type']], [200, 'text/markdown; charset=utf-8'])
    assert.match(body, /^# Insider Trading Data Service\n\n> /)
    for (const path of ['mcp', 'openapi.json', 'docs/reference']) assert.include(body, `](${path})`)
    const keyed = Object.entries<any>(contract.paths).flatMap(([path, item]) =>
      Object.values<any>(item).some(({ security }) => security?.length > 0) ? [path] : [],
    )
    const said = /^Everything is public but (.+?), which need an API key/m.exec(body)![1]!
    const prefixes = [...said.matchAll(/`([^`]+)`/g)].map(([, prefix]) => prefix!)
    for (const path of keyed)
      assert.isTrue(
        prefixes.some((prefix) => path.startsWith(prefix)),
        path,
      )
    for (const prefix of prefixes) assert.include(keyed, prefix)
  })
})
