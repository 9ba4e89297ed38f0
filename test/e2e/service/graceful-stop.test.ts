// Restarts of api processes behind a balancer under constant load: no request fails, and each process ends in time with
// code 0. GRACEFUL_RESTARTS sets how many.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/ports.ts'
import { startBalancer, type Balancer } from '../../support/service/processes/balancer.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'
import { volume } from '../../support/volume.ts'

const RESTARTS = Number(process.env.GRACEFUL_RESTARTS ?? volume('restarts under load', 1, 4))
/** Without a pause, each. */
const CALLERS = volume('callers of each path under restarts', 1, 2)
/** Time for the balancer to notice, which asks twice a second. */
const DRAIN_SECONDS = 3
const PATHS = ['/v1/feed?limit=5', '/v1/signals', '/v1/watchlist', '/openapi.json']

/** Of a request; a second less, for clocks that differ. */
const DEADLINE_MS = 4_000

describe('a graceful stop', function () {
  this.timeout(120_000 + RESTARTS * 30_000)
  let stores: SharedStores
  let processes: RoleProcesses
  let balancer: Balancer
  let authorization: string
  const running: { port: number; process: RoleProcess }[] = []

  const start = (port: number) => processes.start('api', { PORT: String(port), DRAIN_SECONDS: String(DRAIN_SECONDS) })

  before(function () {
    needClickHouse(this)
  })
  before(async () => {
    stores = await sharedStores()
    processes = roleProcesses({ ...stores.variables, LOG_LEVEL: 'info' })
    for (let number = 0; number < 2; number += 1) {
      const port = await freePort()
      running.push({ port, process: await start(port) })
    }
    await Promise.all(running.map((each) => each.process.ready()))
    balancer = await startBalancer(
      running.map(({ process: { address } }) => address),
      500,
    )
    authorization = `Bearer ${(await stores.issueKey('graceful')).key}`
    await bothReady()
  })
  after(async () => {
    await balancer?.close()
    await processes?.close()
    await stores?.close()
  })

  async function bothReady(): Promise<void> {
    for (const end = performance.now() + 60_000; balancer.ready().length < 2; await sleep(50)) {
      assert.isBelow(performance.now(), end, 'waiting for both to be ready')
    }
  }

  it(`fails no request over ${RESTARTS} restarts, and ends with 0 within 25 s`, async () => {
    const failures: string[] = []
    let answered = 0
    let late = 0
    let isOver = false
    const ask = async (path: string) => {
      const from = performance.now()
      try {
        const answer = await fetch(`${balancer.address}${path}`, { headers: { authorization } })
        const text = await answer.text()
        if (answer.status === 200) answered += 1
        // A machine that is too busy to answer within the deadline is not what a stop does to a request.
        else if (answer.status === 503 && performance.now() - from > DEADLINE_MS) late += 1
        else failures.push(`${path}: ${answer.status} ${text}`)
      } catch (error) {
        failures.push(`${path}: ${String((error as Error).cause ?? error)}`)
      }
    }
    const load = PATHS.flatMap((path) => Array<string>(CALLERS).fill(path)).map(async (path) => {
      for (; !isOver; await sleep(15)) await ask(path)
    })
    let longest = 0
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const each = running[restart % 2]!
      const from = performance.now()
      each.process.signal('SIGTERM')
      assert.deepEqual(await each.process.exited, { code: 0, signal: null }, 'how it ended')
      longest = Math.max(longest, performance.now() - from)
      each.process = await start(each.port)
      await each.process.ready()
      await bothReady()
    }
    isOver = true
    await Promise.all(load)
    process.stdout.write(
      `      ${RESTARTS} restarts, ${answered} requests, ${failures.length} failed, ${late} cut by their deadline, ` +
        `the longest stop took ${(longest / 1000).toFixed(1)} s\n`,
    )
    assert.strictEqual(failures.length, 0, failures.slice(0, 5).join('\n'))
    assert.isAbove(answered, RESTARTS * 20)
    assert.isBelow(longest / 1000, 25, 'seconds to the end')
  })

  it('refuses requests at once where it need not wait for a balancer', async () => {
    const port = await freePort()
    const started = await processes.start('api', { PORT: String(port), DRAIN_SECONDS: '0' })
    await started.ready()
    started.signal('SIGTERM')
    assert.deepEqual(await started.exited, { code: 0, signal: null })
    const answer = await fetch(`${started.address}/healthz`).catch((error: Error) => error)
    assert.instanceOf(answer, Error)
  })

  for (const role of ['ingest', 'deliver']) {
    it(`shows that a process with only the role ${role} stops, though a caller keeps its connection`, async () => {
      const started = await processes.start(role, { DRAIN_SECONDS: '5' })
      await started.ready()
      // Kept alive by this process's fetch.
      assert.strictEqual(
        ((await fetch(`${started.address}/healthz`).then((answer) => answer.json())) as { status: string }).status,
        'up',
      )
      started.signal('SIGTERM')
      const readiness = async () => {
        const answer = await fetch(`${started.address}/readyz`)
        return { code: answer.status, body: (await answer.json()) as { status: string; checks: object } }
      }
      while ((await readiness()).body.status !== 'stopping') await sleep(20)
      // That question may have come before the signal, and have been put to the stores.
      assert.deepEqual(await readiness(), { code: 503, body: { status: 'stopping', checks: {} } })
      assert.deepEqual(await started.exited, { code: 0, signal: null }, JSON.stringify(started.log.slice(-5)))
    })
  }
})
