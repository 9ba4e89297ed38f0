// The code of the ingesting thread: the role ingest with a container of its own, by order of the thread that answers.
import { enableCompileCache, setSourceMapsSupport } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { bindOwned, closeContainer, createContainer } from '../../container/container.ts'
import { resolve } from '../../container/named.ts'
import { TYPES } from '../../container/tokens.ts'
import { openPool } from '../../infrastructure/postgres/pool.ts'
import type { LeaderLock } from '../../infrastructure/postgres/coordination/leader-lock.ts'
import { openRoleStore } from '../analytics-access.ts'
import { openLog, writeOut } from '../logger.ts'
import { endPools, patiently } from '../pools.ts'
import { startIngesting, type IngestRole } from '../roles/ingest-role.ts'
import { giveWay } from './give-way.ts'
import type { FromThread, IngestMeasures, IngestOrder, ToThread } from './ingest-thread.ts'
import { SentChanges } from './shared-changes.ts'

const { config, databaseUrl, changes, port, compiled } = workerData as IngestOrder
if (compiled !== undefined) enableCompileCache(compiled)
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })

const log = openLog(config.logLevel)
const pool = openPool({
  url: databaseUrl,
  name: 'service ingest',
  onError: (error) => log.warn({ err: error }, 'postgres connection lost'),
})
const container = createContainer({ pool, changes: new SentChanges(changes) })
bindOwned(container, TYPES.pools, { work: pool }, endPools)
let ingesting: IngestRole | null = null
let statements: IngestMeasures['statements'] = []

const tell = (message: FromThread) => port.postMessage(message)
const failed = (error: unknown) => tell({ kind: 'failed', error: error as Error })

async function open(): Promise<LeaderLock | null> {
  const lock = await patiently(log, () => openRoleStore({ config, databaseUrl, pool }, container))
  const { clickHouse } = resolve(container, { clickHouse: TYPES.clickHouse })
  clickHouse.observe = (statement) => {
    if (statements.length < MAX_STATEMENTS) statements.push(statement)
  }
  return lock
}

/** Where nobody asks for metrics. */
const MAX_STATEMENTS = 100_000

function measure(): IngestMeasures {
  const { clickHouse, analytics } = resolve(container, { clickHouse: TYPES.clickHouse, analytics: TYPES.analytics })
  const measures = {
    statements,
    load: clickHouse.load(),
    connections: { open: pool.totalCount, idle: pool.idleCount, waitedFor: pool.waitingCount },
    projection: { memory: analytics.memory(), projectedFilings: analytics.projectedFilings() },
  }
  statements = []
  return measures
}

let lock: LeaderLock | null = null

/** A disk that is full keeps the log from being written. */
const LOG_MS = 1_000

const orders: Record<ToThread['kind'], () => Promise<void> | void> = {
  open: () =>
    open().then(
      (opened) => {
        lock = opened
        tell({ kind: 'opened' })
      },
      (error: unknown) => tell({ kind: 'refused', error: error as Error }),
    ),
  start: () => {
    giveWay()
    ingesting = startIngesting({ config, databaseUrl, container, log, first: lock, fail: failed })
    ingesting.ready.then(
      () => tell({ kind: 'ready' }),
      (error: unknown) => tell({ kind: 'unready', error: error as Error }),
    )
  },
  measure: () => tell({ kind: 'measured', measures: measure() }),
  stop: async () => {
    await ingesting?.stop()
    tell({ kind: 'stopped' })
  },
  close: async () => {
    await closeContainer(container)
    await Promise.race([writeOut(log), sleep(LOG_MS)])
    tell({ kind: 'closed' })
  },
}
port.on('message', ({ kind }: ToThread) => {
  // Also where it throws at once.
  void (async () => orders[kind]())().catch(failed)
})
