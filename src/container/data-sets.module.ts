// Bindings of the SEC's data sets, from which history is loaded.
import { ContainerModule } from 'inversify'
import type { DataSetContext } from '../application/data-sets/load-history.ts'
import { makeBackfill, makeLoadQuarters, makeReportedLoad } from '../application/data-sets/load-quarters.ts'
import { ClickHouseDataSetStore } from '../infrastructure/clickhouse/data-sets/data-set-store.ts'
import { ClickHouseAnalyticsStore } from '../infrastructure/clickhouse/stores/analytics-store.ts'
import { DataSetArchive } from '../infrastructure/edgar/data-sets/archive.ts'
import { ClickHouseSignalStore } from '../infrastructure/clickhouse/stores/signal-store.ts'
import { PostgresDataSetRegistry } from '../infrastructure/postgres/filings/data-set-registry.ts'
import { named } from './named.ts'
import { TYPES } from './tokens.ts'

export const dataSetsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.dataSetRegistry).toResolvedValue((pool) => new PostgresDataSetRegistry(pool), [TYPES.pool])
  bind(TYPES.dataSets).toResolvedValue((folder) => new DataSetArchive(folder), [TYPES.historyDir])
  bind(TYPES.dataSetStore).toResolvedValue((store) => new ClickHouseDataSetStore(store.forBulk), [TYPES.clickHouse])
  bind(TYPES.bulkAnalytics).toResolvedValue(
    (store, clock) => new ClickHouseAnalyticsStore(store.forBulk, clock, false),
    [TYPES.clickHouse, TYPES.clock],
  )
  bind(TYPES.bulkSignals).toResolvedValue((store) => new ClickHouseSignalStore(store.forBulk), [TYPES.clickHouse])
  bind(TYPES.withdrawals).toResolvedValue((ledger) => ledger.withdrawals, [TYPES.ledger])
  bind(TYPES.dataSetContext).toResolvedValue(
    ...named((stores: DataSetContext) => stores, {
      history: TYPES.dataSetStore,
      analytics: TYPES.bulkAnalytics,
      signals: TYPES.bulkSignals,
      withdrawals: TYPES.withdrawals,
      sets: TYPES.dataSetRegistry,
      queue: TYPES.signalQueue,
      listings: TYPES.listings,
      rules: TYPES.rules,
      compute: TYPES.compute,
      alerts: TYPES.alerts,
      locks: TYPES.locks,
      nextVersion: TYPES.nextVersion,
      changes: TYPES.changes,
    }),
  )
  bind(TYPES.loadQuarters).toResolvedValue(
    // Filings are projected meanwhile, but their signals are detected after the whole load: half of the history gives
    // others.
    (stores, dataSets, monotonic, projector, log) =>
      makeReportedLoad(
        makeLoadQuarters(stores, dataSets, monotonic, () => projector.projectPending()),
        log,
      ),
    [TYPES.dataSetContext, TYPES.dataSets, TYPES.monotonic, TYPES.projector, TYPES.changeLog],
  )
  bind(TYPES.backfill).toResolvedValue(makeBackfill, [
    TYPES.loadQuarters,
    TYPES.jobs,
    TYPES.noticeLedger,
    TYPES.nextVersion,
  ])
})
