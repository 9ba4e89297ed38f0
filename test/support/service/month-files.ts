// The month files of a service: makes them, and reads them back.
import { readFileSync } from 'node:fs'
import type { DatasetName, ExportFile, ExportManifest } from '../../../src/application/ports/exports.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import type { TestService } from './service.ts'
import { readParquet } from './tools/parquet.ts'

export const makeMonthFiles = ({ container }: TestService) => container.get(TYPES.makeExports)(() => {})

export const manifestOf = async ({ container }: TestService): Promise<ExportManifest> =>
  (await container.get(TYPES.exportFolder).manifest())!

/** Oldest month first. */
export const filesOf = async (service: TestService, dataset: DatasetName): Promise<ExportFile[]> =>
  (await manifestOf(service)).datasets.find(({ name }) => name === dataset)!.files

export async function rowsOf(service: TestService, files: ExportFile[]): Promise<Record<string, any>[]> {
  const folder = service.container.get(TYPES.exportFolder)
  return (await Promise.all(files.map(({ path }) => readParquet(readFileSync(folder.pathOf(path)))))).flat()
}

/** Returns the rows: instants and days as texts, amounts without what the reader adds behind the fourth place. */
export async function shownRowsOf(service: TestService, dataset: DatasetName): Promise<Record<string, any>[]> {
  const rows = await rowsOf(service, await filesOf(service, dataset))
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(name, value)])))
}

function shown(name: string, value: unknown): unknown {
  if (value instanceof Date)
    return name === 'filingDate' ? `${value.toISOString().slice(0, 19)}Z` : value.toISOString().slice(0, 10)
  return typeof value === 'number' ? Number(value.toFixed(4)) : value
}
