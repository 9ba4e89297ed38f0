// The feed as a file over HTTP: the format of its lines, who may request how many, and that clients notice a truncated
// answer.
import { once } from 'node:events'
import { connect } from 'node:net'
import { assert } from 'chai'
import type { Queries } from '../../src/application/queries/queries.ts'
import { InsiderClient } from '../../src/client/index.ts'
import { ServiceError } from '../../src/application/errors.ts'
import { contract } from '../support/http/contract-client.ts'
import { parseCsv } from '../support/http/csv.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../support/http/example-service.ts'

const PATH = '/v1/feed/export'
const transactions: any[] = example('feed-page').data.transactions
const lines = (text: string) => text.split('\n').slice(0, -1)

/** Chunks that come when they are let, or a fault. */
function chunksOf(next: () => Promise<string[]>): Partial<Queries> {
  return { feedExport: async () => ({ next, unknown: [] }) }
}

describe('/v1/feed/export', () => {
  let service: ExampleService
  before(async () => {
    service = await startExampleService()
  })
  after(() => service.close())

  const ask = (query = '', init: RequestInit = {}, at = service) =>
    fetch(`${at.url}${PATH}${query}`, { ...init, headers: { authorization: `Bearer ${EXAMPLE_KEY}` } })
  async function withService(changes: Partial<Queries>, act: (service: ExampleService) => Promise<void>, more = {}) {
    const own = await startExampleService({ queries: { ...exampleQueries, ...changes }, ...more })
    try {
      await act(own)
    } finally {
      await own.close(0)
    }
  }

  it('has one transaction per line', async () => {
    const reply = await ask()
    assert.strictEqual(reply.headers.get('content-type'), 'application/x-ndjson')
    assert.strictEqual(reply.headers.get('content-disposition'), 'attachment; filename="transactions.jsonl"')
    assert.strictEqual(reply.headers.get('cache-control'), 'private, no-store')
    assert.isNull(reply.headers.get('etag'))
    assert.deepEqual(
      lines(await reply.text()).map((line) => JSON.parse(line)),
      transactions,
    )
    assert.deepEqual(asked.feedExport, {})
  })

  it('accepts every filter of the feed, and names unknown symbols', async () => {
    const reply = await ask('?filter=buys&tickers=exmp,NOSUCH&roles=ceo&minValue=10.50&tradedTo=2026-01-31&detail=full')
    assert.strictEqual(reply.headers.get('x-unknown-tickers'), 'NOSUCH')
    assert.deepEqual(
      { ...asked.feedExport, companies: asked.feedExport.companies.map(({ ticker }: any) => ticker) },
      {
        filter: 'buys',
        companies: ['EXMP', 'NOSUCH'],
        roles: ['ceo'],
        value: { min: '10.5' },
        traded: { max: '2026-01-31' },
        detail: true,
      },
    )
  })

  it('refuses parameters of pages, and requests without a key', async () => {
    for (const query of ['?limit=5', '?cursor=x', '?sort=value', '?format=xml', '?minValue=-1'])
      assert.strictEqual((await ask(query)).status, 400, query)
    for (const path of [PATH, `${PATH}?limit=5`]) {
      const reply = await fetch(service.url + path)
      assert.deepEqual([reply.status, ((await reply.json()) as any).error.code], [401, 'missing_api_key'])
    }
  })

  it('answers HEAD without a body', async () => {
    const reply = await ask('?format=csv', { method: 'HEAD' })
    assert.strictEqual(reply.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.strictEqual(await reply.text(), '')
  })

  it('has as CSV the fields of a transaction, without those that the contract names', async () => {
    const { Transaction, TransactionDetail } = contract.components.schemas
    const names = [Transaction, TransactionDetail].flatMap(({ properties }) => Object.keys(properties))
    const [head] = parseCsv(await (await ask('?format=csv&detail=full')).text())
    const { description } = contract.paths[PATH].get
    const [, without] = /those of its `detail`, without ([^;]+);/.exec(description)!
    assert.sameMembers(
      [...without!.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      names.filter((name) => name !== 'detail' && !head!.includes(name)),
    )
  })

  it('is CSV by RFC 4180, in which no text is a formula', async () => {
    const texts = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a "b", c', 'two\nlines', "it's", '']
    const rows = texts.map((insiderTitle, number) => ({
      ...transactions[0],
      id: String(number),
      insiderTitle,
      signals: ['-one', 'two, three'],
    }))
    const detail = {
      ...example('feed-page').data.transactions[0],
      detail: {
        ...{ holdingChange: -0.5, sharesOwnedAfter: null, late: true, lowPrice: 1.5 },
        coOwners: [
          { cik: '0000000001', name: 'ONE, A', roles: ['director'], title: 'Director' },
          { cik: '0000000002', name: '=TWO', roles: [], title: '' },
        ],
      },
    }
    const exact = JSON.stringify(rows[0]).replace(/"totalValue":[^,]+/, '"totalValue":123456789012345678901234.50')
    const given = [[exact, ...rows.slice(1).map((row) => JSON.stringify(row)), JSON.stringify(detail)]]
    await withService(
      chunksOf(async () => given.pop() ?? []),
      async (own) => {
        const text = await (await ask('?format=csv&detail=full', {}, own)).text()
        const [head, ...cells] = parseCsv(text)
        const titles = cells.map((row) => row[head!.indexOf('insiderTitle')])
        const safe = ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", 'a "b", c', 'two\nlines', "it's", '']
        assert.deepEqual(titles.slice(0, -1), safe)
        assert.strictEqual(cells[0]![head!.indexOf('signals')], "'-one; two, three")
        assert.strictEqual(cells[0]![head!.indexOf('totalValue')], '123456789012345678901234.50')
        const last = cells.at(-1)!
        assert.deepEqual([last[head!.indexOf('holdingChange')], last[head!.indexOf('sharesOwnedAfter')]], ['-0.5', ''])
        assert.deepEqual([last[head!.indexOf('late')], last[head!.indexOf('lowPrice')]], ['true', '1.5'])
        assert.strictEqual(last[head!.indexOf('coOwners')], '0000000001 ONE, A, Director; 0000000002 =TWO')
      },
    )
  })

  it("is cut if a chunk can't be read, so that no client takes it for complete", async () => {
    const given = [[JSON.stringify(transactions[0])]]
    const next = async () => {
      const chunk = given.pop()
      if (!chunk) throw new ServiceError('unavailable', 'ClickHouse is away')
      return chunk
    }
    await withService(chunksOf(next), async (own) => {
      const reply = await ask('', {}, own)
      assert.strictEqual(reply.status, 200)
      await reply.text().then(
        () => assert.fail('the answer was taken for whole'),
        (error) => assert.match(String(error.cause ?? error), /terminated|other side closed|ECONNRESET/),
      )
      given.push([JSON.stringify(transactions[0])])
      const client = new InsiderClient({ url: own.url, apiKey: EXAMPLE_KEY })
      const ids: string[] = []
      const fault = await (async () => {
        for await (const { id } of client.feed.export()) ids.push(id)
      })().catch((error: unknown) => error)
      assert.deepInclude(fault, { code: 'connection_failed' })
      assert.deepEqual(ids, [transactions[0].id])
      given.push([JSON.stringify(transactions[0])])
      // Without chunks the end of the connection would be the end of the data.
      const socket = connect(own.port, '127.0.0.1')
      socket.write(`GET ${PATH} HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer ${EXAMPLE_KEY}\r\n\r\n`)
      socket.resume()
      const [reset] = await once(socket, 'error')
      assert.strictEqual(reset.code, 'ECONNRESET')
      assert.strictEqual(own.log.filter(({ level, aborted }) => level === 50 && aborted).length, 3)
    })
  })

  it("answers with an error if the first chunk can't be read", async () => {
    const next = () => Promise.reject(new ServiceError('unavailable', 'ClickHouse is away'))
    await withService(chunksOf(next), async (own) => {
      assert.strictEqual((await ask('', {}, own)).status, 503)
      assert.strictEqual((await ask('', {}, own)).status, 503)
      assert.strictEqual((await ask('', {}, own)).status, 503)
    })
  })

  it('is limited to two at a time per key, and to EXPORTS_AT_ONCE in total', async () => {
    const release = Promise.withResolvers<void>()
    const next = () => release.promise.then((): string[] => [])
    const verifyKey = async (token: string) => token
    await withService(
      chunksOf(next),
      async (own) => {
        const as = (key: string) => fetch(own.url + PATH, { headers: { authorization: `Bearer ${key}` } })
        const sent: Promise<Response>[] = []
        const start = async (key: string) => {
          sent.push(as(key))
          while (!(await metricsOf(own)).includes(`feed_exports_open ${sent.length}`));
        }
        await start('one')
        await start('one')
        const refused = await as('one')
        assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30'])
        await start('two')
        assert.strictEqual((await as('three')).status, 429)
        release.resolve()
        for (const reply of await Promise.all(sent)) assert.deepEqual([reply.status, await reply.text()], [200, ''])
        assert.strictEqual(await (await as('three')).text(), '')
        assert.include(await metricsOf(own), 'feed_exports_total{end="complete"} 4')
      },
      { verifyKey, exportsAtOnce: 3 },
    )
  })

  it('continues for a slow caller, and is cut for one that reads nothing', async () => {
    const chunk = Array.from({ length: 1_000 }, () =>
      JSON.stringify({ ...transactions[0], companyName: 'x'.repeat(1_000) }),
    )
    await withService(
      chunksOf(async () => chunk),
      async (own) => {
        const socket = connect(own.port, '127.0.0.1')
        const closed = once(socket, 'close')
        socket.on('error', () => {})
        socket.pause()
        socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${EXAMPLE_KEY}\r\n\r\n`)
        let taken = 0
        for (let time = 0; time < 20; time += 1) {
          await new Promise((resolve) => setTimeout(resolve, 250))
          for (let got = 0; got < 2_000_000;) {
            const data: Buffer | null = socket.read()
            if (data === null) await once(socket, 'readable')
            else got += data.length
            taken += data?.length ?? 0
          }
        }
        assert.isAbove(taken, 40_000_000 - 1)
        while (!(await metricsOf(own)).includes('feed_exports_total{end="left"} 1'))
          await new Promise((resolve) => setTimeout(resolve, 50))
        socket.resume()
        await closed
      },
      { limits: { drainMs: 2_000 } },
    )
  })
})

const metricsOf = async (service: ExampleService) => (await fetch(`${service.url}/metrics`)).text()
