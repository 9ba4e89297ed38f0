// Traces: what a collector receives of requests and filings, that it contains no secrets, and that OpenTelemetry's SDK
// is loaded only if traces are configured.
import { spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const root = join(import.meta.dirname, '../../..')

interface Span {
  spanId: string
  traceId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

interface Collector {
  server: Server
  url: string
  /** What was sent, as text. */
  bodies: string[]
  paths: Set<string>
}

async function startCollector(): Promise<Collector> {
  const [bodies, paths]: [string[], Set<string>] = [[], new Set()]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(Buffer.concat(chunks).toString())
    paths.add(request.url!)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { server, bodies, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const spansOf = ({ bodies }: Collector): Span[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body).resourceSpans as { scopeSpans: { spans: Span[] }[] }[]).flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )

const factsOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe('traces', function () {
  this.timeout(180_000)
  let collector: Collector
  let stack: StackOfTest
  let key: { key: string; webhookSecret: string }

  before(async () => {
    collector = await startCollector()
    stack = await stackOfTest()
    const up = await stack.make('up', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: 100,
      WEBHOOK_ALLOW_HTTP: 1,
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    })
    assert.strictEqual(up.status, 0, up.stderr)
    key = (await stack.make('key', { NAME: 'traced' })).json as typeof key
  })
  after(async () => {
    await stack?.remove()
    collector?.server.close()
  })

  /** Returns spans once one of them has the name. */
  async function spansWith(name: string): Promise<Span[]> {
    for (let tries = 0; tries < 100; tries += 1, await sleep(100)) {
      const spans = spansOf(collector)
      if (spans.some((span) => span.name === name)) return spans
    }
    throw new Error(
      `no span ${name} among ${spansOf(collector)
        .map((span) => span.name)
        .join()}`,
    )
  }

  it('has a request with its statements', async () => {
    await fetch(`${stack.address}/readyz`)
    const answer = await fetch(`${stack.address}/v1/feed?limit=1`, { headers: { 'x-request-id': 'traced-1' } })
    assert.strictEqual(answer.status, 200)
    const spans = await spansWith('listFeed')
    const request = spans.find((span) => span.name === 'listFeed')!
    assert.include(factsOf(request), {
      'request.id': 'traced-1',
      'operation.id': 'listFeed',
      'http.request.method': 'GET',
      'url.path': '/v1/feed',
    })
    const within = spans.filter(({ traceId, spanId }) => traceId === request.traceId && spanId !== request.spanId)
    assert.include(
      within.map(({ name }) => name),
      'clickhouse query',
    )
    assert.notInclude(
      spans.map(({ name }) => name),
      'getReadiness',
    )
    assert.deepEqual([...collector.paths], ['/v1/traces'])
  })

  it('has a filing with its statements', async () => {
    const accession = '0001999001-26-000001'
    const { status, stderr } = await stack.make('ingest', { FROM: `test/fixtures/filings/${accession}.txt` })
    assert.strictEqual(status, 0, stderr)
    const spans = await spansWith('project filing')
    const filing = spans.find((span) => span.name === 'project filing')!
    assert.include(factsOf(filing), { accession })
    assert.isUndefined(filing.parentSpanId)
    const within = spans.filter(({ parentSpanId }) => parentSpanId === filing.spanId)
    for (const name of ['clickhouse insert', /^pg\.query/])
      assert.isTrue(
        within.some((span) => (typeof name === 'string' ? span.name === name : name.test(span.name))),
        String(name),
      )
  })

  it('has no secrets', async () => {
    const token = 'T0SECRETTOKEN'
    const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
    const entry = { ticker: 'EXWI', webhookUrl: `http://127.0.0.1:9/hook/${token}` }
    const added = await fetch(`${stack.address}/v1/watchlist`, { method: 'POST', headers, body: JSON.stringify(entry) })
    assert.strictEqual(added.status, 201)
    await fetch(`${stack.address}/v1/signals?pasted=${key.key}&token=${token}`)
    await fetch(`${stack.address}/v1/companies/${key.key}`, { headers: { 'user-agent': key.key } })
    const sent = await stack.make('test-event', { URL: entry.webhookUrl })
    assert.isNotNull(sent.json)
    await spansWith('addToWatchlist')
    await spansWith('getCompany')
    const all = collector.bodies.join('\n')
    for (const secret of [key.key, key.webhookSecret, token, 'pasted', 'postgres://']) assert.notInclude(all, secret)
    const parts = [key.key, key.webhookSecret].map((each) => each.split('_').at(-1)!)
    for (const part of parts) assert.notInclude(all, part)
  })

  it('loads nothing of the SDK unless it is configured', () => {
    const watch = `
      import { registerHooks } from 'node:module'
      const seen = new Set()
      registerHooks({
        load(url, context, next) {
          const name = url.split('/node_modules/').at(-1).split('/', 2).join('/')
          if (name.startsWith('@opentelemetry/')) seen.add(name)
          return next(url, context)
        },
      })
      process.on('exit', () => console.error('loaded', ...seen))`
    const loaded = (variables: Record<string, string>) => {
      const { PATH, HOME } = process.env
      const preload = `data:text/javascript,${encodeURIComponent(watch)}`
      const words = ['--import', preload, '--import', 'tsx', 'src/main.ts', 'serve', '--help']
      const env = { PATH, HOME, DATA_DIR: join(stack.dataDir, 'other'), ...variables }
      const { stderr, status } = spawnSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' })
      assert.strictEqual(status, 0, stderr)
      return /^loaded (.*)$/m.exec(stderr)![1]!.split(' ')
    }
    assert.deepEqual(loaded({}), ['@opentelemetry/api'])
    assert.includeMembers(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }), [
      '@opentelemetry/sdk-node',
      '@opentelemetry/instrumentation-http',
    ])
  })
})
