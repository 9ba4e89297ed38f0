// Answers from memory in an api process while another process writes to the stores: never more than a second old, even
// if that process is killed, or this one is paused or cut off from PostgreSQL.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { publisher, settled, type Publish } from '../../support/edgar/checks/followed-stack.ts'
import type { Following } from '../../support/edgar/checks/agreement.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { needClickHouse } from '../../support/stores/clickhouse-server.ts'
import { startProxy, through, type Proxy } from '../../support/stores/proxy.ts'
import { sharedStores, type SharedStores } from '../../support/stores/shared-stores.ts'
import { volume } from '../../support/volume.ts'

const MAX_AGE_MS = 1_000
const TARGET = '/v1/feed?limit=40'
const KILLS = volume('kills beside answers from memory', 1, 3)
const FILINGS = volume('filings beside answers from memory', 10, 25)
/** Waited for also on a busy machine. */
const MIN_ANSWERS = 30
/** While it is cut off, for more than the age that answers may have, and again afterwards. */
const CUT_OFF = volume('filings while cut off from PostgreSQL', 6, 10)
const PAUSES = volume('pauses of answers from memory', 1, 3)

interface Shown {
  askedAt: number
  ids: Set<string>
}

describe('answers from memory beside another process that ingests', function () {
  this.timeout(240_000)
  let stores: SharedStores
  let edgar: SimulatedEdgar
  let processes: RoleProcesses
  let followed: Following & { publish: Publish }
  let proxy: Proxy
  let [remembering, asking, ingesting]: RoleProcess[] = []

  before(function () {
    needClickHouse(this)
  })
  before(async () => {
    ;[stores, edgar] = await Promise.all([
      sharedStores(),
      startSimulatedEdgar({ seed: 43, companies: inventedListings(), rate: { most: null } }),
    ])
    processes = roleProcesses({
      ...stores.variables,
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: '1',
    })
    const { DATABASE_URL } = stores.variables
    proxy = await startProxy(DATABASE_URL!)
    ingesting = await processes.start('ingest')
    remembering = await processes.start('api', { DATABASE_URL: through(DATABASE_URL!, proxy) })
    asking = await processes.start('api', { CACHE_MEMORY: '0' })
    await Promise.all(processes.all.map((each) => each.ready()))
    followed = { address: asking.address, query: stores.query, ...publisher(edgar, 43) }
    followed.publish(20)
    await settled(followed, 60)
  })
  after(async () => {
    await processes?.close()
    await proxy?.close()
    await edgar?.close()
    await stores?.close()
  })

  it('are as new as the log of changes within a second while filings come', async () => {
    const { worst, answers } = await compared(async (answered) => {
      do await publishing(FILINGS, 200)
      while (answered() < MIN_ANSWERS)
    })

    const hits = await fromMemory()
    process.stdout.write(`      ${answers} answers, ${hits} from memory, at most ${Math.round(worst)} ms behind\n`)
    // How many they are depends on how many questions fit between two changes.
    await settled(followed, 60)
    await answeredFromMemory()
  })

  it('stay so when the process that ingests is killed between any two steps', async () => {
    await compared(async () => {
      for (let round = 0; round < KILLS; round += 1) {
        const load = publishing(8, 150)
        await sleep(400 + Math.random() * 800)
        ingesting!.signal('SIGKILL')
        await ingesting!.exited
        ingesting = await processes.start('ingest')
        await load
        await ingesting.ready()
      }
      await settled(followed, 90)
    })
  })

  it('stay so after a pause of the process that answers', async () => {
    await compared(async () => {
      for (let round = 0; round < PAUSES; round += 1) {
        remembering!.signal('SIGSTOP')
        await publishing(5, 300)
        remembering!.signal('SIGCONT')
        await sleep(500)
      }
    })
  })

  it('stay so while it is cut off from PostgreSQL, and come from memory again afterwards', async () => {
    await compared(async () => {
      await proxy.set('hang')
      await publishing(CUT_OFF, 300)
      await proxy.set('pass')
      await publishing(CUT_OFF, 300)
    })

    await answeredFromMemory()
  })

  async function publishing(count: number, everyMs: number): Promise<void> {
    for (let left = count; left > 0; left -= 1, await sleep(everyMs)) followed.publish()
  }

  /**
   * Asks both processes while `work` runs; throws where the page of the one lacks what the log of changes, read through
   * the other, had over a second before.
   */
  async function compared(
    work: (answered: () => number) => Promise<void>,
  ): Promise<{ worst: number; answers: number }> {
    let isOver = false
    const known = new Map<string, number>()
    let [worst, answers] = [0, 0]
    let position = (await changesAfter('')).nextCursor
    const watchLog = async () => {
      while (!isOver) {
        const { ids, nextCursor } = await changesAfter(`&after=${position}`)
        for (const id of ids) known.set(id, performance.now())
        position = nextCursor
        await sleep(20)
      }
    }
    const watchMemory = async () => {
      let newest = new Map<string, number>()
      while (!isOver) {
        newest = new Map(known)
        const { ids, askedAt } = await shown(remembering!)
        answers += 1
        // Those that have left the page are as old as what is no longer on it.
        const page = await shown(asking!)
        for (const [id, since] of newest) {
          if (ids.has(id) || !page.ids.has(id)) continue
          worst = Math.max(worst, askedAt - since)
          assert.isBelow(askedAt - since, MAX_AGE_MS, `${id} was logged before`)
        }
        await sleep(10)
      }
    }
    const watching = Promise.all([watchLog(), watchMemory()])
    try {
      await Promise.race([work(() => answers), watching])
    } finally {
      isOver = true
      await watching
    }
    return { worst, answers }
  }

  async function shown({ address }: RoleProcess): Promise<Shown> {
    const askedAt = performance.now()
    const { transactions } = await dataOf<{ transactions: { id: string }[] }>(`${address}${TARGET}`)
    return { askedAt, ids: new Set(transactions.map(({ id }) => id)) }
  }

  /** Returns the transactions that were logged as new, and the position after them. */
  async function changesAfter(condition: string): Promise<{ ids: string[]; nextCursor: string }> {
    const { changes, nextCursor } = await dataOf<{
      changes: { data: { transactions: { id: string }[] } }[]
      nextCursor: string
    }>(`${asking!.address}/v1/changes?types=transaction.created&limit=100${condition}`)
    return { ids: changes.flatMap(({ data }) => data.transactions.map(({ id }) => id)), nextCursor }
  }

  async function dataOf<T>(url: string): Promise<T> {
    const reply = await fetch(url)
    const body = (await reply.json()) as { data: T }
    assert.strictEqual(reply.status, 200, JSON.stringify(body))
    return body.data
  }

  /** Asks until an answer comes from memory. */
  async function answeredFromMemory(): Promise<void> {
    const before = await fromMemory()
    for (const end = performance.now() + 60_000; (await fromMemory()) === before; await sleep(50)) {
      assert.isBelow(performance.now(), end, 'none comes from memory')
      await shown(remembering!)
    }
  }

  async function fromMemory(): Promise<number> {
    const metrics = await (await fetch(`${remembering!.address}/metrics`)).text()
    return Number(/^http_answers_from_memory_total (\d+)$/m.exec(metrics)?.[1] ?? 0)
  }
})
