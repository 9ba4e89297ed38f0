// Bindings of the month files: their source, their folder, and the job that makes them.
import { ContainerModule } from 'inversify'
import { makeExportMaker } from '../application/exports/make-exports.ts'
import { makeExportQueries } from '../application/queries/export-queries.ts'
import { ClickHouseExportSource } from '../infrastructure/clickhouse/exports/export-source.ts'
import { companyLists } from '../infrastructure/clickhouse/queries/shared/company-list.ts'
import { issuerSectors } from '../infrastructure/clickhouse/queries/shared/issuer-sectors.ts'
import { ExportFiles } from '../infrastructure/exports/folder.ts'
import { PostgresExportRecord } from '../infrastructure/postgres/queries/export-record.ts'
import { named } from './named.ts'
import { TYPES } from './tokens.ts'

export const exportsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.exportFolder).toResolvedValue((path) => new ExportFiles(path), [TYPES.exportsDir])
  bind(TYPES.exportQueries).toResolvedValue(
    (folder) =>
      makeExportQueries({
        manifest: () => folder.present(),
        pathOf: (path) => folder.pathOf(path),
        sizeOf: (path) => folder.sizeOf(path),
      }),
    [TYPES.exportFolder],
  )
  bind(TYPES.exportRecord).toResolvedValue((pool) => new PostgresExportRecord(pool), [TYPES.pool])
  bind(TYPES.exportSource).toResolvedValue(
    (store, changes, isUpToDate, record, compute) => {
      const freshness = { changes, isUpToDate }
      const sectors = issuerSectors(store, companyLists(store, freshness), freshness)
      return new ClickHouseExportSource(store, sectors, { record, compute })
    },
    [TYPES.clickHouse, TYPES.changes, TYPES.isUpToDate, TYPES.exportRecord, TYPES.compute],
  )
  bind(TYPES.makeExports).toResolvedValue(
    ...named(makeExportMaker, {
      source: TYPES.exportSource,
      record: TYPES.exportRecord,
      folder: TYPES.exportFolder,
      clock: TYPES.clock,
      between: TYPES.projectNewFilings,
    }),
  )
})
