// make up and make down as users run them, with the real stores and the real service.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { processRef, waitForExit } from '../../../src/infrastructure/embedded/processes.ts'
import { findStores } from '../../../src/infrastructure/embedded/stores.ts'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'
import { queryStack } from '../../support/stores/embedded.ts'

async function healthy(address: string): Promise<boolean> {
  return fetch(`${address}/healthz`).then(
    (response) => response.ok,
    () => false,
  )
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
      assert.include(made, { status: 0 }, made.stderr)
      assert.deepInclude(made.json, {
        ok: true,
        status: 'started',
        address: stack.address,
        dataDir: stack.dataDir,
        stores: { postgres: 'started', redis: 'started' },
      })
      assert.lengthOf(made.stdout.trim().split('\n'), 1, 'one line on stdout')
      assert.strictEqual(Number(readFileSync(join(stack.dataDir, 'service.pid'), 'utf8')), made.json!.pid)
      assert.strictEqual(await healthy(stack.address), true)
    }
  })

  it('ingest into a folder without a stack says that it creates one, and which stacks run', async () => {
    const three = await stackOfTest()
    try {
      const from = { FROM: 'test/fixtures/filings/0001999001-26-000002.txt' }
      const [made, again] = [await three.make('ingest', from), await three.make('ingest', from)]
      assert.strictEqual(made.status, 0, made.stderr)
      assert.deepInclude(made.json, { dataDir: three.dataDir, isNewStack: true, ingested: 1 })
      assert.include(made.stderr, `${three.dataDir} has no stack, and gets a new one; DATA_DIR names another (`)
      for (const { dataDir } of [one, two]) assert.include(made.stderr, `DATA_DIR=${dataDir}`)
      assert.include(made.stderr, `into the stack of ${three.dataDir}\n`)
      assert.deepInclude(again.json, { dataDir: three.dataDir, isNewStack: false, alreadyKnown: 1 })
      assert.notInclude(again.stderr, 'has no stack')
      assert.include(again.stderr, `into the stack of ${three.dataDir}\n`)
      const ofOne = await one.make('ingest', from)
      assert.deepInclude(ofOne.json, { dataDir: one.dataDir, isNewStack: false, ingested: 1 })
    } finally {
      await three.remove()
    }
  })

  it('a second up leaves a running stack alone and prints its address', async () => {
    const { pid } = (await one.make('status')).json!
    const again = await one.make('up', { JSON: 0 })
    assert.include(again, { status: 0, stdout: `already running at ${one.address} (open it in a browser)\n` })
    assert.deepInclude(await one.whenReady(), { running: true, ready: true, notReady: null, pid })
  })

  it('up takes the stores over after the service was killed', async () => {
    const before = (await one.make('status')).json!
    const killed = processRef(before.pid)
    process.kill(before.pid, 'SIGKILL')
    assert.strictEqual(await waitForExit(killed, 60_000), true)
    assert.deepInclude((await one.make('status')).json, { running: false, stores: before.stores })
    const again = await one.make('up')
    assert.deepInclude(
      again.json,
      {
        status: 'started',
        stores: { postgres: 'adopted', redis: 'adopted' },
      },
      again.stderr,
    )
    assert.deepEqual((await one.make('status')).json!.stores, before.stores)
  })

  it('status says which store does not answer', async () => {
    const { stores } = await one.whenReady()
    process.kill(stores.redis.pid, 'SIGSTOP')
    try {
      const { ready, notReady } = (await one.make('status')).json!
      assert.deepEqual([ready, /^redis (timeout|unreachable)$/.test(notReady)], [false, true], notReady)
      const { stdout } = await one.make('status', { JSON: 0 })
      assert.match(stdout, /^service +not ready \(redis (timeout|unreachable)\) at http:/)
    } finally {
      process.kill(stores.redis.pid, 'SIGCONT')
    }
    assert.deepInclude(await one.whenReady(), { ready: true, notReady: null, stores })
  })

  it('the service starts its stores again when they are killed', async () => {
    const { pid, stores } = (await one.make('status')).json!
    for (const name of ['postgres', 'redis']) {
      const killed = processRef(stores[name].pid)
      process.kill(killed.pid, 'SIGKILL')
      await waitForExit(killed, 60_000)
    }
    const isReady = () => fetch(`${one.address}/readyz`).then(({ status }) => status === 200)
    const runs = async () => Object.values(await findStores(one.dataDir)).every((found) => found !== null)
    for (const end = performance.now() + 60_000; !(await runs()) || !(await isReady()); await sleep(100))
      assert.isBelow(performance.now(), end, 'ready again')
    const log = readFileSync(join(one.dataDir, 'logs/service.log'), 'utf8')
    for (const store of ['postgres', 'redis'])
      assert.match(log, new RegExp(`"store":"${store}","msg":"a store has ended and is started again"`))
    assert.deepInclude((await one.make('up')).json, { pid, stores: { postgres: 'adopted', redis: 'adopted' } })
  })

  it('down stops its own stack only, and the next up has the data', async () => {
    await queryStack(one.dataDir, 'CREATE TABLE kept AS SELECT 7 AS n')
    const { pid } = (await one.make('status')).json!
    const service = processRef(pid)
    assert.deepEqual((await one.make('down')).json, {
      ok: true,
      stopped: ['service', 'redis', 'postgres'],
      dataDir: one.dataDir,
    })
    assert.strictEqual(await waitForExit(service, 0), true)
    assert.strictEqual(existsSync(join(one.dataDir, 'service.pid')), false)
    assert.deepInclude(await two.whenReady(), { running: true, ready: true, notReady: null })
    const again = await one.make('up')
    assert.deepInclude(
      again.json,
      {
        status: 'started',
        stores: { postgres: 'started', redis: 'started' },
      },
      again.stderr,
    )
    assert.deepEqual(await queryStack(one.dataDir, 'SELECT n FROM kept'), [{ n: 7 }])
  })

  it('down succeeds twice, or if nothing ever ran', async () => {
    assert.lengthOf((await two.make('down')).json!.stopped, 3)
    assert.deepInclude(await two.make('down'), { status: 0, json: { ok: true, stopped: [], dataDir: two.dataDir } })
    const nowhere = join(two.dataDir, 'nowhere')
    assert.deepEqual((await make('down', { DATA_DIR: nowhere, JSON: 1 })).json!.stopped, [])
    assert.strictEqual(existsSync(nowhere), false)
  })

  it('up on an occupied port says so in one line and leaves nothing running', async () => {
    const taken = createServer().listen(two.port, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    try {
      const { status, stderr, stdout } = await two.make('up', { JSON: 0 })
      assert.notStrictEqual(status, 0)
      assert.strictEqual(stdout, '')
      assert.strictEqual(
        stderr.split('\n')[0],
        `error: port ${two.port} on 127.0.0.1 is taken by another program: choose another with PORT=`,
      )
      const { stores } = (await two.make('status')).json!
      assert.deepEqual([stores.postgres.running, stores.redis.running], [false, false])
    } finally {
      taken.close()
    }
  })

  it('up reports all errors of a configuration before anything starts', async () => {
    const { status, json } = await two.make('up', { PORT: 'http', REDIS_URL: 'localhost' })
    assert.notStrictEqual(status, 0)
    assert.lengthOf(json!.faults, 2)
  })
})

describe('a clock that is wrong', function () {
  this.timeout(240_000)
  // A program into which libfaketime is loaded hangs now and then, whatever it does.
  this.retries(4)
  // The clock that measures time is not one that can be set.
  const shifted = (by: string, words: string[]) =>
    spawnSync('faketime', ['-f', by, 'make', ...words], {
      cwd: join(import.meta.dirname, '../../..'),
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      timeout: 100_000,
    })

  before(function () {
    if (spawnSync('faketime', ['-f', '+1s', 'true']).status === 0) return
    this.test!.title += ' (skipped: takes faketime)'
    this.skip()
  })

  for (const by of ['+2h', '-2h']) {
    it(`by ${by} does not prevent a start`, async () => {
      const stack = await stackOfTest()
      const variables = [`DATA_DIR=${stack.dataDir}`, `PORT=${stack.port}`, 'JSON=1']
      try {
        const { status, stderr, signal } = shifted(by, ['up', ...variables])
        assert.deepEqual([status, signal], [0, null], stderr)
        // By the right clock again.
        assert.deepInclude(await stack.whenReady(), { running: true, ready: true, notReady: null })
        assert.include((await stack.make('up')).json, { status: 'already running' })
      } finally {
        await stack.remove()
      }
    })
  }
})

describe('make help', () => {
  it('lists every target, also as JSON', async () => {
    const targets = readFileSync(new URL('../../../Makefile', import.meta.url), 'utf8').match(/^[a-z\d-]+(?=:)/gm)!
    const { stdout } = await make('help')
    const { json } = await make('help', { JSON: 1 })
    assert.deepEqual(
      json!.commands.map(({ name }: { name: string }) => name),
      targets,
    )
    for (const target of targets) assert.match(stdout, new RegExp(`^make ${target} +\\S`, 'm'))
  })
})
