// The stores as this process sees them, in /metrics: statements to ClickHouse, connections to PostgreSQL, what waits to be
// judged, and which program this is.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { CachedAnalyticsStore } from '../../application/projection/cached-analytics-store.ts'
import type { ClickHouse } from '../../infrastructure/clickhouse/connection/client.ts'
import { PostgresSignalQueue } from '../../infrastructure/postgres/filings/signal-queue.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import { isAble, type Health } from '../../infrastructure/http/controllers/health.ts'
import { storeGauges } from './store-gauges.ts'

export interface ServiceInfo {
  version: string
  /** Those of this process, joined by commas. */
  roles: string
}

export interface MeasuredStores {
  /** By their names; `callers` for questions of its own. */
  pools: Record<string, Pool> & { callers: Pool }
  /** Null without ClickHouse. */
  store: ClickHouse | null
  /** Null where this process does not project. */
  projection: Pick<CachedAnalyticsStore, 'memory' | 'projectedFilings'> | null
}

export function registerStoreMetrics(
  registry: Registry,
  { pools, store, projection }: MeasuredStores,
  { version, roles }: ServiceInfo,
): void {
  const registers = [registry]
  new Gauge({
    name: 'service_info',
    help: 'Always 1; version and roles of this process.',
    labelNames: ['version', 'roles'],
    registers,
  }).set({ version, roles }, 1)
  new Gauge({
    name: 'postgres_connections',
    help: 'Of each pool: open, of them idle, and callers that wait for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [name, pool] of Object.entries(pools)) {
        this.set({ pool: name, state: 'open' }, pool.totalCount)
        this.set({ pool: name, state: 'idle' }, pool.idleCount)
        this.set({ pool: name, state: 'waited_for' }, pool.waitingCount)
      }
    },
  })
  if (!store) return
  const statements = new Histogram({
    name: 'clickhouse_statement_seconds',
    help: 'Statements by kind and whether they succeeded, the wait for a session included.',
    labelNames: ['kind', 'ok'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20],
    registers,
  })
  store.observe = (kind, seconds, isOk) => statements.observe({ kind, ok: String(isOk) }, seconds)
  new Gauge({
    name: 'clickhouse_statements',
    help: 'Under way now, and waiting for a session.',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy, waiting } = store.load()
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  if (projection) registerProjection(registers, projection)
  const queue = new PostgresSignalQueue(pools.callers)
  storeGauges(registry, () => queue.waiting())(
    'signals_waiting_issuers',
    'Issuers with something new whose signals are not judged yet.',
    [],
    (waiting, { issuers }) => waiting.set(issuers),
  )
}

/** Whether this process is ready and each store that its roles need answers, as /readyz says at that moment. */
export function registerReadinessMetrics(registry: Registry, health: Health): void {
  const gauge = storeGauges(registry, () => health.ready())
  gauge('service_ready', '1 where this process can do its work, as /readyz says.', [], (ready, report) =>
    ready.set(isAble(report) ? 1 : 0),
  )
  gauge(
    'service_store_up',
    '1 where a store that this process needs answered within a second.',
    ['store'],
    (up, { checks }) => {
      for (const [store, check] of Object.entries(checks)) up.set({ store }, check.ok ? 1 : 0)
    },
  )
}

function registerProjection(
  registers: Registry[],
  { memory, projectedFilings }: Pick<CachedAnalyticsStore, 'memory' | 'projectedFilings'>,
): void {
  new Counter({
    name: 'ingestion_projected_filings_total',
    help: 'Filings made visible, or taken back, since the start.',
    registers,
    collect() {
      this.reset()
      this.inc(projectedFilings())
    },
  })
  new Gauge({
    name: 'issuer_memory_trades',
    help: 'Trades of recent issuers that the projection remembers.',
    registers,
    collect() {
      this.set(memory().trades)
    },
  })
  new Gauge({
    name: 'issuer_memory_lookups',
    help: "How often an issuer's trades were remembered (hit) or read (miss) since the start.",
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = memory()
      this.set({ result: 'hit' }, hits)
      this.set({ result: 'miss' }, misses)
    },
  })
}
