// What an operator may lose below DATA_DIR: records of running processes, the key for secrets, PostgreSQL's data.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'

const fixtures = 'test/fixtures/filings'

describe('records of running processes that are lost', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  before(async () => {
    stack = await stackOfTest()
    expect((await stack.make('up')).status).to.equal(0)
  })
  after(() => stack.remove())

  const lose = (...names: string[]) => {
    for (const name of names) rmSync(join(stack.dataDir, name), { recursive: true })
  }
  // The service writes its record again after 5 s; a test that is slower than that still passes.
  const known = (before: Record<string, any>) => ({
    running: true,
    ready: true,
    pid: before.pid,
    address: stack.address,
    stores: before.stores,
  })

  for (const [what, ...names] of [
    ["the service's record", 'service.json'],
    ['its record and its pid file', 'service.json', 'service.pid'],
    ['its record and its lock', 'service.json', 'run/service.lock'],
    ["Redis's record", 'redis.json'],
    ["the folder of locks and the service's record", 'run', 'service.json'],
  ] as [string, ...string[]][]) {
    it(`leave the stack known: ${what}`, async () => {
      const up = await stack.make('up')
      expect(up.status, up.stderr).to.equal(0)
      const before = (await stack.make('status')).json!
      lose(...names)
      expect((await stack.make('status')).json).to.deep.include(known(before))
      expect((await stack.make('ps')).json!.processes).to.have.length(3)
      lose(...names.filter((name) => existsSync(join(stack.dataDir, name))))
      // Without its mark that they are to stay, the service stops the stores by itself.
      expect((await make('down', { DATA_DIR: stack.dataDir, JSON: 1 })).json!.stopped).to.include('service')
      expect((await stack.make('ps')).json!.processes).to.deep.equal([])
      expect(await fetch(`${stack.address}/healthz`).catch(() => null)).to.equal(null)
    })
  }

  it('leave a service that up does not start a second time', async () => {
    await stack.make('up')
    const { stores } = (await stack.make('status')).json!
    lose('service.json')
    const again = await stack.make('up')
    expect(again.status, again.stderr).to.equal(0)
    expect((await stack.make('status')).json).to.deep.include({ ready: true, stores })
    expect((await stack.make('ps')).json!.processes).to.have.length(3)
  })
})

describe('the key for secrets', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let keyPath: string
  let issued: { id: string; key: string }
  const status = async () => (await stack.make('status')).json!
  const watch = (url: string) =>
    fetch(`${stack.address}/v1/watchlist`, {
      method: 'POST',
      headers: { authorization: `Bearer ${issued.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ticker: 'EXWI', webhookUrl: url }),
    })

  before(async () => {
    stack = await stackOfTest()
    keyPath = join(stack.dataDir, 'secrets.key')
    issued = (await stack.make('up', { WEBHOOK_ALLOW_HTTP: 1, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' })).json!.developmentKey
    expect((await watch('http://127.0.0.1:9/')).status).to.equal(201)
  })
  after(() => stack.remove())

  it('is not exchanged for another one under a running stack', async () => {
    const { pid } = await status()
    const { json } = await stack.make('up', { SECRETS_KEY: '0'.repeat(64) })
    expect(json!.error).to.match(/^SECRETS_KEY is another key, .* set SECRETS_KEY, as it was\. .*SECRETS_KEY_LOST=1/)
    expect((await status()).pid).to.equal(pid)
  })

  it('lost is told by every command that would need it, which make none anew', async () => {
    renameSync(keyPath, `${keyPath}.aside`)
    const missing =
      /secrets\.key is missing, and the webhook secrets in PostgreSQL are encrypted with the one there was: put back the file/
    expect((await stack.make('key', { NAME: 'another' })).json!.error).to.match(missing)
    expect((await stack.make('rotate-secret', { ID: issued.id })).json!.error).to.match(missing)
    expect((await stack.make('keys')).json!.keys).to.have.length(1)
    await stack.make('down')
    expect((await stack.make('up')).json!.error).to.match(missing)
    expect(existsSync(keyPath)).to.equal(false)
    expect(await status()).to.deep.include({
      running: false,
      stores: { postgres: { running: false, pid: null }, redis: { running: false, pid: null } },
    })
  })

  it('put back is all that is needed', async () => {
    renameSync(`${keyPath}.aside`, keyPath)
    expect((await stack.make('up')).json).to.include({ status: 'started' })
    await stack.make('down')
  })

  it('given up, the webhooks that it signed are disabled and can be had again', async () => {
    rmSync(keyPath)
    const { json, stderr } = await stack.make('up', { SECRETS_KEY_LOST: 1 })
    expect(json, stderr).to.include({ status: 'started' })
    expect((await stack.make('addresses')).json!.addresses).to.have.length(1)
    const { stdout } = await stack.make('addresses', { JSON: 0 })
    expect(stdout).to.contain('the key of its webhook secret is lost')
    expect(stdout).to.match(/^1 address fails or is disabled$/m)
    await stack.make('down')
    expect((await stack.make('up')).json, 'without saying so again').to.include({ status: 'started' })
    expect((await stack.make('rotate-secret', { ID: issued.id })).status).to.equal(0)
    expect((await watch('http://127.0.0.1:9/')).status).to.equal(200)
    expect((await stack.make('addresses')).json!.addresses).to.deep.equal([])
    const { json: tested } = await stack.make('test-event', { KEY_ID: issued.id })
    expect(JSON.stringify(tested))
      .to.match(/ECONNREFUSED|refused/i)
      .and.not.match(/encrypted with another key/)
  })
})

describe('PostgreSQL emptied beside a full ClickHouse', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let feed: unknown
  const ask = async () => (await fetch(`${stack.address}/v1/feed`)).json()
  const emptied = () =>
    new RegExp(
      `PostgreSQL \\(.*/postgres\\) is empty, while ClickHouse \\(.*/clickhouse\\) is full.*make restore.*make rebuild`,
    )

  before(async () => {
    stack = await stackOfTest()
    expect((await stack.make('up')).status).to.equal(0)
    expect((await stack.make('ingest', { FROM: fixtures })).json).to.include({ ingested: 7 })
    feed = await ask()
    expect((await stack.make('backup', { TO: `${stack.dataDir}.backup` })).status).to.equal(0)
    await stack.make('down')
  })
  after(() => stack.remove())

  const lose = () => {
    for (const name of ['postgres', 'postgres.json']) rmSync(join(stack.dataDir, name), { recursive: true })
  }

  it('is refused with the names of both', async () => {
    lose()
    const { status, json } = await stack.make('up')
    expect(status).not.to.equal(0)
    expect(json!.error).to.match(emptied())
    expect((await stack.make('status')).json).to.deep.include({
      running: false,
      stores: { postgres: { running: false, pid: null }, redis: { running: false, pid: null } },
    })
  })

  it('is right again after a restore and a rebuild', async () => {
    expect((await stack.make('restore', { FROM: `${stack.dataDir}.backup` })).status).to.equal(0)
    expect((await stack.make('up')).json!.error).to.match(/was not filled from PostgreSQL .*make rebuild/)
    expect((await stack.make('rebuild')).json).to.include({ filings: 7 })
    expect((await stack.make('up')).json).to.include({ status: 'started' })
    expect(await ask()).to.deep.equal(feed)
    await stack.make('down')
  })

  it('starts empty after a rebuild', async () => {
    lose()
    expect((await stack.make('up')).json!.error).to.match(emptied())
    expect((await stack.make('rebuild')).json).to.include({ filings: 0 })
    expect((await stack.make('up')).json).to.include({ status: 'started' })
    expect(await ask()).to.deep.equal({ success: true, data: { transactions: [], hasMore: false } })
    expect(readFileSync(join(stack.dataDir, 'logs/service.log'), 'utf8')).to.contain('listening')
  })
})
