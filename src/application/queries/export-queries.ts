// The questions about the month files.
import type { components } from '../../contract.ts'
import { ServiceError } from '../errors.ts'
import type { DatasetName, ExportFile, ExportManifest, RetiredFile } from '../ports/exports.ts'
import { DATASETS } from '../ports/exports.ts'

type Schemas = components['schemas']

/** A file to be sent. */
interface FoundFile {
  path: string
  bytes: number
  revision: string
  changedAt: Date
  /** Whether it was asked for by its revision. */
  isPinned: boolean
}

export interface ExportQueries {
  datasets(): Promise<Schemas['ExportedDatasets']>
  /** Returns null if there is no such dataset. */
  dataset(name: string): Promise<Schemas['ExportedDataset'] | null>
  /**
   * Returns the present file of a period, or that of a revision that is kept; null if there is none. Throws
   * `unavailable` if it does not lie in the folder as the manifest says.
   */
  file(name: string, file: string): Promise<FoundFile | null>
}

interface ExportQueriesDependencies {
  manifest: () => Promise<ExportManifest | null>
  /** Returns the path of a file in the folder. */
  pathOf: (path: string) => string
  /** Returns the bytes of a file in the folder; null if it is not there. */
  sizeOf: (path: string) => Promise<number | null>
}

const FILE_NAME = /^(all|[0-9]{4}-[0-9]{2})(?:\.([0-9a-f]{16}))?\.parquet$/

export function makeExportQueries({ manifest, pathOf, sizeOf }: ExportQueriesDependencies): ExportQueries {
  /** Returns the size of a file. Throws `unavailable` if it is not as the manifest says. */
  const wholeSizeOf = async ({ path, bytes }: Pick<RetiredFile, 'path' | 'bytes'>): Promise<number> => {
    const found = await sizeOf(path)
    if (found !== null && (bytes === undefined || found === bytes)) return found
    const fault = found === null ? 'is missing' : `has ${found} bytes`
    const due = bytes === undefined ? 'names it' : `names it with ${bytes} bytes`
    throw new ServiceError('unavailable', `the month file ${path} ${fault}, and the manifest ${due}`)
  }
  return {
    datasets: async () => {
      const { madeAt = null, position = null, datasets = [] } = (await manifest()) ?? {}
      return {
        madeAt,
        position,
        datasets: datasets.map(({ name, row, files }) => ({
          dataset: name,
          row,
          files: files.length,
          rows: sum(files, 'rows'),
          bytes: sum(files, 'bytes'),
          changedAt:
            files
              .map(({ changedAt }) => changedAt)
              .sort()
              .at(-1) ?? null,
          url: `/v1/exports/${name}`,
        })),
      }
    },
    dataset: async (name) => {
      const made = await manifest()
      const found = made?.datasets.find((each) => each.name === name)
      if (!made || !found) return null
      const { schemaVersion, row, columns, files } = found
      const { madeAt, position } = made
      return { dataset: found.name, row, schemaVersion, madeAt, position, columns, files: files.map(shownFile(name)) }
    },
    file: async (name, file) => {
      const [, period, revision] = FILE_NAME.exec(file) ?? []
      const made = await manifest()
      if (period === undefined || !made || !DATASETS.includes(name as DatasetName)) return null
      const files = made.datasets.find((each) => each.name === name)?.files ?? []
      const present = files.find((each) => each.period === period)
      if (present && (revision === undefined || revision === present.revision)) {
        const { path, revision: own, changedAt } = present
        return {
          path: pathOf(path),
          bytes: await wholeSizeOf(present),
          revision: own,
          changedAt: new Date(changedAt),
          isPinned: revision !== undefined,
        }
      }
      const retired = made.retired.find(({ path }) => path === `${name}/${file}`)
      if (revision === undefined || !retired) return null
      return {
        path: pathOf(retired.path),
        bytes: await wholeSizeOf(retired),
        revision,
        // Of what was replaced the time of its making is not kept; it is the same for as long as it is there.
        changedAt: new Date(retired.retiredAt),
        isPinned: true,
      }
    },
  }
}

const shownFile =
  (dataset: string) =>
  ({ period, complete, rows, bytes, sha256, revision, changedAt, path }: ExportFile): Schemas['ExportedFile'] => ({
    ...{ period, complete, rows, bytes, sha256, revision, changedAt },
    url: `/v1/exports/${dataset}/${period}.parquet`,
    pinnedUrl: `/v1/exports/${path}`,
  })

const sum = (files: ExportFile[], name: 'rows' | 'bytes') => files.reduce((all, file) => all + file[name], 0)
