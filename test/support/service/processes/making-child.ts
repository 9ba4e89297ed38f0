// A process of its own that makes the month files of what is stored, and kills itself after the step that it is given.
// Steps are what reaches the folder: files opened, written, made to last, renamed and removed. Prints their number when
// it got to the end.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { ClickHouseOptions } from '../../../../src/infrastructure/clickhouse/connection/client.ts'

export interface MakingOrder {
  databaseUrl: string
  clickHouse: ClickHouseOptions
  /** What was recorded is projected first. */
  historyDir: string
  exportsDir: string
  killAfter: number | null
}

const order = JSON.parse(process.argv[2]!) as MakingOrder
let steps = 0
let isMaking = false

function counted(owner: object, name: string): void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>
  const original = methods[name]!
  methods[name] = async function (this: unknown, ...args: unknown[]) {
    const result = await original.apply(this, args)
    if (isMaking) steps += 1
    if (isMaking && order.killAfter === steps) process.kill(process.pid, 'SIGKILL')
    return result
  }
}

const handle = await fs.open(process.argv[1]!)
for (const name of ['chmod', 'writeFile', 'sync', 'close']) counted(Object.getPrototypeOf(handle) as object, name)
await handle.close()
for (const name of ['open', 'rename', 'rm', 'mkdir']) counted(fs, name)
syncBuiltinESMExports()

// After that: these files hold on to what they import.
const { createContainer } = await import('../../../../src/container/container.ts')
const { TYPES } = await import('../../../../src/container/tokens.ts')
const { ClickHouse } = await import('../../../../src/infrastructure/clickhouse/connection/client.ts')
const { createTables } = await import('../../../../src/infrastructure/clickhouse/create-tables.ts')
const { openPool } = await import('../../../../src/infrastructure/postgres/pool.ts')

const pool = openPool({ url: order.databaseUrl, name: 'making', max: 2 })
const { historyDir, exportsDir } = order
const options = { ...order.clickHouse, historyDir, exportsDir }
const store = await ClickHouse.open(options)
await createTables(store)
const container = createContainer({ pool, analytics: { ...options, clickHouse: store } })
await container.get(TYPES.projector).projectPending()
isMaking = true
await container.get(TYPES.makeExports)(() => {})
isMaking = false
process.stdout.write(JSON.stringify({ steps }))
await store.close()
await pool.end()
