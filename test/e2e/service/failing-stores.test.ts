// Stores that stop, refuse, become slow or hang under load: requests that need them get 503 in time, others continue,
// no process ends, and everything recovers without a restart.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../support/http/contract-client.ts'
import { expectAgreement, type Following } from '../../support/edgar/checks/agreement.ts'
import { publisher, settled, type Publish } from '../../support/edgar/checks/followed-stack.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { allDelivered, expectTold, watchEverything, type Watcher } from '../../support/edgar/checks/watchers.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import type { ProxyMode } from '../../support/stores/proxy.ts'
import { startReceiver, type Receiver } from '../../support/webhooks/receiver.ts'
import {
  isReady,
  roleProcesses,
  type RoleProcess,
  type RoleProcesses,
} from '../../support/service/processes/role-process.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'
import { nightly, volume } from '../../support/volume.ts'

type Store = 'clickhouse' | 'postgres' | 'redis'
type Kind = 'plain' | 'read' | 'keyed'

interface Answer {
  kind: Kind
  path: string
  milliseconds: number
  reply: Reply
}

const PATHS: Record<Kind, string[]> = {
  plain: ['/healthz', '/openapi.json', '/docs/reference'],
  read: ['/v1/feed?limit=5', '/v1/signals?limit=3', '/v1/feed?limit=2&filter=buys'],
  keyed: ['/v1/watchlist'],
}
const NEEDS: Record<Store, Kind[]> = { clickhouse: ['read'], postgres: ['keyed'], redis: [] }
/** A request has 5 s in all; the rest is for a busy machine. */
const MAX_MS = 7_000
/** Between two requests of one caller. */
const PAUSE_MS = volume('milliseconds between requests while a store fails', 250, 100)

describe('stores that fail under load', function () {
  this.timeout(120_000)
  let stores: SharedStores
  let processes: RoleProcesses
  let api: RoleProcess
  let edgar: SimulatedEdgar
  let receiver: Receiver
  let watcher: Watcher
  let followed: Following & { publish: Publish }

  before(function () {
    needClickHouse(this)
  })
  before(async () => {
    ;[stores, edgar, receiver] = await Promise.all([
      sharedStores(),
      startSimulatedEdgar({ seed: 31, companies: inventedListings(), rate: { most: null } }),
      startReceiver(),
    ])
    const following = {
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: '1',
    }
    // Counted requests: each comes from behind a proxy, by an address that is not loopback.
    processes = roleProcesses({ ...stores.variables, ...following, RATE_LIMIT: '100000/min', TRUST_PROXY: '1' })
    api = await processes.start('api')
    const working = await processes.start('ingest,deliver')
    await Promise.all([api.ready(), working.ready()])
    followed = { address: api.address, query: stores.query, ...publisher(edgar, 31) }
    watcher = await watchEverything(api.address, receiver, await stores.issueKey('a watcher'))
    followed.publish(12)
    await allTold()
    // Those of profiles ask in two turns: who it is, then what is known of them.
    const [newest] = (await ask('read', '/v1/feed?limit=1')).reply.body.data.transactions
    PATHS.read.push(`/v1/companies/${newest.ticker}`)
  })
  after(async () => {
    await processes?.close()
    await edgar?.close()
    await receiver?.close()
    await stores?.close()
  })

  async function allTold(): Promise<void> {
    await settled(followed, 60)
    await allDelivered(followed, 60)
  }

  async function ask(kind: Kind, path: string): Promise<Answer> {
    // A caller with a key is counted by it, which must not hold up what needs no key.
    const headers = {
      'x-forwarded-for': '203.0.113.7',
      ...(kind !== 'plain' && { authorization: `Bearer ${watcher.key}` }),
    }
    const start = performance.now()
    const reply = await call(api.address, 'GET', path, { headers })
    return { kind, path, milliseconds: performance.now() - start, reply }
  }

  /** Asks for each path repeatedly, for that time and until the last is answered. */
  async function load(milliseconds: number): Promise<Answer[]> {
    const answers: Answer[] = []
    const end = performance.now() + milliseconds
    const ways = Object.entries(PATHS).flatMap(([kind, paths]) =>
      [...paths, ...paths].map((path) => [kind as Kind, path] as const),
    )
    await Promise.all(
      ways.map(async ([kind, path]) => {
        do {
          answers.push(await ask(kind, path))
          await sleep(PAUSE_MS)
        } while (performance.now() < end)
      }),
    )
    return answers
  }

  async function known(): Promise<Map<string, string>> {
    const answers = await Promise.all(
      Object.values(PATHS)
        .flat()
        .map((path) => ask(path === PATHS.keyed[0] ? 'keyed' : 'read', path)),
    )
    for (const { path, reply } of answers) assert.strictEqual(reply.status, 200, path)
    return new Map(answers.map(({ path, reply }) => [path, JSON.stringify(reply.body)]))
  }

  function expectRight(answers: Answer[], right: Map<string, string>, needs: Kind[], mode: ProxyMode): void {
    for (const { kind, path, milliseconds, reply } of answers) {
      const told = `${path} answered ${reply.status} after ${Math.round(milliseconds)} ms`
      const isHit = needs.includes(kind)
      if (!isHit) assert.strictEqual(reply.status, 200, told)
      // One that is only slow may answer in time.
      else if (typeof mode !== 'object') assert.strictEqual(reply.status, 503, told)
      else assert.oneOf(reply.status, [200, 503], told)
      if (reply.status === 200) assert.strictEqual(JSON.stringify(reply.body), right.get(path), `a wrong 200: ${told}`)
      else {
        assert.isAtLeast(Number(reply.headers['retry-after']), 1, told)
        assert.isAtMost(Number(reply.headers['retry-after']), 60, told)
      }
      assert.isBelow(milliseconds, isHit ? MAX_MS : MAX_MS / 2, told)
    }
  }

  const p99 = (answers: Answer[]) =>
    Math.round(
      answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)[Math.ceil(answers.length * 0.99) - 1] ?? 0,
    )

  /** Milliseconds since `from` until all is answered and ready again. */
  async function recovered(from: number): Promise<number> {
    for (;;) {
      const answers = await load(0)
      if (answers.every(({ reply }) => reply.status === 200) && (await isReady(api.address)))
        return performance.now() - from
      assert.isBelow(performance.now() - from, 20_000, 'milliseconds without recovery')
      await sleep(100)
    }
  }

  // The daily run has each store in one way, and each way but resets, which look to the service like refusals.
  const cases: [string, ProxyMode, number, Store | null][] = [
    ['is stopped and its port closed', 'refuse', 1_500, 'clickhouse'],
    ['resets connections', 'reset', 1_500, null],
    ['hangs', 'hang', 6_000, 'postgres'],
    ['answers 3 s late', { delay: 3_000 }, 4_000, 'redis'],
  ]
  for (const store of ['clickhouse', 'postgres', 'redis'] as const) {
    for (const [what, mode, milliseconds, daily] of cases) {
      const test = store === daily ? it : nightly
      test(`${store} ${what}`, async () => {
        await recovered(performance.now())
        const right = await known()
        await stores.proxies[store].set(mode)
        const answers = await load(milliseconds)
        expectRight(answers, right, NEEDS[store], mode)
        // What the api's role needs shows in its readiness.
        if (NEEDS[store].length > 0) assert.strictEqual(await isReady(api.address), false)
        followed.publish(3)
        // Deliveries continue without Redis.
        if (store === 'redis') await allTold()
        const from = performance.now()
        await stores.proxies[store].set('pass')
        const back = await recovered(from)
        const hit = answers.filter(({ kind }) => NEEDS[store].includes(kind))
        const rest = answers.filter(({ kind }) => !NEEDS[store].includes(kind))
        process.stdout.write(
          `        ${hit.length} answers that need it, p99 ${p99(hit)} ms; ` +
            `${rest.length} others, p99 ${p99(rest)} ms; ` +
            `all back after ${Math.round(back)} ms\n`,
        )
        await allTold()
        assert.deepEqual(
          processes.all.map((each) => each.exit()),
          [null, null],
          'processes that ended',
        )
      })
    }
  }

  it('are waited for by a process that starts without PostgreSQL, and not at all without Redis', async () => {
    await stores.proxies.postgres.set('refuse')
    await stores.proxies.redis.set('refuse')
    try {
      const late = await processes.start('api')
      await late.logged('waiting for a store')
      await stores.proxies.postgres.set('pass')
      await late.ready()
      assert.strictEqual((await call(late.address, 'GET', '/v1/feed?limit=5')).status, 200)
      late.signal('SIGTERM')
      assert.deepInclude(await late.exited, { code: 0 })
      processes.all.splice(processes.all.indexOf(late), 1)
    } finally {
      await stores.proxies.postgres.set('pass')
      await stores.proxies.redis.set('pass')
    }
  })

  it('lose nothing by it all', async () => {
    await allTold()
    await expectAgreement(followed)
    await expectTold(followed, receiver, [watcher])
  })
})
