// The TypeScript client as users have it: installed by npm from the service's address, type-checked under every kind of
// module resolution, and used for every operation over HTTP.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { InsiderClient as OurClient } from '../../../src/client/index.ts'
import { call } from '../../support/http/contract-client.ts'
import {
  asked,
  example,
  EXAMPLE_KEY,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { builtWeb } from '../../support/service/tools/built-web.ts'

const run = promisify(execFile)
const compiler = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')

const CONSUMER = `
import { InsiderClient, InsiderApiError, verifyWebhook, type Transaction, type Change } from 'insider-trading-client'
const client = new InsiderClient({ url: 'http://localhost:8080', retries: 1 })
for await (const trade of client.feed.all({ filter: 'buys', minValue: 250_000, tickers: ['EXWI'] })) {
  const value: number = trade.totalValue
  const row: Transaction = trade
  console.log(value, row.detail?.plan10b51 === 'yes')
}
const { companies } = await client.companies.list(['EXWI'], { retries: 0 })
await client.companies.list(['EXWI'], { asOf: '2026-11-02T00:00:00Z' }, { retries: 0 })
const name: string = companies[0]!.name
const follow: AsyncGenerator<Change> = client.changes.follow({ types: 'signal.detected' })
const event = await verifyWebhook('{}', new Headers(), 'whsec_')
if (event.type === 'signal.detected') console.log(event.data.signal.severity, name, follow)
try { await client.watchlist.remove('EXWI') } catch (error) {
  if (error instanceof InsiderApiError && error.code === 'not_on_watchlist') console.log(error.requestId)
}
// @ts-expect-error
await client.feed.list({ filter: 'bought' })
// @ts-expect-error
await client.feed.list({ ticker: 'EXWI' })
`

/** In a CommonJS module, into which `node16` lets no ES module be imported. */
const COMMON_CONSUMER = `
import { InsiderClient, InsiderApiError } from 'insider-trading-client'
const names = async () => (await new InsiderClient({ url: 'http://localhost:8080' }).companies.list(['EXWI'])).companies
const told: (error: unknown) => boolean = (error) => error instanceof InsiderApiError && error.code === 'timed_out'
console.log(names, told)
`

describe('the client', function () {
  this.timeout(120_000)
  let service: ExampleService
  let folder: string
  before(async () => {
    service = await startExampleService({ webFolder: builtWeb() })
    folder = mkdtempSync(join(tmpdir(), 'client-consumer-'))
  })
  after(async () => {
    await service?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('is served by the service as a package, and not where there is none', async () => {
    const { status, headers, body } = await call(service.url, 'GET', '/docs/insider-trading-client.tgz')
    assert.deepEqual([status, headers['content-type']], [200, 'application/gzip'])
    assert.isAbove(body.length, 10_000)
    const bare = await startExampleService({ webFolder: new URL('nowhere/', builtWeb()) })
    assert.strictEqual((await call(bare.url, 'GET', '/docs/insider-trading-client.tgz')).status, 404)
    await bare.close()
  })

  it('is installed from there without anything else, and type-checks in every way of resolution', async () => {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const words = ['install', '--no-audit', '--no-fund', `${service.url}/docs/insider-trading-client.tgz`]
    await run('npm', words, { cwd: folder })
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
    assert.deepEqual(installed, ['insider-trading-client'])
    writeFileSync(join(folder, 'consumer.ts'), CONSUMER)
    writeFileSync(join(folder, 'common.cts'), COMMON_CONSUMER)
    for (const [module, resolution, ...files] of [
      ['node16', 'node16', 'consumer.ts', 'common.cts'],
      ['nodenext', 'nodenext', 'consumer.ts', 'common.cts'],
      ['esnext', 'bundler', 'consumer.ts'],
    ] as const) {
      const settings = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--types', '']
      const words = [...settings, '--module', module, '--moduleResolution', resolution, ...files]
      const { stdout } = await run(process.execPath, [compiler, ...words], { cwd: folder }).catch(
        (failure: { stdout: string }) => failure,
      )
      assert.strictEqual(stdout, '', resolution)
    }
  })

  it('is for the Node.js that the service is for, which loads it in both kinds of modules', async () => {
    const installed = join(folder, 'node_modules/insider-trading-client/package.json')
    const { engines } = JSON.parse(readFileSync(installed, 'utf8'))
    const own = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
    assert.deepEqual(engines, own.engines)
    const words = [
      '--input-type=commonjs',
      '--eval',
      `console.log(typeof require('insider-trading-client').InsiderClient)`,
    ]
    assert.strictEqual((await run(process.execPath, words, { cwd: folder })).stdout, 'function\n')
    const readme = readFileSync(join(import.meta.dirname, '../../../src/client/README.md'), 'utf8')
    assert.include(readme, `For Node ${engines.node.slice(2)} and newer`)
  })

  it('asks every operation', async () => {
    const path = pathToFileURL(join(folder, 'node_modules/insider-trading-client/index.js')).href
    const { InsiderClient } = (await import(path)) as { InsiderClient: typeof OurClient }
    const client = new InsiderClient({ url: service.url, apiKey: EXAMPLE_KEY })
    const answers: [name: string, answer: unknown][] = [
      ['feed-page', await client.feed.list()],
      ['feed-statistics', await client.feed.statistics()],
      ['company', await client.companies.get('EXMP')],
      ['company-summaries', await client.companies.list(['EXMP', 'NOFIL', 'ZZZZ'])],
      ['insider', await client.insiders.get('0009900002')],
      ['insider-positions', await client.insiders.positions('0009900002')],
      ['company-holders', await client.companies.holders('EXMP', { limit: 5 })],
      ['sentiment', await client.sentiment({ ticker: 'EXMP', from: '2030-02-01', to: '2030-03-31' })],
      ['rankings-insiders', await client.rankings({ of: 'insiders' })],
      ['search-results', await client.search({ q: 'widg' })],
      ['signal-page', await client.signals.list({ minSeverity: 'low' })],
      ['signal-detail', await client.signals.get(example('signal-detail').data.signal.id)],
      ['filing-page', await client.filings.list({ forms: ['4', '4/A'] })],
      ['filing-detail', await client.filings.get('0000000000-30-000042')],
      ['exported-datasets', await client.exports.list()],
      ['exported-dataset', await client.exports.get('transactions')],
      ['change-page', await client.changes.list({ after: 5_244_000 })],
      ['watchlist', await client.watchlist.list()],
      ['watchlist-detailed', await client.watchlist.list({ detail: 'full' })],
      ['alerts', await client.alerts.list()],
      ['alert', await client.alerts.get(example('alert').data.id)],
      ['alert', await client.alerts.create(example('alert-settings'))],
      ['alert', await client.alerts.replace(example('alert').data.id, example('alert-settings'))],
      ['alert-matches', await client.alerts.matches(example('alert').data.id, { days: 30 })],
      ['delivery-of-test', await client.alerts.test(example('alert').data.id)],
      ['status', await client.status()],
      ['delivery-page', await client.deliveries.list({ status: 'dead', ticker: 'EXMP' })],
      ['delivery-detail', await client.deliveries.get(example('delivery-detail').data.id)],
      ['delivery', await client.deliveries.resend(example('delivery-detail').data.id)],
      ['delivery-of-entry-test', await client.watchlist.test('EXMP')],
      ['watchlist-entry', await client.watchlist.add('EXMP', 'https://alerts.example.com/form4')],
    ]
    for (const [name, answer] of answers) assert.deepEqual(answer, example(name).data, name)
    const file = await client.exports.file('transactions', '2030-01.parquet')
    assert.deepEqual(await file.json(), example('exported-dataset'))
    const exported: unknown[] = []
    for await (const transaction of client.feed.export({ filter: 'buys' })) exported.push(transaction)
    assert.deepEqual(exported, example('feed-page').data.transactions)
    assert.strictEqual((await client.signals.rules()).rules.length, 5)
    assert.strictEqual(await client.watchlist.remove('EXMP'), undefined)
    assert.strictEqual(await client.alerts.remove(example('alert').data.id), undefined)
    assert.match(await client.feed.csv({ filter: 'buys' }), /^id,ticker,/)
    for (const atom of [await client.feed.atom({ limit: 5 }), await client.signals.atom({ minSeverity: 'low' })])
      assert.include(atom, '<feed xmlns="http://www.w3.org/2005/Atom">')
    assert.deepInclude(asked.removed, { ticker: 'EXMP' })
    const refused = await client.companies.get('NOSUCH').catch((error: unknown) => error)
    assert.deepInclude(refused, { code: 'unknown_ticker', status: 404 })
  })
})
