// The priority of the embedded engine's threads: what loads history gives way to everything else.
import { assert } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import type { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { PRIORITIES } from '../../../src/infrastructure/clickhouse/connection/settings.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const LOW = PRIORITIES.low.os_threads_nice_value_query
/** CAP_SYS_NICE. */
const MAY_SET = 1n << 23n

describe("the embedded engine's threads", () => {
  let service: TestService

  before(async function () {
    if (process.platform !== 'linux') {
      process.stdout.write('      skipped: Linux only\n')
      this.skip()
    }
    const may = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]}`)
    if ((may & MAY_SET) === 0n) {
      process.stdout.write('      skipped: without CAP_SYS_NICE the engine sets none\n')
      this.skip()
    }
    service = await testService()
    if (!service.store.isEmbedded) {
      process.stdout.write('      skipped: a server has its own\n')
      this.skip()
    }
  })
  after(() => service?.close())

  /** The nice values of this process's threads, and how much they have run. */
  const threads = () =>
    new Map(
      readdirSync('/proc/self/task').map((thread) => {
        const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
        return [thread, { nice: Number(fields[16]), ran: Number(fields[11]) + Number(fields[12]) }]
      }),
    )
  const slow = sql`SELECT sum(sipHash64(number)) AS s FROM numbers(20000000) SETTINGS max_execution_time = 0`

  /**
   * Returns the values with which threads ran while the statement did. Those that wait for work, or were just given
   * some, can have an earlier one.
   */
  async function seenDuring(on: ClickHouse): Promise<Set<number>> {
    const seen = new Set<number>()
    let isDone = false
    const running = on.rows(slow).finally(() => (isDone = true))
    for (let before = threads(); !isDone;) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      const now = threads()
      for (const [thread, { nice, ran }] of now) {
        const earlier = before.get(thread)
        if (earlier?.nice === nice && earlier.ran < ran) seen.add(nice)
      }
      before = now
    }
    await running
    return seen
  }

  it('have a low priority for statements of history alone', async () => {
    const { store } = service
    // Repeated, since a short statement can end between two looks.
    let seen = new Set<number>()
    for (let time = 0; time < 20 && !seen.has(LOW); time += 1) seen = await seenDuring(store.forBulk)
    assert.include([...seen], LOW)
    for (let time = 0; time < 3; time += 1) {
      assert.notInclude([...(await seenDuring(store.forCallers))], LOW)
      assert.notInclude([...(await seenDuring(store))], LOW)
    }
  })

  it('have one below that of answers where they merge parts', async () => {
    const [{ value }] = (await service.store.rows(
      sql`SELECT value FROM system.server_settings WHERE name = 'os_threads_nice_value_merge_mutate'`,
    )) as [{ value: string }]
    assert.isAbove(Number(value), PRIORITIES.normal.os_threads_nice_value_query)
  })
})
