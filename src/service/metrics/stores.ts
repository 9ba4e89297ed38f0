// Metrics of the stores as this process sees them: statements to ClickHouse, connections to PostgreSQL, issuers that
// wait for signal detection, and the version of the service.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { TrackedAnalyticsStore } from '../../application/projection/tracked-analytics-store.ts'
import type { ClickHouse } from '../../infrastructure/clickhouse/connection/client.ts'
import { PostgresSignalQueue } from '../../infrastructure/postgres/filings/signal-queue.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import { areChecksOk, type Health } from '../../infrastructure/http/controllers/health.ts'
import { storeGauges } from './store-gauges.ts'

export interface ServiceInfo {
  version: string
  /** The commit of the image; empty in a checkout. */
  revision: string
  /** Roles of this process, joined by commas. */
  roles: string
}

export interface MeasuredStores {
  /** Pools by name; `callers` also runs the queries of these metrics. */
  pools: Record<string, Pool> & { callers: Pool }
  /** Null if the process does not use ClickHouse. */
  store: ClickHouse | null
  /** Null if the process does not project. */
  projection: Pick<TrackedAnalyticsStore, 'projectedFilings'> | null
}

export function registerStoreMetrics(
  registry: Registry,
  { pools, store, projection }: MeasuredStores,
  { version, revision, roles }: ServiceInfo,
): void {
  const registers = [registry]
  new Gauge({
    name: 'service_info',
    help: 'Always 1; version, revision and roles of this process.',
    labelNames: ['version', 'revision', 'roles'],
    registers,
  }).set({ version, revision, roles }, 1)
  new Gauge({
    name: 'postgres_connections',
    help: 'Connections of each pool: open, idle ones among them, and callers waiting for one.',
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
    help: 'Statements by connections, kind and whether they succeeded, the wait for a session included.',
    labelNames: ['connections', 'kind', 'ok'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20],
    registers,
  })
  store.observe = ({ connections, kind, seconds, isOk }) =>
    statements.observe({ connections, kind, ok: String(isOk) }, seconds)
  new Gauge({
    name: 'clickhouse_statements',
    help: 'Statements running, and waiting for a session.',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy, waiting } = store.load()
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  counterOf(
    registers,
    'clickhouse_unclean_sessions_total',
    'Sessions of the embedded engine in which a failed statement had left output, which was removed.',
    () => store.faults().uncleanSessions,
  )
  counterOf(
    registers,
    'clickhouse_bad_answers_total',
    'Answers of ClickHouse that were not of the shape of their statement. Their callers got 503.',
    () => store.faults().badAnswers,
  )
  if (projection) registerProjection(registers, projection)
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
    ready.set(areChecksOk(report) ? 1 : 0),
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

function registerProjection(registers: Registry[], projection: NonNullable<MeasuredStores['projection']>): void {
  counterOf(
    registers,
    'ingestion_projected_filings_total',
    'Filings made visible, or retracted, since the start.',
    () => projection.projectedFilings(),
  )
}

/** Registers a counter whose value is counted elsewhere. */
function counterOf(registers: Registry[], name: string, help: string, count: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset()
      this.inc(count())
    },
  })
}
