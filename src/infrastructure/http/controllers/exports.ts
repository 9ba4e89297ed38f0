// Handlers of the month files: the list of datasets, one dataset, and the files.
import { ServiceError } from '../../../application/errors.ts'
import type { ExportQueries } from '../../../application/queries/export-queries.ts'
import { ok, type Handler } from '../handler.ts'

const TYPE = 'application/vnd.apache.parquet'

export function listExports(exports: ExportQueries): Handler<'listExports'> {
  return async () => ok(await exports.datasets())
}

export function describeExport(exports: ExportQueries): Handler<'describeExport'> {
  return async ({ path }) => {
    const dataset = await exports.dataset(path.dataset)
    if (!dataset) throw unknown('There is no dataset of this name; GET /v1/exports lists them')
    return ok(dataset)
  }
}

export function getExportFile(exports: ExportQueries): Handler<'getExportFile'> {
  return async ({ path }) => {
    const found = await exports.file(path.dataset, path.file)
    if (!found) throw unknown('There is no such file; GET /v1/exports/{dataset} lists the files')
    const { path: file, bytes, revision, changedAt, isPinned } = found
    return {
      status: 200,
      file: { path: file, bytes, type: TYPE, etag: `"${revision}"`, modifiedAt: changedAt, isImmutable: isPinned },
    }
  }
}

const unknown = (message: string) => new ServiceError('unknown_dataset', message)
