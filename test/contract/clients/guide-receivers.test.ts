// Runs the receivers that the guide to webhooks shows, unchanged, and sends them valid and invalid webhooks.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
