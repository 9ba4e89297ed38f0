// The page as it is being changed: bundled from a copy of the source, and again when that changes, over a service.
import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { startExampleService, type ExampleService } from '../../support/http/example-service.ts'

const root = join(import.meta.dirname, '../../..')

describe('make web', function () {
  this.timeout(60_000)
  let service: ExampleService
  let checkout: string
  let child: ChildProcess
  let said = ''
  let address: string

  before(async () => {
    service = await startExampleService()
    checkout = mkdtempSync(join(tmpdir(), 'watch-web-'))
    for (const name of ['src', 'package.json', 'tsconfig.json'])
      cpSync(join(root, name), join(checkout, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
    const script = 'src/cli/bootstrap/watch-web.ts'
    child = spawn(process.execPath, [script, '--url', service.url, '--port', '0'], { cwd: checkout })
    child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
    address = await until(() => /at (http:\/\/127\.0\.0\.1:\d+),/.exec(said)?.[1])
  })
  after(async () => {
    child?.kill('SIGTERM')
    await service?.close()
    if (checkout) rmSync(checkout, { recursive: true, force: true })
  })

  async function until<T>(found: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (let tries = 0; tries < 300; tries += 1) {
      const value = await found()
      if (value !== undefined) return value
      await sleep(100)
    }
    throw new Error(`not within 30 s:\n${said}`)
  }
  const text = async (path: string) => (await fetch(address + path)).text()

  it('serves the page and its scripts from the source', async () => {
    const page = await text('/')
    for (const [, file] of page.matchAll(/(?:src|href)="(dashboard\/[^"]+)"/g)) {
      assert.strictEqual((await fetch(`${address}/${file}`)).status, 200, file)
    }
    for (const name of ['nothing.js', 'app.js.gz', '..%2Fpackage.json'])
      assert.strictEqual((await fetch(`${address}/dashboard/${name}`)).status, 404, name)
  })

  it('passes everything else on to the service', async () => {
    assert.strictEqual(await text('/v1/signals/rules'), await (await fetch(`${service.url}/v1/signals/rules`)).text())
    assert.strictEqual((await fetch(`${address}/v1/nothing`)).status, 404)
  })

  it('bundles again what is saved, and says what does not compile', async () => {
    const page = join(checkout, 'src/web/index.html')
    writeFileSync(page, readFileSync(page, 'utf8').replace('<title>', '<title>Changed: '))
    await until(async () => ((await text('/')).includes('<title>Changed: ') ? true : undefined))
    const main = join(checkout, 'src/web/main.tsx')
    const whole = readFileSync(main, 'utf8')
    writeFileSync(main, `${whole}\nconst = 1\n`)
    await until(() => (/Expected identifier/.test(said) ? true : undefined))
    writeFileSync(main, whole)
    await until(async () => ((await text('/')).includes('<title>Changed: ') ? true : undefined))
  })
})
