// The SEC's data sets, which history is loaded from.
import { ContainerModule } from 'inversify'
import type { DataSetContext } from '../application/data-sets/load-quarter.ts'
import { makeLoadQuarters } from '../application/data-sets/load-quarters.ts'
import { ClickHouseDataSetStore } from '../infrastructure/clickhouse/data-sets/data-set-store.ts'
import { DataSetArchive } from '../infrastructure/edgar/data-sets/archive.ts'
import { PostgresDataSetRegistry } from '../infrastructure/postgres/filings/data-set-registry.ts'
import { TYPES } from './tokens.ts'

export const dataSetsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.dataSetRegistry).toResolvedValue((pool) => new PostgresDataSetRegistry(pool), [TYPES.pool])
  bind(TYPES.dataSets).toResolvedValue((folder) => new DataSetArchive(folder), [TYPES.historyDir])
  bind(TYPES.dataSetStore).toResolvedValue(
    (store, rules) => new ClickHouseDataSetStore(store.forBulk, rules.significance),
    [TYPES.clickHouse, TYPES.rules],
  )
  bind(TYPES.dataSetContext).toResolvedValue(
    (history, analytics, sets, listings, ledger, project, rules): DataSetContext => ({
      history,
      analytics,
      sets,
      listings,
      floors: rules.significance,
      nextVersion: () => ledger.nextVersion(),
      reconcileIssuers: project.reconcileIssuers,
    }),
    [
      TYPES.dataSetStore,
      TYPES.analytics,
      TYPES.dataSetRegistry,
      TYPES.listings,
      TYPES.ledger,
      TYPES.projector,
      TYPES.rules,
    ],
  )
  bind(TYPES.backfill).toResolvedValue(
    (stores, dataSets, clock, project) => makeLoadQuarters(stores, dataSets, clock, () => project.projectPending()),
    [TYPES.dataSetContext, TYPES.dataSets, TYPES.clock, TYPES.projector],
  )
})
