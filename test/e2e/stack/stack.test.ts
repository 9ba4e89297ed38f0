// make up and make down as a user runs them, with the real stores and the real service.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { processRef, waitForExit } from '../../../src/infrastructure/embedded/processes.ts'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'

async function healthy(address: string): Promise<boolean> {
  return fetch(`${address}/healthz`).then(
    (response) => response.ok,
    () => false,
  )
}

async function query(dataDir: string, text: string): Promise<any[]> {
  const { port, password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'))
  const client = new pg.Client({ host: '127.0.0.1', port, password, user: 'insider', database: 'insider' })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('make up and make down', function () {
  this.timeout(120_000)
  let one: StackOfTest
  let two: StackOfTest

  before(async () => {
    one = await stackOfTest()
    two = await stackOfTest()
  })
  after(async () => {
    await one.remove()
    await two.remove()
  })

  it('start two stacks at once from one checkout, each with its own address', async () => {
    const [first, second] = await Promise.all([one.make('up'), two.make('up')])
    for (const [stack, made] of [
      [one, first],
      [two, second],
    ] as const) {
      expect(made, made.stderr).to.include({ status: 0 })
      expect(made.json).to.deep.include({
        ok: true,
        status: 'started',
        address: stack.address,
        dataDir: stack.dataDir,
        stores: { postgres: 'started', redis: 'started' },
      })
      expect(made.stdout.trim().split('\n'), 'one line on stdout').to.have.length(1)
      expect(Number(readFileSync(join(stack.dataDir, 'service.pid'), 'utf8'))).to.equal(made.json!.pid)
      expect(await healthy(stack.address)).to.equal(true)
    }
  })

  it('up again leaves what runs and tells its address', async () => {
    const { pid } = (await one.make('status')).json!
    const again = await one.make('up', { JSON: 0 })
    expect(again).to.include({ status: 0, stdout: `already running at ${one.address}\n` })
    expect((await one.make('status')).json).to.deep.include({ running: true, ready: true, pid })
  })

  it('up takes the stores over after the service was killed', async () => {
    const before = (await one.make('status')).json!
    const killed = processRef(before.pid)
    process.kill(before.pid, 'SIGKILL')
    expect(await waitForExit(killed, 5_000)).to.equal(true)
    expect((await one.make('status')).json).to.deep.include({ running: false, stores: before.stores })
    const again = await one.make('up')
    expect(again.json, again.stderr).to.deep.include({
      status: 'started',
      stores: { postgres: 'adopted', redis: 'adopted' },
    })
    expect((await one.make('status')).json!.stores).to.deep.equal(before.stores)
  })

  it('up starts a store again that died under the running service', async () => {
    const { pid, stores } = (await one.make('status')).json!
    const killed = processRef(stores.redis.pid)
    process.kill(killed.pid, 'SIGKILL')
    await waitForExit(killed, 5_000)
    expect((await one.make('up')).json).to.deep.include({ pid, stores: { postgres: 'adopted', redis: 'started' } })
  })

  it('down stops its own stack and no other, and the data is there at the next up', async () => {
    await query(one.dataDir, 'CREATE TABLE kept AS SELECT 7 AS n')
    const { pid } = (await one.make('status')).json!
    const service = processRef(pid)
    expect((await one.make('down')).json).to.deep.equal({
      ok: true,
      stopped: ['service', 'redis', 'postgres'],
      dataDir: one.dataDir,
    })
    expect(await waitForExit(service, 0)).to.equal(true)
    expect(existsSync(join(one.dataDir, 'service.pid'))).to.equal(false)
    expect((await two.make('status')).json).to.deep.include({ running: true, ready: true })
    const again = await one.make('up')
    expect(again.json, again.stderr).to.deep.include({
      status: 'started',
      stores: { postgres: 'started', redis: 'started' },
    })
    expect(await query(one.dataDir, 'SELECT n FROM kept')).to.deep.equal([{ n: 7 }])
  })

  it('down twice, or where nothing ever ran, is no fault', async () => {
    expect((await two.make('down')).json!.stopped).to.have.length(3)
    expect(await two.make('down')).to.deep.include({ status: 0, json: { ok: true, stopped: [], dataDir: two.dataDir } })
    const nowhere = join(two.dataDir, 'nowhere')
    expect((await make('down', { DATA_DIR: nowhere, JSON: 1 })).json!.stopped).to.deep.equal([])
    expect(existsSync(nowhere)).to.equal(false)
  })

  it('up on a port that is taken says so in one line and leaves nothing running', async () => {
    const taken = createServer().listen(two.port, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    try {
      const { status, stderr, stdout } = await two.make('up', { JSON: 0 })
      expect(status).not.to.equal(0)
      expect(stdout).to.equal('')
      expect(stderr.split('\n')[0]).to.equal(
        `error: port ${two.port} on 127.0.0.1 is taken by another program: choose another with PORT=`,
      )
      const { stores } = (await two.make('status')).json!
      expect([stores.postgres.running, stores.redis.running]).to.deep.equal([false, false])
    } finally {
      taken.close()
    }
  })

  it('a faulty configuration is told whole before anything starts', async () => {
    const { status, json } = await two.make('up', { PORT: 'http', REDIS_URL: 'localhost' })
    expect(status).not.to.equal(0)
    expect(json!.faults).to.have.length(2)
  })
})

describe('make help', () => {
  it('lists every target, and as JSON the same', async () => {
    const targets = readFileSync(new URL('../../../Makefile', import.meta.url), 'utf8').match(/^[a-z-]+(?=:)/gm)!
    const { stdout } = await make('help')
    const { json } = await make('help', { JSON: 1 })
    expect(json!.commands.map(({ name }: { name: string }) => name)).to.deep.equal(targets)
    for (const target of targets) expect(stdout).to.match(new RegExp(`^make ${target} +\\S`, 'm'))
  })
})
