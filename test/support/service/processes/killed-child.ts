// A process of its own that records and projects the documents it is given, detects their signals, and kills itself
// after the step it is given; on request it first fills ClickHouse again, as one that another version made. Steps are
// what reaches a store: each statement to PostgreSQL, each insert and command to ClickHouse, in one of the phases.
// Prints the number of steps of each phase and, when it got to the end, every row of every table.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { LoopReport } from '../../../../src/application/projection/projection-loop.ts'
import { createContainer } from '../../../../src/container/container.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { ClickHouse, type ClickHouseOptions } from '../../../../src/infrastructure/clickhouse/connection/client.ts'
import { createTables } from '../../../../src/infrastructure/clickhouse/create-tables.ts'
import { sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { dropLeftOver } from '../../../../src/infrastructure/clickhouse/shadow-database.ts'
import { isCurrent } from '../../../../src/infrastructure/clickhouse/stores/generation.ts'
import { migratePostgres } from '../../../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../../../src/infrastructure/postgres/pool.ts'
import { dumpOf } from '../../stores/dump.ts'

export interface KillOrder {
  databaseUrl: string
  clickHouse: ClickHouseOptions
  historyDir: string
  /** Paths of files with one document each. */
  documents: string[]
  /** Whether ClickHouse is filled again between recording and projecting. */
  fills?: boolean
  kill: { phase: Phase; after: number } | null
}

type Phase = 'record' | 'fill' | 'project'

/** What it prints when it got to the end. */
export interface KillOutcome {
  steps: Record<Phase, number>
  dump: Record<string, string[]>
}

const REPORT: LoopReport = {
  projected: () => {},
  filling: () => {},
  job: () => {},
  failed: (_, error) => {
    throw error
  },
}

const order = JSON.parse(process.argv[2]!) as KillOrder
const steps = { record: 0, fill: 0, project: 0 }
let phase: Phase | null = null

function step(): void {
  if (phase === null) return
  steps[phase] += 1
  if (order.kill?.phase === phase && order.kill.after === steps[phase]) process.kill(process.pid, 'SIGKILL')
}

function counting<T extends object>(prototype: T, method: keyof T): void {
  const original = prototype[method] as (...args: unknown[]) => unknown
  Object.assign(prototype, {
    async [method](this: unknown, ...args: unknown[]) {
      const result = await original.apply(this, args)
      step()
      return result
    },
  })
}

const pool = openPool({ url: order.databaseUrl, name: 'killed', max: 2 })
await migratePostgres(pool)
const options = { ...order.clickHouse, historyDir: order.historyDir }
const store = await ClickHouse.open(options)
await createTables(store)
const container = createContainer({ pool, analytics: { ...options, clickHouse: store } })
// pool.query calls a client's query with a callback, so only the awaited form is counted; the rest goes through the
// pool.
counting(pg.Pool.prototype, 'query')
const connect = pg.Pool.prototype.connect as unknown as () => Promise<pg.PoolClient>
Object.assign(pg.Pool.prototype, {
  async connect(this: pg.Pool, callback?: unknown) {
    if (callback) return (connect as unknown as (callback: unknown) => unknown).call(this, callback)
    const client = await connect.call(this)
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    Object.assign(client, {
      query: async (...args: unknown[]) => {
        const result = await query(...args)
        step()
        return result
      },
    })
    return client
  },
})
counting(ClickHouse.prototype, 'insert')
counting(ClickHouse.prototype, 'command')

phase = 'record'
await container.get(TYPES.recordFilings)(order.documents.map((path) => ({ path, bytes: readFileSync(path) })))
if (order.fills) {
  phase = null
  // One that is of this version was filled by a process before, or is about to be.
  if (await isCurrent(store))
    await store.command(sql`INSERT INTO store_version (schema, rules, tables)
      SELECT 'of another version', rules, tables FROM store_version ORDER BY given_at DESC LIMIT 1`)
  await dropLeftOver(store)
  const loop = container.get(TYPES.projectionLoop)
  container.get(TYPES.jobRunners).exports = async () => null
  const stop = new AbortController()
  phase = 'fill'
  await loop.prepare(stop.signal, REPORT)
  // A job that was interrupted is due after a while, and is given up after some attempts.
  await pool.query(`UPDATE jobs SET started_at = now() - interval '1 d', attempts = 0 WHERE status = 'running'`)
  await loop.run(stop.signal, async () => stop.abort(), REPORT)
}
phase = 'project'
await container.get(TYPES.projector).projectPending()
const failed = (_: string, error: unknown) => {
  throw error
}
while ((await container.get(TYPES.detectSignals).pending(failed)) > 0) {
  /* all that wait */
}
phase = null
const outcome: KillOutcome = { steps, dump: await dumpOf(store) }
process.stdout.write(JSON.stringify(outcome))
await store.close()
await pool.end()
