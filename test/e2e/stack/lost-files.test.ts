// What an operator may lose below DATA_DIR: records of running processes, the key for secrets, PostgreSQL's data. One
// stack loses them one after the other.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'
import { nightly } from '../../support/volume.ts'

const fixtures = 'test/fixtures/filings'

describe('a stack of which files are lost', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let issued: { id: string; key: string }

  before(async () => {
    stack = await stackOfTest()
    issued = (await stack.make('up', { WEBHOOK_ALLOW_HTTP: 1, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' })).json!.developmentKey
  })
  after(() => stack.remove())

  describe('records of running processes', () => {
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

    it('do not make up start a second service', async () => {
      const before = (await stack.make('status')).json!
      lose('service.json')
      assert.deepInclude(await stack.whenReady(), known(before))
      const again = await stack.make('up')
      assert.strictEqual(again.status, 0, again.stderr)
      assert.deepInclude(await stack.whenReady(), { ready: true, stores: before.stores })
      assert.lengthOf((await stack.make('ps')).json!.processes, 3)
    })

    for (const [what, ...names] of [
      ["the service's record", 'service.json'],
      ['its record and its pid file', 'service.json', 'service.pid'],
      ['its record and its lock', 'service.json', 'run/service.lock'],
      ["Redis's record", 'redis.json'],
      ["the folder of locks and the service's record", 'run', 'service.json'],
    ] as [string, ...string[]][]) {
      // The last covers all that is lost together; the first is lost above as well.
      const test = what.startsWith('the folder') ? it : nightly
      test(`leave the stack known: ${what}`, async () => {
        const up = await stack.make('up')
        assert.strictEqual(up.status, 0, up.stderr)
        const before = (await stack.make('status')).json!
        lose(...names)
        assert.deepInclude(await stack.whenReady(), known(before))
        assert.lengthOf((await stack.make('ps')).json!.processes, 3)
        lose(...names.filter((name) => existsSync(join(stack.dataDir, name))))
        // Without its mark that they are to stay, the service stops the stores automatically.
        assert.include((await make('down', { DATA_DIR: stack.dataDir, JSON: 1 })).json!.stopped, 'service')
        assert.deepEqual((await stack.make('ps')).json!.processes, [])
        assert.strictEqual(await fetch(`${stack.address}/healthz`).catch(() => null), null)
      })
    }
  })

  describe('the SECRETS_KEY', () => {
    let keyPath: string
    const status = async () => (await stack.make('status')).json!
    const watch = (url: string) =>
      fetch(`${stack.address}/v1/watchlist`, {
        method: 'POST',
        headers: { authorization: `Bearer ${issued.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ticker: 'EXWI', webhookUrl: url }),
      })

    before(async () => {
      keyPath = join(stack.dataDir, 'secrets.key')
      assert.strictEqual((await stack.make('up')).status, 0)
      assert.strictEqual((await watch('http://127.0.0.1:9/')).status, 201)
    })

    it("can't be changed while the stack runs", async () => {
      const { pid } = await status()
      const { json } = await stack.make('up', { SECRETS_KEY: '0'.repeat(64) })
      assert.match(json!.error, /^SECRETS_KEY is another key, .* set SECRETS_KEY to it\. .*SECRETS_KEY_LOST=1/)
      assert.strictEqual((await status()).pid, pid)
    })

    it('is reported as lost by every command that needs it, and never replaced', async () => {
      renameSync(keyPath, `${keyPath}.aside`)
      const missing = new RegExp(
        'secrets\\.key is missing, and the webhook secrets in PostgreSQL are encrypted with the previous one: ' +
          'restore the file',
      )
      assert.match((await stack.make('key', { NAME: 'another' })).json!.error, missing)
      assert.match((await stack.make('rotate-secret', { ID: issued.id })).json!.error, missing)
      assert.lengthOf((await stack.make('keys')).json!.keys, 1)
      await stack.make('down')
      assert.match((await stack.make('up')).json!.error, missing)
      assert.strictEqual(existsSync(keyPath), false)
      assert.deepInclude(await status(), {
        running: false,
        stores: {
          postgres: { running: false, pid: null, socket: null },
          redis: { running: false, pid: null, socket: null },
        },
      })
    })

    it('works again as soon as it is restored', async () => {
      renameSync(`${keyPath}.aside`, keyPath)
      assert.include((await stack.make('up')).json, { status: 'started' })
      await stack.make('down')
    })

    it('disables the webhooks that it signed if it is given up, and they can be set up again', async () => {
      rmSync(keyPath)
      const { json, stderr } = await stack.make('up', { SECRETS_KEY_LOST: 1 })
      assert.include(json, { status: 'started' }, stderr)
      assert.lengthOf((await stack.make('addresses')).json!.addresses, 1)
      const { stdout } = await stack.make('addresses', { JSON: 0 })
      assert.include(stdout, 'the key of its webhook secret is lost')
      assert.match(stdout, /^1 address fails or is disabled$/m)
      await stack.make('down')
      assert.include((await stack.make('up')).json, { status: 'started' }, 'without saying so again')
      assert.strictEqual((await stack.make('rotate-secret', { ID: issued.id })).status, 0)
      assert.strictEqual((await watch('http://127.0.0.1:9/')).status, 200)
      assert.deepEqual((await stack.make('addresses')).json!.addresses, [])
      const { json: tested } = await stack.make('test-event', { KEY_ID: issued.id })
      assert.match(JSON.stringify(tested), /ECONNREFUSED|refused/i)
      assert.notMatch(JSON.stringify(tested), /encrypted with another key/)
    })
  })

  describe('PostgreSQL emptied beside a full ClickHouse', () => {
    let feed: unknown
    const ask = async () => (await fetch(`${stack.address}/v1/feed`)).json()
    const EMPTIED =
      /PostgreSQL \(.*\/postgres\) is empty, while ClickHouse \(.*\/clickhouse\) is full.*make restore.*make rebuild/

    before(async () => {
      assert.include((await stack.make('ingest', { FROM: fixtures })).json, { ingested: 7 })
      feed = await ask()
      assert.strictEqual((await stack.make('backup', { TO: `${stack.dataDir}.backup` })).status, 0)
      await stack.make('down')
    })

    const lose = () => {
      for (const name of ['postgres', 'postgres.json']) rmSync(join(stack.dataDir, name), { recursive: true })
    }

    it('is refused with the names of both', async () => {
      lose()
      const { status, json } = await stack.make('up')
      assert.notStrictEqual(status, 0)
      assert.match(json!.error, EMPTIED)
      assert.deepInclude((await stack.make('status')).json, {
        running: false,
        stores: {
          postgres: { running: false, pid: null, socket: null },
          redis: { running: false, pid: null, socket: null },
        },
      })
    })

    it('is repaired by a restore and a rebuild', async () => {
      assert.strictEqual((await stack.make('restore', { FROM: `${stack.dataDir}.backup` })).status, 0)
      assert.match((await stack.make('up')).json!.error, /was not filled from PostgreSQL .*make rebuild/)
      assert.include((await stack.make('rebuild')).json, { filings: 7 })
      assert.include((await stack.make('up')).json, { status: 'started' })
      assert.deepEqual(await ask(), feed)
    })

    nightly('starts empty after a rebuild', async () => {
      await stack.make('down')
      lose()
      assert.match((await stack.make('up')).json!.error, EMPTIED)
      assert.include((await stack.make('rebuild')).json, { filings: 0 })
      assert.include((await stack.make('up')).json, { status: 'started' })
      assert.deepEqual(await ask(), { success: true, data: { transactions: [], hasMore: false } })
      assert.include(readFileSync(join(stack.dataDir, 'logs/service.log'), 'utf8'), 'listening')
    })
  })
})
