// Runs the receivers that the guide to webhooks shows, unchanged, and sends them valid and invalid webhooks; and the
// forwarder of the guide to alerts, which gets every kind of event.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../support/ports.ts'
import { CLIENT_FOLDER, needPython, pythons } from '../../support/service/tools/pythons.ts'
import { newWebhookSecret } from '../../support/webhooks/secret.ts'

const root = join(import.meta.dirname, '../../..')
const text = readFileSync(join(root, 'openapi/guides/webhooks.md'), 'utf8')
const [, byHand] = /<<'END'\n([\s\S]*?)^END$/m.exec(text)!
const RECEIVERS = [
  { name: 'Node, by hand', language: 'mjs', program: byHand!, checksTime: false },
  ...[...text.matchAll(/^### (.+)\n[\s\S]*?```(js|py)\n([\s\S]*?)```/gm)].map(([, name, language, program]) => ({
    name: name!,
    language: language === 'js' ? 'mjs' : 'py',
    program: program!,
    checksTime: true,
  })),
]

describe('the receivers of the guide to webhooks', function () {
  this.timeout(30_000)
  const secret = newWebhookSecret()
  const body = JSON.stringify({ id: 'evt_1', type: 'transaction.created', data: { name: 'Exämple 日本' } })
  let folder: string
  let child: ChildProcess | undefined

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'receivers-'))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  })
  afterEach(() => child?.kill())
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are one by hand and one by a library for each of two languages', () => {
    assert.deepEqual(
      RECEIVERS.map(({ name }) => name),
      ['Node, by hand', 'Node, by a library', 'Python, by the client', 'Python, by hand'],
    )
  })

  for (const { name, language, program, checksTime } of RECEIVERS) {
    it(`${name}: takes what is signed, and nothing else`, async function () {
      if (language === 'py') needPython(this)
      const port = await freePort()
      const path = join(folder, `receiver.${language}`)
      writeFileSync(path, program.replace('9999', String(port)))
      const env = { ...process.env, WEBHOOK_SECRET: secret, PYTHONPATH: CLIENT_FOLDER, PYTHONDONTWRITEBYTECODE: '1' }
      const command = language === 'py' ? pythons()[0]!.path : process.execPath
      // It logs each request on stderr.
      const receiver = (child = spawn(command, [path], { env, stdio: ['ignore', 'pipe', 'ignore'] }))
      let printed = ''
      receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))

      const send = async (sent: string, at = new Date(), signedWith = secret) => {
        const signature = new Webhook(signedWith).sign('evt_1', at, body)
        // As while a secret is rotated.
        const other = new Webhook(newWebhookSecret()).sign('evt_1', at, body)
        const headers = {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': `${other} ${signature}`,
        }
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent })).status
      }
      let first: number | undefined
      for (let tries = 0; first === undefined && tries < 200; tries += 1) {
        first = await send(body).catch(() => sleep(50).then(() => undefined))
      }
      assert.strictEqual(first, 204)
      assert.strictEqual(await send(body.replace('evt_1', 'evt_2')), 401)
      assert.strictEqual(await send(body, new Date(), newWebhookSecret()), 401)
      if (checksTime) assert.strictEqual(await send(body, new Date(Date.now() - 600_000)), 401)
      for (let tries = 0; !printed.includes('evt_1') && tries < 100; tries += 1) await sleep(20)
      assert.include(printed, 'transaction.created')
      assert.notInclude(printed, 'evt_2')
    })
  }
})

describe('the receivers of the guide to webhooks that verify by hand', function () {
  this.timeout(30_000)
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'receivers-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const { name, language, program } of RECEIVERS.filter((each) => each.name.endsWith('by hand'))) {
    it(`${name}: do not start with a secret that is empty or short`, function () {
      if (language === 'py') needPython(this)
      const path = join(folder, `unconfigured.${language}`)
      writeFileSync(path, program)
      const command = language === 'py' ? pythons()[0]!.path : process.execPath
      for (const secret of ['', 'whsec_', `whsec_${Buffer.alloc(23, 1).toString('base64')}`]) {
        const env = { ...process.env, WEBHOOK_SECRET: secret }
        const { status, stderr } = spawnSync(command, [path], { env, timeout: 5_000, encoding: 'utf8' })
        assert.strictEqual(status, 1, secret)
        assert.include(stderr, 'WEBHOOK_SECRET has fewer than 24 bytes')
      }
    })
  }
})

describe('the forwarder of the guide to alerts', function () {
  this.timeout(30_000)
  const secret = newWebhookSecret()
  const guide = readFileSync(join(root, 'openapi/guides/alerts.md'), 'utf8')
  const [, program] = /^## Telegram[\s\S]*?```js\n([\s\S]*?)```/m.exec(guide)!
  let folder: string
  let forwarder: ChildProcess | undefined

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'forwarder-'))
  })
  after(() => {
    forwarder?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it('says each kind of event, and outlives a chat that is away', async () => {
    const port = await freePort()
    const client = pathToFileURL(join(root, 'src/client/index.ts')).href
    // In place of one of the functions that send: the first message is lost.
    const send = `
      const said = []
      const send = async (text) => {
        if (said.push(text) === 1) throw new Error('away')
        console.log(JSON.stringify(text))
        return true
      }`
    const path = join(folder, 'forwarder.mjs')
    writeFileSync(path, program!.replace('insider-trading-client', client).replace('9999', String(port)) + send)
    const env = { ...process.env, WEBHOOK_SECRET: secret }
    const words = ['--import=tsx', path]
    const child = (forwarder = spawn(process.execPath, words, { env, cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }))
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))

    const forward = async (body: string, signedWith = secret) => {
      const at = new Date()
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(signedWith).sign('evt_1', at, body),
      }
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
    }
    const events = globSync('openapi/examples/webhooks/*.json', { cwd: root }).map((name) =>
      readFileSync(join(root, name), 'utf8'),
    )
    assert.isAtLeast(events.length, 6)
    let first: number | undefined
    for (let tries = 0; first === undefined && tries < 200; tries += 1) {
      first = await forward(events[0]!).catch(() => sleep(50).then(() => undefined))
    }
    assert.strictEqual(first, 502)
    assert.strictEqual(await forward(events[0]!, newWebhookSecret()), 401)
    for (const event of events) assert.strictEqual(await forward(event), 204, event)
    for (let tries = 0; printed.split('\n').length <= events.length && tries < 100; tries += 1) await sleep(20)
    const said = printed.trim().split('\n')
    assert.lengthOf(said, events.length)
    for (const text of said) assert.notMatch(text, /undefined|null|^""$/)
    assert.include(printed, 'Jane Example plans to sell 10000 units of Example Corp for $251200.5')
  })
})
