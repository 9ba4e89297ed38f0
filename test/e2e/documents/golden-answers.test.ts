// What callers and scripts rely on, held to recordings: every operation's answers, every command's JSON=1 output, the
// names of all metrics. UPDATE_GOLDEN=1 records; read the difference before you commit it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { call, contract } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { startReceiver, type Receiver } from '../../support/webhooks/receiver.ts'

const root = join(import.meta.dirname, '../../..')
const RECORDINGS = join(root, 'test/fixtures/golden')
const RECORDS = process.env.UPDATE_GOLDEN === '1'

type Json = Record<string, any>

/** Method, path, body; paths hold `{signal}` where an id comes from an answer before. */
type Question = [operation: string, method: string, path: string, body?: object]

const RULE = { name: 'Chiefs', filter: { roles: ['ceo'] }, destination: { url: 'http://127.0.0.1:{receiver}/' } }

const QUESTIONS: Question[] = [
  ['listFeed', 'GET', '/v1/feed'],
  ['listFeed', 'GET', '/v1/feed?limit=3'],
  ['listFeed', 'GET', '/v1/feed?limit=3&cursor={cursor}'],
  ['listFeed', 'GET', '/v1/feed?filter=buys'],
  ['listFeed', 'GET', '/v1/feed?filter=sells&detail=full'],
  ['listFeed', 'GET', '/v1/feed?filter=high'],
  ['listFeed', 'GET', '/v1/feed?filter=ceo_cfo'],
  ['listFeed', 'GET', '/v1/feed?sort=value&limit=2'],
  ['listFeed', 'GET', '/v1/feed?tickers=EXWI&late=false&maxHoldingChange=0.5&sort=holdingChange&limit=2&detail=full'],
  ['listFeed', 'GET', '/v1/feed?firstBuyInYears=1'],
  ['listFeed', 'GET', '/v1/feed?filter=none'],
  ['listFeed', 'GET', '/v1/feed?limit=0'],
  ['listFeed', 'GET', '/v1/feed?cursor=x'],
  ['exportFeed', 'GET', '/v1/feed/export?filter=buys&format=csv'],
  ['exportFeed', 'GET', '/v1/feed/export?tickers=EXWI&detail=full'],
  ['exportFeed', 'GET', '/v1/feed/export?limit=1'],
  ['listExports', 'GET', '/v1/exports'],
  ['describeExport', 'GET', '/v1/exports/trades'],
  ['getExportFile', 'GET', '/v1/exports/transactions/2026-11.parquet'],
  ['listFeed', 'GET', '/v1/feed?asOf=2026-11-05T17:00:00Z&detail=full'],
  ['listFeed', 'GET', '/v1/feed?asOf=2099-01-01T00:00:00Z'],
  ['listFeed', 'GET', '/v1/feed?tickers=EXWI&asOf=2026-11-09T12:00:00Z'],
  ['getFeedStatistics', 'GET', '/v1/feed/stats'],
  ['getFeedAtom', 'GET', '/v1/feed.atom?filter=buys&limit=2'],
  ['getFeedCsv', 'GET', '/v1/feed.csv?tickers=EXWI&limit=2&detail=full'],
  ['getCompany', 'GET', '/v1/companies/EXWI'],
  ['getCompany', 'GET', '/v1/companies/exgd?detail=full'],
  ['getCompany', 'GET', '/v1/companies/EXWI?asOf=2026-11-04T00:00:00Z'],
  ['getCompany', 'GET', '/v1/companies/NONE'],
  ['listCompanies', 'GET', '/v1/companies?tickers=exgd,EXWI,SPY,CIK1999002,CIK1999101'],
  ['getInsider', 'GET', '/v1/insiders/1999105'],
  ['getInsider', 'GET', '/v1/insiders/1999101?detail=full'],
  ['listCompanies', 'GET', '/v1/companies?tickers=exgd,EXWI&asOf=2026-11-04T00:00:00Z'],
  ['getInsider', 'GET', '/v1/insiders/1999101?asOf=2026-11-01T00:00:00Z'],
  ['getInsider', 'GET', '/v1/insiders/1'],
  ['listPositions', 'GET', '/v1/insiders/1999101/positions?asOf=2026-11-09T12:00:00Z'],
  ['listPositions', 'GET', '/v1/insiders/1999101/positions?asOf=2026-10-01T00:00:00Z'],
  ['listPositions', 'GET', '/v1/insiders/1/positions'],
  ['listHolders', 'GET', '/v1/companies/exwi/holders?limit=2&asOf=2026-11-09T12:00:00Z'],
  ['listHolders', 'GET', '/v1/companies/EXWI/holders?limit=501'],
  ['listHolders', 'GET', '/v1/companies/NONE/holders'],
  ['search', 'GET', '/v1/search?q=example'],
  ['search', 'GET', '/v1/search?q=exwi&kinds=company'],
  ['search', 'GET', '/v1/search?q=ada+s&kinds=insider&limit=1'],
  ['search', 'GET', '/v1/search?q=--'],
  ['getSentiment', 'GET', '/v1/sentiment?interval=week&from=2026-10-26&to=2026-11-07'],
  ['getSentiment', 'GET', '/v1/sentiment?ticker=exwi&by=traded&from=2026-10-01&to=2026-11-30&roles=director'],
  ['getSentiment', 'GET', '/v1/sentiment?sector=Energy&interval=quarter&from=2026-10-01&to=2026-10-01'],
  ['getSentiment', 'GET', '/v1/sentiment?ticker=EXWI&asOf=2026-11-05T17:00:00Z&interval=week&from=2026-10-26'],
  ['getSentiment', 'GET', '/v1/sentiment?asOf=2026-11-05T12:00:00-05:00&interval=week&from=2026-10-26'],
  ['getSentiment', 'GET', '/v1/sentiment?ticker=NONE'],
  ['getSentiment', 'GET', '/v1/sentiment?roles=ceo'],
  ['getRankings', 'GET', '/v1/rankings?of=insiders&by=buyers'],
  ['getRankings', 'GET', '/v1/rankings?to=2026-11-06&days=31&limit=2'],
  ['getRankings', 'GET', '/v1/rankings?asOf=2026-11-05T17:00:00Z&days=31&of=insiders&by=netValue'],
  ['listSignals', 'GET', '/v1/signals'],
  ['listSignals', 'GET', '/v1/signals?type=ceo_trade&severity=high&limit=1'],
  ['listSignals', 'GET', '/v1/signals?asOf=2026-11-02T21:30:11Z'],
  ['listSignals', 'GET', '/v1/signals?asOf=2026-11-02T21:30:12Z'],
  ['listSignals', 'GET', '/v1/signals?insiderCiks=1999101&sectors=Technology&filedFrom=2026-11-02&limit=1'],
  ['listSignals', 'GET', '/v1/signals?filedTo=2026-11-02T16:30:13-05:00'],
  ['listSignals', 'GET', '/v1/signals?sectors=Widgets&insiderCiks=Ada'],
  ['getSignalsAtom', 'GET', '/v1/signals.atom?minSeverity=high'],
  ['listSignalRules', 'GET', '/v1/signals/rules'],
  ['getSignal', 'GET', '/v1/signals/{signal}'],
  ['getSignal', 'GET', '/v1/signals/{signal}?detail=full'],
  ['getSignal', 'GET', '/v1/signals/ceo_trade-1-1-2026-01-02-buy'],
  ['listFilings', 'GET', '/v1/filings?limit=2'],
  ['listFilings', 'GET', '/v1/filings?tickers=EXWI,SPY&forms=3,4&filedTo=2026-11-05'],
  ['listFilings', 'GET', '/v1/filings?tickers=SPY,QQQ'],
  ['listNotices', 'GET', '/v1/notices?limit=2'],
  ['getNotice', 'GET', '/v1/notices/0000000000-30-000201'],
  ['getFiling', 'GET', '/v1/filings/0001999001-26-000002'],
  ['getFiling', 'GET', '/v1/filings/000199900126000009'],
  ['listChanges', 'GET', '/v1/changes?after=01'],
  ['listChanges', 'GET', '/v1/changes?tickers=NOSUCH'],
  ['streamChanges', 'GET', '/v1/stream?after=01'],
  ['getStatus', 'GET', '/v1/status'],
  ['listWatchlist', 'GET', '/v1/watchlist'],
  ['addToWatchlist', 'POST', '/v1/watchlist', { ticker: 'exwi', webhookUrl: 'http://127.0.0.1:{receiver}/' }],
  ['addToWatchlist', 'POST', '/v1/watchlist', { ticker: 'BRK.B' }],
  ['addToWatchlist', 'POST', '/v1/watchlist', { ticker: '-' }],
  ['listWatchlist', 'GET', '/v1/watchlist'],
  ['testWebhook', 'POST', '/v1/watchlist/BRK-B/test'],
  ['testWebhook', 'POST', '/v1/watchlist/NONE/test'],
  ['listDeliveries', 'GET', '/v1/watchlist/deliveries?ticker=EXWI&status=dead'],
  ['listDeliveries', 'GET', '/v1/watchlist/deliveries?cursor=x'],
  ['getDelivery', 'GET', '/v1/watchlist/deliveries/evt_none'],
  ['resendDelivery', 'POST', '/v1/watchlist/deliveries/evt_none/resend'],
  ['removeFromWatchlist', 'DELETE', '/v1/watchlist/BRK-B'],
  ['removeFromWatchlist', 'DELETE', '/v1/watchlist/BRK-B'],
  ['createAlert', 'POST', '/v1/alerts', RULE],
  ['createAlert', 'POST', '/v1/alerts', { ...RULE, filter: { minValue: 2, maxValue: 1 } }],
  ['listAlerts', 'GET', '/v1/alerts'],
  ['getAlert', 'GET', '/v1/alerts/alr_00000000000000000000'],
  ['replaceAlert', 'PUT', '/v1/alerts/alr_00000000000000000000', RULE],
  ['removeAlert', 'DELETE', '/v1/alerts/alr_00000000000000000000'],
  ['listAlertMatches', 'GET', '/v1/alerts/alr_00000000000000000000/matches?days=30'],
  ['testAlert', 'POST', '/v1/alerts/alr_00000000000000000000/test'],
  ['getHealth', 'GET', '/healthz'],
  ['getReadiness', 'GET', '/readyz'],
  ['getMetrics', 'GET', '/metrics'],
  ['getOpenApiDocument', 'GET', '/openapi.json'],
  ['getDocumentation', 'GET', '/docs'],
  ['getReference', 'GET', '/docs/reference'],
  ['getReferenceAsset', 'GET', '/docs/swagger-ui.css'],
  ['getReferenceAsset', 'GET', '/docs/webhooks'],
  ['getLlmsText', 'GET', '/llms.txt'],
  ['answerMcp', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ['getDashboard', 'GET', '/'],
  ['getDashboardAsset', 'GET', '/dashboard/icon.svg'],
]

/** What a client of the protocol accepts. */
const PROTOCOL = { accept: 'application/json, text/event-stream' }

describe('recorded answers', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let receiver: Receiver
  let issued: Json
  /** Those of a service that was asked nothing yet. */
  let metrics: string
  /** Texts that differ from run to run, and what stands for them in the recordings. */
  const volatile = new Map<string, string>()
  const commands: Json = {}

  before(async () => {
    ;[stack, receiver] = await Promise.all([stackOfTest(), startReceiver()])
    volatile
      .set(stack.dataDir, '<data dir>')
      .set(dirname(stack.dataDir), '<folder>')
      .set(String(stack.port), '<port>')
      .set(new URL(receiver.url).port, '<receiver>')
      .set(root.replace(/\/$/, ''), '<checkout>')
    await command('up', { WEBHOOK_ALLOW_HTTP: 1, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' })
    metrics = (await call(stack.address, 'GET', '/metrics')).body as string
    await command('up again', {}, 'up')
    await command('ingest', { FROM: 'test/fixtures/filings' })
    issued = await command('key', { NAME: 'golden', EXPIRES: 30 })
  })
  after(async () => {
    await stack.remove()
    await receiver.close()
  })

  /** Runs a command with JSON=1 and remembers what it answered. */
  async function command(name: string, variables: Record<string, string | number> = {}, target = name): Promise<Json> {
    const { status, json } = await stack.make(target, variables)
    commands[name] = { status, json: settled(json) }
    return json ?? {}
  }

  /** Replaces what differs from run to run, and keeps what says that it is there. */
  function settled(value: unknown, key = ''): unknown {
    // As many as the time it took makes them.
    if (Array.isArray(value) && key === 'lines' && value.every((line) => typeof line === 'string'))
      return value.length > 0 ? ['<lines>'] : []
    if (Array.isArray(value)) return value.map((each) => settled(each, key))
    if (key === 'versions') return Object.keys(value as object)
    // Written every few seconds.
    if (key === 'lastUsedAt') return '<lastUsedAt>'
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, settled(each, name)]))
    }
    if (typeof value === 'number')
      return /^(pid|ms|port|seconds|milliseconds|bytes|elapsed\w*|\w*Seconds|\w*Ms)$/.test(key) ? `<${key}>` : value
    if (typeof value !== 'string') return value
    if (['key', 'webhookSecret', 'lines', 'version'].includes(key)) return `<${key}>`
    let text = value
    for (const [from, to] of volatile) text = text.replaceAll(from, to)
    return text
      .replace(/\b2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g, (time) => (isNow(time) ? '<now>' : time))
      .replace(/\bprocess \d+\b/g, 'process <pid>')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
      .replace(/\b(evt|alr)_\w+/g, '<id>')
      .replace(/\bafter \d+ ms\b/g, 'after <ms>')
      .replace(/^[A-Za-z0-9]{10}$/, (id) => (/^(id|keyId)$/.test(key) ? '<id>' : id))
  }

  const isNow = (time: string) =>
    Math.abs(Date.parse(time) - Date.now()) < 40 * 86_400_000 && Date.parse(time) > Date.parse('2026-11-21')

  function expectRecorded(name: string, value: unknown): void {
    const path = join(RECORDINGS, name)
    if (RECORDS) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
    }
    assert.strictEqual(existsSync(path), true, `no recording ${name}: UPDATE_GOLDEN=1 makes it`)
    const recorded = JSON.parse(readFileSync(path, 'utf8')) as Json
    // One by one, so that a difference is shown and not only told.
    for (const [part, each] of Object.entries(value as Json)) {
      assert.deepEqual(each, recorded[part], `${name} ${part}`)
    }
    assert.deepEqual(value, recorded)
  }

  it('of every operation', async () => {
    const headers = { authorization: `Bearer ${issued.key}` }
    const first = (await call(stack.address, 'GET', '/v1/feed?limit=3')).body as Json
    const signals = (await call(stack.address, 'GET', '/v1/signals')).body as Json
    const filled = (text: string) =>
      text
        .replace('{cursor}', first.data.nextCursor)
        .replace('{signal}', signals.data.signals[0].id)
        .replace('{receiver}', new URL(receiver.url).port)
    const answers: Json[] = []
    for (const [operation, method, path, body] of QUESTIONS) {
      const sent = body && JSON.parse(filled(JSON.stringify(body)))
      const reply = await call(stack.address, method, filled(path), {
        headers: { ...headers, 'x-request-id': 'golden', ...(operation === 'answerMcp' && PROTOCOL) },
        ...(sent && { body: sent }),
      })
      const isText = typeof reply.body === 'string' || operation === 'getOpenApiDocument'
      answers.push({
        operation,
        request: `${method} ${path}`,
        status: reply.status,
        body: isText ? `<${reply.headers['content-type']}>` : settled(reply.body),
      })
    }

    expectRecorded('answers.json', answers)
    const operations = Object.values<Json>(contract.paths)
      .flatMap((item) => Object.values<Json>(item))
      .map((each) => each.operationId)
      .filter(Boolean)
    assert.deepEqual(
      operations.filter((id) => !answers.some(({ operation }) => operation === id)),
      [],
    )
  })

  it('of the names and labels of metrics', () => {
    const names = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`).sort()

    expectRecorded('metrics.json', names)
  })

  it('of every command', async () => {
    const tested = await command('test-event', { KEY_ID: issued.id })
    await command('deliveries')
    await command('delivery', { ID: tested.attempts?.[0]?.id ?? '' })
    await command('delivery of no id', { ID: '' }, 'delivery')
    for (const name of ['help', 'status', 'ps', 'logs', 'rejected', 'retry', 'addresses', 'keys', 'migrate', 'rebuild'])
      await command(name)
    await command('resend', { ID: 'evt_none' })
    await command('replay', { SINCE: '24h' })
    await command('ingest again', { FROM: 'test/fixtures/filings' }, 'ingest')
    await command('ingest of nothing', { FROM: 'test/fixtures/none' }, 'ingest')
    await command('companies of nothing', { FROM: 'test/fixtures/none.json' }, 'companies')
    await command('prices of nothing', { FROM: 'test/fixtures/none.csv' }, 'prices')
    await command('prices', { FROM: 'test/fixtures/prices.csv', BENCHMARK: 'SPY' })
    await command('catch-up', { FROM: '2026-11-02', TO: '2026-11-03' })
    await command('backfill of nothing', { SETS: 'test/fixtures/none' }, 'backfill')
    await command('backfill of a quarter', { SETS: '2024q5' }, 'backfill')
    await command('rotate-secret', { ID: issued.id })
    await command('revoke-key', { ID: issued.id })
    const backup = join(dirname(stack.dataDir), 'backup')
    await command('backup', { TO: backup })
    await command('restore over data', { FROM: backup }, 'restore')
    rmSync(backup, { recursive: true, force: true })
    await command('down')
    await command('down again', {}, 'down')
    await command('status when stopped', {}, 'status')

    expectRecorded('commands.json', commands)
  })
})
