// Everything in one container: the built program in the foreground, with the environment of the image `embedded` and
// only a folder for its data. The image itself is tested if there is Docker.
import { execFileSync, spawnSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { builtMains } from '../../../src/cli/bootstrap/checkout.ts'
import { waitReady } from '../../../src/cli/stack/wait-ready.ts'
import { wholeFeed } from '../../support/http/answers.ts'
import { freePort } from '../../support/ports.ts'
import { docker, imagesHere } from '../../support/service/tools/docker-images.ts'

const root = join(import.meta.dirname, '../../..')
const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8')
/** What the image sets, but for the paths and the port of the container. */
const IMAGE = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (?!NODE_EXTRA)(.+)$/gm)].flatMap(([, line]) =>
    line!.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
  ),
)
const FIXTURES = join(root, 'test/fixtures/filings')

async function untilReady(address: string): Promise<void> {
  assert.strictEqual(await waitReady(address, () => true, 60_000), 'ready', address)
}

describe('everything in one process with one folder', function () {
  this.timeout(180_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-container-'))
  let main = ''
  let env: Record<string, string> = {}
  let address = ''
  let child: ChildProcess | null = null
  before(async () => {
    execFileSync('sh', ['src/cli/bootstrap/run.sh', 'step', 'build'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    main = builtMains(root)[0]!
    const port = await freePort()
    env = {
      ...IMAGE,
      PATH: process.env.PATH!,
      HOME: folder,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
    }
    address = `http://127.0.0.1:${port}`
  })
  after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async () => {
    child = spawn(process.execPath, [main, 'serve'], { cwd: folder, env, stdio: 'ignore' })
    await untilReady(address)
  }
  const stop = async (): Promise<unknown> => {
    if (child === null || child.exitCode !== null) return null
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    return (await ended)[0]
  }

  it('has the settings of embedded stores in the image', () => {
    assert.include(IMAGE, { HOST: '0.0.0.0', PORT: '8080', DATA_DIR: '/data', REDIS_INSTALL: '0' })
    const [, stage = ''] = /^FROM base AS embedded\n([\s\S]*?)^FROM /m.exec(dockerfile) ?? []
    assert.match(stage, /install .*redis-tools/)
    assert.match(stage, /^RUN mkdir -m 700 \/data/m)
    assert.isAbove(dockerfile.lastIndexOf('\nFROM base\n'), dockerfile.indexOf('FROM base AS embedded'))
  })

  it('serves filings that a command ingests beside it, also after a restart', async () => {
    await start()
    const said = execFileSync(process.execPath, [main, 'ingest', FIXTURES], { cwd: folder, env, encoding: 'utf8' })
    assert.include(said, 'ingested 7, already known 0, rejected 1')
    const feed = await wholeFeed(address)
    assert.lengthOf(feed, 7)
    assert.strictEqual(await stop(), 0)
    await start()
    assert.deepEqual(await wholeFeed(address), feed)
    assert.strictEqual(await stop(), 0)
  })

  const images = imagesHere()
  const image = 'insider-trading-data-service:embedded-of-tests'
  const name = `insider-embedded-${process.pid}`
  it(`serves them as an image too${typeof images === 'string' ? ` (skipped: ${images})` : ''}`, async function () {
    if (typeof images === 'string') return this.skip()
    this.timeout(900_000)
    const ran = (...args: string[]) => {
      const { status, stdout, stderr } = docker(...args)
      assert.strictEqual(status, 0, stderr)
      return stdout
    }
    const build = {
      ...{ context: root, dockerfile: 'docker/Dockerfile', target: 'embedded', secrets: ['authorities'] },
      args: { NODE_IMAGE: images.NODE_IMAGE, REVISION: '0123abc' },
    }
    const secrets = { authorities: { file: process.env.NODE_EXTRA_CA_CERTS ?? '/dev/null' } }
    // By Compose: `docker build` takes no secrets where the plugin buildx is missing.
    const project = { name, services: { embedded: { image, build } }, secrets }
    const built = spawnSync('docker', ['compose', '-f', '-', 'build'], {
      input: JSON.stringify(project),
      encoding: 'utf8',
    })
    assert.strictEqual(built.status, 0, built.stderr)
    try {
      const port = await freePort()
      const at = `http://127.0.0.1:${port}`
      ran('run', '-d', '--name', name, '-p', `127.0.0.1:${port}:8080`, '-v', `${name}:/data`, image)
      await untilReady(at)
      ran('cp', FIXTURES, `${name}:/tmp/filings`)
      ran('exec', name, 'node', '/app/src/main.js', 'ingest', '/tmp/filings')
      const { data } = (await (await fetch(`${at}/v1/status`)).json()) as { data: { revision: string } }
      assert.strictEqual(data.revision, '0123abc')
      const feed = await wholeFeed(at)
      assert.lengthOf(feed, 7)
      ran('restart', name)
      await untilReady(at)
      assert.deepEqual(await wholeFeed(at), feed)
    } finally {
      docker('rm', '-f', name)
      docker('volume', 'rm', name)
    }
  })
})
