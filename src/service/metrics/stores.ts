// Metrics of the stores as this process sees them: statements to ClickHouse, connections to PostgreSQL, issuers that
// wait for signal detection, and the version of the service.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { CachedAnalyticsStore } from '../../application/projection/cached-analytics-store.ts'
import type { ClickHouse } from '../../infrastructure/clickhouse/connection/client.ts'
import { PostgresSignalQueue } from '../../infrastructure/postgres/filings/signal-queue.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import { isAble, type Health } from '../../infrastructure/http/controllers/health.ts'
import type { IngestMeasures, IngestThread } from '../ingest-thread/ingest-thread.ts'
import { oncePerScrape, storeGauges } from './store-gauges.ts'

export interface ServiceInfo {
  version: string
  /** Roles of this process, joined by commas. */
  roles: string
}

export interface MeasuredStores {
  /** Pools by name; `callers` also runs the queries of these metrics. */
  pools: Record<string, Pool> & { callers: Pool }
  /** Null if the process does not use ClickHouse. */
  store: ClickHouse | null
  /** Null if the process does not project. */
  projection: Pick<CachedAnalyticsStore, 'memory' | 'projectedFilings'> | null
  /** The thread of this process that ingests, if it has one; its stores count with those above. */
  thread: Pick<IngestThread, 'measures'> | null
}

export function registerStoreMetrics(
  registry: Registry,
  { pools, store, projection, thread }: MeasuredStores,
  { version, roles }: ServiceInfo,
): void {
  const registers = [registry]
  const measured = oncePerScrape(async () => (await thread?.measures()) ?? null)
  new Gauge({
    name: 'service_info',
    help: 'Always 1; version and roles of this process.',
    labelNames: ['version', 'roles'],
    registers,
  }).set({ version, roles }, 1)
  new Gauge({
    name: 'postgres_connections',
    help: 'Connections of each pool: open, idle ones among them, and callers waiting for one.',
    labelNames: ['pool', 'state'],
    registers,
    async collect() {
      const none = { open: 0, idle: 0, waitedFor: 0 }
      const ofThread = (await measured())?.connections ?? none
      for (const [name, pool] of Object.entries(pools)) {
        const other = name === 'work' ? ofThread : none
        this.set({ pool: name, state: 'open' }, pool.totalCount + other.open)
        this.set({ pool: name, state: 'idle' }, pool.idleCount + other.idle)
        this.set({ pool: name, state: 'waited_for' }, pool.waitingCount + other.waitedFor)
      }
    },
  })
  if (!store) return
  const statements = new Histogram({
    name: 'clickhouse_statement_seconds',
    help: 'Statements by connections, kind and whether they succeeded, the wait for a session included.',
    labelNames: ['connections', 'kind', 'ok'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20],
    registers,
    async collect() {
      await ofThread()
    },
  })
  store.observe = ({ connections, kind, seconds, isOk }) =>
    statements.observe({ connections, kind, ok: String(isOk) }, seconds)
  const ofThread = oncePerScrape(async () => {
    const measures = await measured()
    for (const statement of measures?.statements ?? []) store.observe(statement)
  })
  new Gauge({
    name: 'clickhouse_statements',
    help: 'Statements running, and waiting for a session.',
    labelNames: ['state'],
    registers,
    async collect() {
      const [own, other] = [store.load(), (await measured())?.load ?? { busy: 0, waiting: 0 }]
      this.set({ state: 'busy' }, own.busy + other.busy)
      this.set({ state: 'waiting' }, own.waiting + other.waiting)
    },
  })
  if (thread) registerProjection(registers, async () => (await measured())?.projection ?? null)
  else if (projection) {
    const { memory, projectedFilings } = projection
    registerProjection(registers, async () => ({ memory: memory(), projectedFilings: projectedFilings() }))
  }
  const queue = new PostgresSignalQueue(pools.callers)
  storeGauges(registry, () => queue.waiting())(
    'signals_waiting_issuers',
    'Issuers with changes whose signals are not detected yet.',
    [],
    (waiting, { issuers }) => waiting.set(issuers),
  )
}

/** Registers whether this process is ready, and which of the stores that its roles need answer, as in /readyz. */
export function registerReadinessMetrics(registry: Registry, health: Health): void {
  const gauge = storeGauges(registry, () => health.ready())
  gauge('service_ready', '1 if this process can do its work, as in /readyz.', [], (ready, report) =>
    ready.set(isAble(report) ? 1 : 0),
  )
  gauge(
    'service_store_up',
    '1 if a store that this process needs answered within a second.',
    ['store'],
    (up, { checks }) => {
      for (const [store, check] of Object.entries(checks)) up.set({ store }, check.ok ? 1 : 0)
    },
  )
}

type Projection = IngestMeasures['projection']

/** While the thread of the projection does not answer, what was known before stays. */
function registerProjection(registers: Registry[], read: () => Promise<Projection | null>): void {
  new Counter({
    name: 'ingestion_projected_filings_total',
    help: 'Filings made visible, or retracted, since the start.',
    registers,
    async collect() {
      const reading = await read()
      if (!reading) return
      this.reset()
      this.inc(reading.projectedFilings)
    },
  })
  new Gauge({
    name: 'issuer_memory_trades',
    help: 'Trades of recent issuers in the cache of the projection.',
    registers,
    async collect() {
      const reading = await read()
      if (reading) this.set(reading.memory.trades)
    },
  })
  new Gauge({
    name: 'issuer_memory_lookups',
    help: "Look-ups of an issuer's trades while filings are projected: in memory (hit) or read from the store (miss).",
    labelNames: ['result'],
    registers,
    async collect() {
      const reading = await read()
      if (!reading) return
      this.set({ result: 'hit' }, reading.memory.hits)
      this.set({ result: 'miss' }, reading.memory.misses)
    },
  })
}
