// API keys for an operator: the key of the first start, and make's commands with and without a running service.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { nightly } from '../../support/volume.ts'

describe('API keys by make', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  const secrets: string[] = []
  const statusWith = async (key: string) =>
    (await call(stack.address, 'GET', '/v1/watchlist', { headers: { authorization: `Bearer ${key}` } })).status

  before(async () => {
    stack = await stackOfTest()
  })
  after(() => stack.remove())

  it('are issued for development by the first make up, and not by later ones', async () => {
    const { json, stderr } = await stack.make('up')
    assert.property(json, 'developmentKey', stderr)
    const { id, key, webhookSecret } = json!.developmentKey
    secrets.push(key, webhookSecret)
    assert.match([key, webhookSecret].join(' '), /^itd_[0-9A-Za-z]{10}_[0-9A-Za-z]{38} whsec_[A-Za-z0-9+/]{43}=$/)
    assert.strictEqual(await statusWith(key), 200)
    assert.strictEqual(statSync(join(stack.dataDir, 'secrets.key')).mode & 0o777, 0o600)
    const again = await stack.make('up')
    assert.include(again.json, { status: 'already running' })
    assert.notProperty(again.json, 'developmentKey')
    assert.deepEqual((await stack.make('revoke-key', { ID: id })).json, { ok: true, id, revoked: true })
    assert.notProperty((await stack.make('up')).json, 'developmentKey')
    await sleep(1_000)
    assert.strictEqual(await statusWith(key), 401)
  })

  it('are issued with a name, and listed without secrets', async () => {
    const { json, status } = await stack.make('key', { NAME: 'Example Fund', EXPIRES: 30 })
    assert.strictEqual(status, 0)
    assert.hasAllKeys(json, ['ok', 'id', 'name', 'key', 'webhookSecret', 'expiresAt'])
    assert.isAtLeast(Date.parse(json!.expiresAt) - Date.now(), 29.9 * 86_400_000)
    assert.isAtMost(Date.parse(json!.expiresAt) - Date.now(), 30 * 86_400_000)
    secrets.push(json!.key, json!.webhookSecret)
    assert.strictEqual(await statusWith(json!.key), 200)
    const plain = await stack.make('key', { NAME: '-h', JSON: 0 })
    const [, key] = /^key +(itd_\w+)$/m.exec(plain.stdout) ?? []
    secrets.push(key!, /^webhook secret +(whsec_\S+)$/m.exec(plain.stdout)![1]!)
    assert.strictEqual(await statusWith(key!), 200)
    const list = await stack.make('keys')
    assert.deepEqual(
      list.json!.keys.map(({ name, status: state }: Record<string, string>) => [name, state]),
      [
        ['-h', 'active'],
        ['Example Fund', 'active'],
        ['development', 'revoked'],
      ],
    )
    const shown = list.stdout + (await stack.make('keys', { JSON: 0 })).stdout
    assert.match(shown, /  expires never /)
    for (const secret of secrets) assert.notInclude(shown, secret.slice(-20))
  })

  it('get a new secret for webhooks', async () => {
    const { id } = (await stack.make('keys')).json!.keys[0]
    const { json } = await stack.make('rotate-secret', { ID: id })
    assert.include(json, { ok: true, id })
    assert.hasAllKeys(json, ['ok', 'id', 'webhookSecret', 'previousUntil'])
    secrets.push(json!.webhookSecret)
  })

  it('report wrong arguments', async () => {
    const wrong: [target: string, variables: Record<string, string>, words: RegExp][] = [
      ['key', {}, /--name NAME/],
      ['key', { NAME: 'x', EXPIRES: '0' }, /1 to 3650, not "0"/],
      ['key', { NAME: 'x', EXPIRES: 'soon' }, /not "soon"/],
      ['revoke-key', {}, /takes the id/],
      ['revoke-key', { ID: 'abc' }, /10 letters and digits/],
      ['revoke-key', { ID: '0000000000' }, /no key 0000000000/],
      ['rotate-secret', { ID: secrets[0]! }, /10 letters and digits/],
    ]
    for (const [target, variables, words] of wrong) {
      const { json, status } = await stack.make(target, { NAME: '', ID: '', EXPIRES: '', ...variables })
      assert.deepEqual([status === 0, json!.ok], [false, false], target)
      assert.match(json!.error, words)
      assert.notInclude(json!.error, secrets[0])
    }
  })

  it('are chosen by KEY_ID; KEY in the environment, which may be a secret, is ignored', async () => {
    const [key] = secrets
    const before = process.env.KEY
    process.env.KEY = key
    try {
      const { id } = (await stack.make('keys')).json!.keys[0]
      assert.deepEqual((await stack.make('deliveries')).json, { ok: true, deliveries: [] })
      assert.strictEqual((await stack.make('test-event')).json!.error, 'test needs a key: make test-event KEY_ID=...')
      const tested = await stack.make('test-event', { KEY_ID: id })
      assert.include(tested.json!.error, `key ${id} has no webhook address`)
      for (const target of ['deliveries', 'test-event']) {
        const { status, stdout, stderr } = await stack.make(target, { KEY_ID: key! })
        assert.notStrictEqual(status, 0)
        assert.match(stdout + stderr, /10 letters and digits/)
        assert.notInclude(stdout + stderr, key!.slice(-20))
      }
    } finally {
      if (before === undefined) delete process.env.KEY
      else process.env.KEY = before
    }
  })

  nightly('are in no message of any command that is given one where it has no place', async () => {
    const [key] = secrets
    for (const words of [
      'ingest FROM',
      'companies FROM',
      'backfill SETS',
      'catch-up FROM',
      'restore FROM',
      'logs LINES',
      'up PORT',
      'key EXPIRES',
      'key NAME',
      'revoke-key ID',
      'delivery ID',
      'resend ID',
      'replay SINCE',
      'deliveries STATUS',
      'addresses LOG_LEVEL',
    ]) {
      const [target, variable] = words.split(' ')
      const { status, stdout, stderr } = await stack.make(target!, { NAME: 'x', ID: '', [variable!]: key! })
      assert.notStrictEqual(status, 0, words)
      assert.notInclude(stdout + stderr, key!.slice(-20), words)
    }
  })

  it('have their last use recorded when the service stops, and can be issued without it', async () => {
    await stack.make('down')
    const { json } = await stack.make('keys')
    assert.deepEqual(
      json!.keys.filter(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt === null),
      [],
    )
    assert.include((await stack.make('key', { NAME: 'offline' })).json, { ok: true })
    assert.strictEqual((await stack.make('status')).json!.stores.postgres.running, false)
  })

  it('are never logged', () => {
    const folder = join(stack.dataDir, 'logs')
    const logs = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('')
    assert.include(logs, 'listening')
    for (const secret of secrets) assert.notInclude(logs, secret.slice(-20))
  })
})
