// The service as several processes over shared stores: two of each role follow a simulated EDGAR while they are killed
// repeatedly. A standby takes over, and nothing is lost. ROLE_KILLS sets how often the active ingester is killed.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../support/http/contract-client.ts'
import { expectAgreement, type Following } from '../../support/edgar/checks/agreement.ts'
import { publisher, settled, type Publish } from '../../support/edgar/checks/followed-stack.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { allDelivered, expectTold, watchEverything, type Watcher } from '../../support/edgar/checks/watchers.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { startReceiver, type Receiver } from '../../support/webhooks/receiver.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'
import { volume } from '../../support/volume.ts'

const KILLS = Number(process.env.ROLE_KILLS ?? volume('kills of the active ingester', 1, 5))
const PAUSE_MS = volume('milliseconds between filings while processes are killed', 500, 300)
const TAKEN_OVER_WITHIN_MS = 15_000

describe('roles in processes of their own', function () {
  this.timeout(240_000 + KILLS * 30_000)
  let stores: SharedStores
  let edgar: SimulatedEdgar
  let receiver: Receiver
  let processes: RoleProcesses
  let followed: Following & { publish: Publish }
  const watchers: Watcher[] = []
  const running: Record<'api' | 'ingest' | 'deliver', RoleProcess[]> = { api: [], ingest: [], deliver: [] }

  before(function () {
    needClickHouse(this)
  })
  before(async () => {
    ;[stores, edgar, receiver] = await Promise.all([
      sharedStores(),
      startSimulatedEdgar({ seed: 41, companies: inventedListings(), rate: { most: null } }),
      startReceiver(),
    ])
    const following = {
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: '1',
    }
    processes = roleProcesses({ ...stores.variables, ...following })
    for (let number = 0; number < 2; number += 1) {
      for (const role of ['api', 'ingest', 'deliver'] as const) running[role].push(await processes.start(role))
      await Promise.all(processes.all.map((each) => each.ready()))
    }
    followed = { address: running.api[0]!.address, query: stores.query, ...publisher(edgar, 41) }
    for (const name of ['first', 'second']) {
      watchers.push(await watchEverything(followed.address, receiver, await stores.issueKey(name)))
    }
  })
  after(async () => {
    await processes?.close()
    await edgar?.close()
    await receiver?.close()
    await stores?.close()
  })

  const isActive = (ingester: RoleProcess) => !ingester.exit() && ingester.log.some(({ msg }) => msg === 'ingesting')

  async function kill(each: RoleProcess): Promise<number> {
    const at = Date.now()
    each.signal('SIGKILL')
    await each.exited
    return at
  }

  /** In its place and not waited for, as a supervisor does. */
  async function replace(role: keyof typeof running, ended: RoleProcess): Promise<void> {
    running[role].splice(running[role].indexOf(ended), 1, await processes.start(role))
  }

  /**
   * Filings without a pause until `work` is done, 60 at most: fetching 8 a second, a slow machine would never be
   * through.
   */
  async function underLoad(work: () => Promise<void>): Promise<void> {
    let isOver = false
    const publishing = (async () => {
      for (let left = 60; !isOver && left > 0; left -= 1, await sleep(PAUSE_MS)) followed.publish()
    })()
    try {
      await work()
    } finally {
      isOver = true
      await publishing
    }
  }

  async function expectNothingLost(): Promise<void> {
    await settled(followed, 90)
    await allDelivered(followed, 90)
    const { alerts, duplicates } = await expectTold(followed, receiver, watchers)
    process.stdout.write(
      `      ${followed.published.length} filings, ${alerts} alerts, 0 lost, ` +
        `${duplicates} received twice under the same id\n`,
    )
  }

  it('let one of two processes ingest', async () => {
    followed.publish(6)
    await settled(followed, 60)
    assert.lengthOf(running.ingest.filter(isActive), 1)
    for (const { address } of running.api) {
      const { body } = await call(address, 'GET', '/v1/status')
      assert.deepInclude(body.data, { follows: true, invented: true, filling: null })
    }
    await expectNothingLost()
  })

  it(`take over ingestion within 15 s, the active process killed ${KILLS} times under load`, async () => {
    const taken: number[] = []
    await underLoad(async () => {
      for (let number = 0; number < KILLS; number += 1) {
        const active = running.ingest.find(isActive)!
        const standby = running.ingest.find((each) => each !== active)!
        await standby.ready()
        await sleep(Math.random() * 1_500)
        const at = await kill(active)
        taken.push((await standby.logged('ingesting', at, 60)) - at)
        await replace('ingest', active)
        // It does take in.
        followed.publish()
        await standby.logged('projected', at, 60)
      }
    })
    process.stdout.write(`      taken over after ${taken.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}\n`)
    for (const each of taken) assert.isBelow(each, TAKEN_OVER_WITHIN_MS)
    await expectNothingLost()
  })

  it('keep answering and delivering with one process of each killed', async () => {
    await underLoad(async () => {
      const [api, deliver] = [running.api[0]!, running.deliver[0]!]
      await Promise.all([kill(api), kill(deliver)])
      followed.address = running.api[1]!.address
      const before = receiver.receipts.length
      for (let tries = 0; receiver.receipts.length < before + 10; tries += 1) {
        assert.strictEqual((await fetch(`${followed.address}/v1/feed?limit=1`)).status, 200)
        assert.isBelow(tries, 400, 'no receipts')
        await sleep(100)
      }
      await Promise.all([replace('api', api), replace('deliver', deliver)])
      await Promise.all([...running.api, ...running.deliver].map((each) => each.ready()))
    })
    await expectNothingLost()
    const [own, other] = await Promise.all(
      running.api.map(async ({ address }) => (await fetch(`${address}/v1/feed?limit=100`)).text()),
    )
    assert.strictEqual(own, other)
  })

  it('take over from a process that hangs with open connections', async () => {
    const active = running.ingest.find(isActive)!
    const standby = running.ingest.find((each) => each !== active)!
    await standby.ready()
    const at = Date.now()
    // Stopped, its system still answers for it: the right goes with the connection, so it is kept until it is killed.
    active.signal('SIGSTOP')
    await sleep(3_000)
    assert.strictEqual(
      standby.log.some(({ msg, time }) => msg === 'ingesting' && time >= at),
      false,
      'two at once',
    )
    const killed = await kill(active)
    assert.isBelow((await standby.logged('ingesting', killed, 60)) - killed, TAKEN_OVER_WITHIN_MS)
    await replace('ingest', active)
    followed.publish(4)
    await expectNothingLost()
  })

  it('end in exactly what was published, as an undisturbed ingest lists it', () => expectAgreement(followed))
})
