// Restarts of api processes behind a balancer, under load without a pause: no request fails, each ends in time and with 0.
// GRACEFUL_RESTARTS says how many (4).
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../src/infrastructure/embedded/ports.ts'
import { startBalancer, type Balancer } from '../../support/service/balancer.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/role-process.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'

const RESTARTS = Number(process.env.GRACEFUL_RESTARTS ?? 4)
/** Time for the balancer to notice, which asks twice a second. */
const DRAIN_SECONDS = 3
const PATHS = ['/v1/feed?limit=5', '/v1/signals', '/v1/watchlist', '/openapi.json']

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
      expect(performance.now(), 'waiting for both to be ready').to.be.below(end)
    }
  }

  it(`fails no request over ${RESTARTS} restarts, and ends with 0 within 25 s`, async () => {
    const failures: string[] = []
    let answered = 0
    let isOver = false
    const ask = async (path: string) => {
      try {
        const answer = await fetch(`${balancer.address}${path}`, { headers: { authorization } })
        const text = await answer.text()
        if (answer.status === 200) answered += 1
        else failures.push(`${path}: ${answer.status} ${text}`)
      } catch (error) {
        failures.push(`${path}: ${String((error as Error).cause ?? error)}`)
      }
    }
    const load = PATHS.flatMap((path) => [path, path]).map(async (path) => {
      for (; !isOver; await sleep(15)) await ask(path)
    })
    let longest = 0
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const each = running[restart % 2]!
      const from = performance.now()
      each.process.signal('SIGTERM')
      expect(await each.process.exited, 'how it ended').to.deep.equal({ code: 0, signal: null })
      longest = Math.max(longest, performance.now() - from)
      each.process = await start(each.port)
      await each.process.ready()
      await bothReady()
    }
    isOver = true
    await Promise.all(load)
    process.stdout.write(
      `      ${RESTARTS} restarts, ${answered} requests, ${failures.length} failed, ` +
        `the longest stop took ${(longest / 1000).toFixed(1)} s\n`,
    )
    expect(failures.length, failures.slice(0, 5).join('\n')).to.equal(0)
    expect(answered).to.be.greaterThan(RESTARTS * 20)
    expect(longest / 1000, 'seconds to the end').to.be.below(25)
  })

  it('refuses requests at once where it need not wait for a balancer', async () => {
    const port = await freePort()
    const started = await processes.start('api', { PORT: String(port), DRAIN_SECONDS: '0' })
    await started.ready()
    started.signal('SIGTERM')
    expect(await started.exited).to.deep.equal({ code: 0, signal: null })
    const answer = await fetch(`${started.address}/healthz`).catch((error: Error) => error)
    expect(answer).to.be.instanceOf(Error)
  })

  for (const role of ['ingest', 'deliver']) {
    it(`lets a process that serves ${role} alone tell that it stops, though a caller keeps its connection`, async () => {
      const started = await processes.start(role, { DRAIN_SECONDS: '1' })
      await started.ready()
      // Kept alive by this process's fetch.
      expect(
        ((await fetch(`${started.address}/healthz`).then((answer) => answer.json())) as { status: string }).status,
      ).to.equal('up')
      started.signal('SIGTERM')
      await started.logged('stopping')
      const answer = await fetch(`${started.address}/readyz`)
      expect([answer.status, await answer.json()]).to.deep.equal([503, { status: 'stopping', checks: {} }])
      expect(await started.exited).to.deep.equal({ code: 0, signal: null })
    })
  }
})
