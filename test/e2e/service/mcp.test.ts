// Language models with a stack as make up starts it: over HTTP and over stdio (make -s mcp, the packed client), in both
// revisions of the protocol; and ten typical questions, each answered by at most two calls, from their text only.
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Client } from '@modelcontextprotocol/client'
import { assert } from 'chai'
import { shortNumber } from '../../../src/infrastructure/mcp/tables.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { ask, connected, overHttp, REVISIONS, rowsOf, type Revision } from '../../support/mcp.ts'

const root = join(import.meta.dirname, '../../..')
const SIGNAL = 'ceo_trade-1999001-1999101-2026-10-30-buy'

interface Question {
  asks: string
  calls: [tool: string, given: object][]
  /** What the texts must say. */
  says: RegExp[]
}

const QUESTIONS: Question[] = [
  {
    asks: 'who bought at EXWI since August outside of plans',
    calls: [
      [
        'insider_trades',
        {
          tickers: 'EXWI',
          transactionTypes: 'buy',
          plan10b51: 'no,unknown',
          filedFrom: '2026-08-12',
          filedTo: '2026-11-10',
        },
      ],
    ],
    says: [
      /SAMPLE ADA.*President and CEO.*buy \| 60K \| 18\.25 \| 1\.1M/,
      /EXEMPLAR CLARA.*Director.*buy/,
      /These are all/,
    ],
  },
  {
    asks: 'why was this signal raised',
    calls: [['insider_explain_signal', { id: SIGNAL }]],
    says: [/^CEO Ada Sample bought \$1\.1 million/, /The CEO buys for \$25,000 or more/, /0001999001-26-000001-nd-1/],
  },
  {
    asks: 'which company has "gadgets" in its name, and who owns much of it',
    calls: [
      ['insider_search', { q: 'gadgets' }],
      ['insider_company', { ticker: 'EXGD' }],
    ],
    says: [/company \| Example Gadgets Ltd \| EXGD/, /Example Capital Partners LP \| 0001999104 \| 10% Owner/],
  },
  {
    asks: 'what did the CFO of EXWI sell, and at what price',
    calls: [['insider_trades', { tickers: 'EXWI', roles: 'cfo', transactionTypes: 'sell' }]],
    says: [/SPECIMEN BRUNO.*Chief Financial Officer.*sell \| 8000 \| 18\.61 \| 149K/],
  },
  {
    asks: 'at which companies is Ada Sample an insider',
    calls: [
      ['insider_search', { q: 'ada sample', kinds: 'insider' }],
      ['insider_person', { cik: '0001999101' }],
    ],
    says: [/SAMPLE ADA \| \w+ \| 0001999101/, /EXWI \| Example Widgets Inc/, /EXGD \| Example Gadgets Ltd/],
  },
  {
    asks: 'what was the largest purchase of November',
    calls: [
      [
        'insider_trades',
        { transactionTypes: 'buy', sort: 'value', filedFrom: '2026-11-01', filedTo: '2026-11-30', limit: 1 },
      ],
    ],
    says: [/SAMPLE ADA.*1\.1M/, /More follow: cursor=/],
  },
  {
    asks: 'how far back does the data go, and how current is it',
    calls: [['insider_coverage', {}]],
    says: [/newest filing: 2026-11-10T03:00:00Z/, /nothing loaded as continuous history/, /follows EDGAR: no/],
  },
  {
    asks: 'has anyone traded at SPY',
    calls: [['insider_company', { ticker: 'SPY' }]],
    says: [/^unknown_ticker: .* Next: insider_search/],
  },
  {
    asks: 'did the sale of the CFO have to do with options',
    calls: [
      ['insider_trades', { tickers: 'EXWI', roles: 'cfo' }],
      ['fetch', { id: '0001999001-26-000002' }],
    ],
    says: [/0001999001-26-000002-nd-2/, /Table II, options and other derivatives:/],
  },
  {
    asks: 'are there strong signals since January, and did anybody sell under a plan at EXGD',
    calls: [
      ['insider_signals', { minSeverity: 'high', detectedFrom: '2026-01-01' }],
      ['insider_trades', { tickers: 'EXGD', transactionTypes: 'sell', plan10b51: 'yes' }],
    ],
    says: [/ceo_trade \| high \| EXWI/, /^Nothing found with these filters[^]*Coverage: /m],
  },
]

describe('language models and a stack', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let key: string
  before(async () => {
    stack = await stackOfTest()
    assert.strictEqual((await stack.make('up')).status, 0)
    assert.strictEqual((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).status, 0)
    key = (await stack.make('key', { NAME: 'model' })).json!.key
  })
  after(() => stack?.remove())

  const overMake = (revision: Revision, own?: string): Promise<Client> => {
    const { MAKEFLAGS: _, MFLAGS: __, MAKELEVEL: ___, JSON: ____, ...inherited } = process.env as Record<string, string>
    const env = { ...inherited, DATA_DIR: stack.dataDir, ...(own !== undefined && { INSIDER_API_KEY: own }) }
    const args = ['-s', '-C', root, 'mcp', `URL=${stack.address}`]
    return connected(new StdioClientTransport({ command: 'make', args, env, stderr: 'pipe' }), revision)
  }

  for (const { asks, calls, says } of QUESTIONS) {
    it(`answer: ${asks}`, async () => {
      assert.isAtMost(calls.length, 2)
      const client = await overHttp(stack.address, '2026-07-28')
      const texts: string[] = []
      for (const [tool, given] of calls) texts.push((await ask(client, tool, given)).text)
      await client.close()
      const said = texts
        .map((text) => (text.startsWith('{') ? (JSON.parse(text) as { text: string }).text : text))
        .join('\n')
      for (const pattern of says) assert.match(said, pattern)
    })
  }

  for (const revision of REVISIONS) {
    it(`get the same over stdio as over HTTP, in the revision of ${revision}`, async () => {
      const [stdio, http] = await Promise.all([overMake(revision, key), overHttp(stack.address, revision, key)])
      assert.strictEqual(stdio.getNegotiatedProtocolVersion(), revision)
      const [ours, theirs] = await Promise.all([stdio.listTools(), http.listTools()])
      assert.deepEqual(ours.tools, theirs.tools)
      const calls: [string, object][] = [
        ...QUESTIONS.flatMap(({ calls }) => calls),
        ['insider_market', { days: 92 }],
        ['insider_trades', { tickers: 'EXWI,SPY', limit: 1 }],
        ['insider_company', { ticker: 'BRK/B' }],
        ['insider_watchlist', {}],
      ]
      for (const [tool, given] of calls) {
        assert.deepEqual(
          await ask(stdio, tool, given),
          await ask(http, tool, given),
          `${tool} ${JSON.stringify(given)}`,
        )
      }
      await ask(stdio, 'insider_watch', { ticker: 'exwi' })
      assert.include((await ask(http, 'insider_watchlist')).text, 'EXWI | ')
      assert.match((await ask(http, 'insider_watch', { ticker: 'EXWI' })).text, /already; nothing changed/)
      assert.isFalse((await ask(stdio, 'insider_unwatch', { ticker: 'EXWI' })).failed)
      await Promise.all([stdio.close(), http.close()])
    })
  }

  it('get the rows of the API', async () => {
    const client = await overHttp(stack.address, '2025-11-25')
    const { text } = await ask(client, 'insider_trades', { limit: 100 })
    const { data } = (await (await fetch(`${stack.address}/v1/feed?limit=100&detail=full`)).json()) as any
    const expected = data.transactions.map((each: any) => [
      each.id,
      each.detail.tradeDate,
      each.detail.plan10b51,
      shortNumber(each.totalValue),
    ])
    assert.deepEqual(
      rowsOf(text).map(({ id, traded, plan, value }) => [id, traded, plan, value]),
      expected,
    )
    await client.close()
  })

  it('are served by the packed client without a checkout', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-npx-'))
    try {
      const packed = `--package=${stack.address}/docs/insider-trading-client.tgz`
      const args = ['--yes', packed, 'insider-trading-mcp', `--url=${stack.address}`]
      const env = { ...(process.env as Record<string, string>), npm_config_cache: join(folder, 'cache') }
      const transport = new StdioClientTransport({ command: 'npx', args, cwd: folder, env, stderr: 'pipe' })
      const client = await connected(transport, '2026-07-28')
      assert.include((await ask(client, 'insider_search', { q: 'gadgets' })).text, 'EXGD')
      await client.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('are told what to do if the service is unavailable', async () => {
    const args = ['-s', '-C', root, 'mcp', 'URL=http://127.0.0.1:9']
    const env = { ...(process.env as Record<string, string>), DATA_DIR: stack.dataDir }
    const client = await connected(
      new StdioClientTransport({ command: 'make', args, env, stderr: 'pipe' }),
      '2025-11-25',
    )
    const { text, failed } = await ask(client, 'insider_coverage')
    assert.isTrue(failed)
    assert.match(text, /^connection_failed: .* Next: tell the user/)
    await client.close()
  })
})
