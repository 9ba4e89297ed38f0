// The README's own words, run: its two commands, each request with its answer, and that what it names is there.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../src/infrastructure/embedded/ports.ts'
import { configVariables } from '../support/config-variables.ts'
import { call } from '../support/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../support/make.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Requests with the JSON block that follows each. */
const exchanges = [...readme.matchAll(/```sh\ncurl ([^\n]*)\n```\n\n```json\n([\s\S]*?)```/g)].map(([, words, answer]) => {
  const header = /-H '([^:]+): ([^']+)'/.exec(words!)
  return {
    path: /localhost:8080([^'\s]*)/.exec(words!)![1]!,
    headers: header ? { [header[1]!]: header[2]! } : {},
    answer: JSON.parse(answer!) as unknown,
  }
})

describe('README', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  before(async () => { stack = await stackOfTest() })
  after(() => stack.remove())

  it('starts and ingests with its two commands', async () => {
    expect(readme).to.contain('\nmake up ').and.to.contain('\nmake ingest FROM=test/fixtures/filings ')
    expect((await stack.make('up')).status).to.equal(0)
    const { stdout, status } = await stack.make('ingest', { FROM: 'test/fixtures/filings', JSON: 0 })
    expect(status).to.equal(0)
    expect(readme).to.contain(stdout)
  })

  it('has an exchange for each public endpoint', () => {
    expect(exchanges.map(({ path }) => path.replace(/\?.*/, '').split('/').slice(0, 3).join('/'))).to.deep.equal(
      ['/v1/feed', '/v1/feed', '/v1/companies', '/v1/insiders', '/v1/signals', '/v1/feed', '/v1/watchlist'])
  })

  for (const { path, headers, answer } of exchanges) {
    it(`shows what GET ${path} answers`, async () => {
      expect((await call(stack.address, 'GET', path, { headers })).body).to.deep.equal(answer)
    })
  }

  it('has an alert arrive, signed, at the receiver that it shows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'readme-alerts-'))
    const port = await freePort()
    const [receiver] = /```js\n([\s\S]*?)```/.exec(readme)!.slice(1)
    writeFileSync(join(folder, 'receive.mjs'), receiver!.replace('9999', String(port)))
    const variables = Object.fromEntries([.../make down && make up ([A-Z_=0-9. ]+?) +#/.exec(readme)![1]!.matchAll(/([A-Z_]+)=(\S+)/g)]
      .map(([, name, value]) => [name!, value!]))
    await stack.make('down')
    expect((await stack.make('up', variables)).status).to.equal(0)
    const { id, key, webhookSecret } = (await stack.make('key', { NAME: 'me' })).json!
    const receiving = spawn(process.execPath, [join(folder, 'receive.mjs'), webhookSecret])
    let received = ''
    receiving.stdout.on('data', (chunk) => { received += chunk })
    try {
      const entry = { ticker: 'EXWI', webhookUrl: `http://127.0.0.1:${port}/` }
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      expect((await fetch(`${stack.address}/v1/watchlist`, { method: 'POST', headers, body: JSON.stringify(entry) })).status).to.equal(201)
      const tested = await stack.make('test-event', { KEY_ID: id })
      expect(tested.json?.attempts[0]?.outcome, tested.stderr).to.match(/^204 after/)
      const [script] = /```sh\n(now=[\s\S]*?)make ingest/.exec(readme)!.slice(1)
      execFileSync('sh', ['-c', script!.replaceAll('new-filing.txt', join(folder, 'new-filing.txt'))], { cwd: root })
      expect((await stack.make('ingest', { FROM: join(folder, 'new-filing.txt') })).json).to.deep.include({ ingested: 1 })
      for (let tries = 0; tries < 100 && !received.includes('transaction.created'); tries += 1) await sleep(100)
      const alerts = received.trim().split('\n').map((line) => JSON.parse(line))
      expect(alerts.map(({ type }) => type)).to.deep.equal(['test', 'transaction.created'])
      expect(alerts[1].data).to.deep.include({ ticker: 'EXWI', accessionNumber: '0001999001-26-000099' })
      expect(alerts[1].data.transactions[0]).to.deep.include({ shares: 60_100 })
    } finally {
      receiving.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('lists every variable of the configuration, and no other', () => {
    const table = /## Configuration[\s\S]*?\n\n(\|[\s\S]*?)\n\n/.exec(readme)![1]!
    const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!))
    expect(listed.toSorted()).to.deep.equal(configVariables().toSorted())
  })

  it('names files and commands that are there', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https:)([^)#]+)\)/g)) expect(existsSync(join(root, path!)), path).to.equal(true)
    const files = [...readme.matchAll(/`((?:http|clickhouse|postgres|redis|webhooks|edgar)\/[\w/-]+\.ts)`/g)].map(([, path]) => `src/infrastructure/${path}`)
    const others = [...readme.matchAll(/`((?:cli|application|domain)\/[\w/-]+\.ts)`/g)].map(([, path]) => `src/${path}`)
    expect(files.length).to.be.greaterThan(8)
    for (const path of [...files, ...others]) expect(existsSync(join(root, path)), path).to.equal(true)
    const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
    for (const [, target] of readme.matchAll(/(?:^|`)make ([a-z-]+)/gm)) expect(makefile, target).to.match(new RegExp(`^${target}:`, 'm'))
  })
})
