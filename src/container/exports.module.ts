// Bindings of the month files: what they are made from, their folder, their making.
import { ContainerModule } from 'inversify'
import { makeDocumentContents } from '../application/exports/filing-contents.ts'
import { makeExportMaker } from '../application/exports/make-exports.ts'
import { makeExportQueries } from '../application/queries/export-queries.ts'
import { ClickHouseExportSource } from '../infrastructure/clickhouse/exports/export-source.ts'
import { companyLists } from '../infrastructure/clickhouse/queries/shared/company-list.ts'
import { issuerSectors } from '../infrastructure/clickhouse/queries/shared/issuer-sectors.ts'
import { ExportFiles } from '../infrastructure/exports/folder.ts'
import { PostgresExportRecord } from '../infrastructure/postgres/queries/export-record.ts'
import { TYPES } from './tokens.ts'

export const exportsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.exportFolder).toResolvedValue((path) => new ExportFiles(path), [TYPES.exportsDir])
  bind(TYPES.exportQueries).toResolvedValue(
    (folder) => makeExportQueries({ manifest: () => folder.present(), pathOf: (path) => folder.pathOf(path) }),
    [TYPES.exportFolder],
  )
  bind(TYPES.makeExports).toResolvedValue(
    (store, changes, isUpToDate, pool, folder, clock, projector, read) => {
      const freshness = { changes, isUpToDate }
      const record = new PostgresExportRecord(pool)
      const sectors = issuerSectors(store, companyLists(store, freshness), freshness)
      return makeExportMaker({
        source: new ClickHouseExportSource(store, sectors, { record, contents: makeDocumentContents(record, read) }),
        between: () => projector.projectPending(),
        ...{ record, folder, clock },
      })
    },
    [
      ...([TYPES.clickHouse, TYPES.changes, TYPES.isUpToDate, TYPES.pool, TYPES.exportFolder] as const),
      ...([TYPES.clock, TYPES.projector, TYPES.readDocument] as const),
    ],
  )
})
