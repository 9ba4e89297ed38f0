// The quarters of the data sets as kept under the data directory: the SEC's own zips, read again by every rebuild. What
// stands under a quarter's name is whole: it is copied or fetched beside and then renamed.
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createHash } from 'node:crypto'
import type { DataSet, DataSets } from '../../../application/ports/data-sets.ts'
import { quarterOf, type Quarter } from '../../../domain/shared/quarter.ts'
import { DATA_SET_TABLES, readDataSetFolder, sha256OfFile, unpackDataSet, type UnpackedDataSet } from './unzip.ts'

export interface KeptDataSets extends DataSets {
  has(quarter: Quarter): boolean
  /** Where a quarter's zip belongs, for whoever fetches it. */
  pathOf(quarter: Quarter): Promise<string>
  /**
   * Copies a zip, an unpacked set, or a folder of them; each must be named by its quarter. Returns the quarters. Throws with
   * what to do; then nothing of that quarter has changed.
   */
  take(path: string): Promise<Quarter[]>
}

export function keepDataSets(folder: string): KeptDataSets {
  const zipOf = (quarter: Quarter) => join(folder, `${quarter}_form345.zip`)
  const unpackedOf = (quarter: Quarter) => join(folder, `${quarter}_form345`)
  return {
    has: (quarter) => existsSync(zipOf(quarter)) || existsSync(unpackedOf(quarter)),
    kept: async (quarter) => {
      if (existsSync(zipOf(quarter))) return sha256OfFile(zipOf(quarter))
      return existsSync(unpackedOf(quarter)) ? sha256OfFolder(unpackedOf(quarter)) : null
    },
    open: async (quarter, work) => {
      if (!existsSync(zipOf(quarter)) && existsSync(unpackedOf(quarter))) {
        const source = unpackedOf(quarter)
        return work(dataSet(quarter, source, await sha256OfFolder(source), await readDataSetFolder(source)))
      }
      const source = zipOf(quarter)
      if (!existsSync(source))
        throw new Error(`${basename(source)} is not in ${folder}: run make backfill SETS=${quarter} again`)
      return unpackedTo(join(folder, `${quarter}.unpacked`), async (unpacked) => {
        const files = await unpackDataSet(source, unpacked).catch((error: Error) => setAside(source, error))
        return work(dataSet(quarter, source, await sha256OfFile(source), files))
      })
    },
    pathOf: async (quarter) => {
      await mkdir(folder, { recursive: true })
      return zipOf(quarter)
    },
    take: async (path) => {
      await mkdir(folder, { recursive: true })
      const found = await setsIn(path)
      if (found.length === 0)
        throw new Error(`no data set in ${path}: a quarter's zip is named as the SEC does, 2024q3_form345.zip`)
      for (const { quarter, source } of found) {
        const target = source.endsWith('.zip') ? zipOf(quarter) : unpackedOf(quarter)
        const beside = `${target}.part`
        // What is kept already is not given up for something that can't be read.
        if (source.endsWith('.zip'))
          await unpackedTo(join(folder, `${quarter}.unpacked`), (unpacked) => unpackDataSet(source, unpacked))
        else await readDataSetFolder(source)
        await rm(beside, { recursive: true, force: true })
        await cp(source, beside, { recursive: true, dereference: true })
        await rm(zipOf(quarter), { force: true })
        await rm(unpackedOf(quarter), { recursive: true, force: true })
        await rename(beside, target)
      }
      return found.map(({ quarter }) => quarter)
    },
  }
}

async function unpackedTo<T>(path: string, work: (path: string) => Promise<T>): Promise<T> {
  // What a run cut short has left.
  await rm(path, { recursive: true, force: true })
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** A zip that can't be read is no longer kept, so that the next run fetches it again. Full disks say nothing about the zip. */
async function setAside(source: string, error: Error): Promise<never> {
  if (!(error.cause instanceof Error && 'syscall' in error.cause)) await rename(source, `${source}.damaged`)
  throw error
}

function dataSet(quarter: Quarter, source: string, sha256: string, files: UnpackedDataSet): DataSet {
  return { quarter, source, sha256, files }
}

/** Zips and unpacked sets at a path, oldest quarter first; a zip goes before the same quarter unpacked. */
async function setsIn(path: string): Promise<{ quarter: Quarter; source: string }[]> {
  const own = quarterOf(basename(path)) ?? quarterOf(basename(path).replace(/_form345$/, ''))
  const kind = await stat(path).catch(() => null)
  if (!kind) throw new Error(`${path} is not there`)
  if (kind.isFile()) {
    if (!own || !path.endsWith('.zip'))
      throw new Error(`${basename(path)} does not tell its quarter: name it as the SEC does, 2024q3_form345.zip`)
    return [{ quarter: own, source: path }]
  }
  const names = await readdir(path)
  if (names.some((name) => name.toUpperCase() === 'SUBMISSION.TSV')) {
    if (!own)
      throw new Error(`the folder ${basename(path)} does not tell its quarter: name it 2024q3 or 2024q3_form345`)
    return [{ quarter: own, source: path }]
  }
  const sets = new Map<Quarter, string>()
  for (const name of names.sort()) {
    const quarter = quarterOf(name) ?? quarterOf(name.replace(/_form345$/, ''))
    const source = join(path, name)
    const kind = await stat(source).catch(() => null)
    if (quarter && (name.endsWith('.zip') ? kind?.isFile() : kind?.isDirectory())) sets.set(quarter, source)
  }
  return [...sets].map(([quarter, source]) => ({ quarter, source }))
}

/** Over the tables in their order; a folder has no bytes of its own. */
async function sha256OfFolder(path: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(path)).sort()) {
    const table = DATA_SET_TABLES.find(
      (known) => `${known}.tsv` === name.replace(/\.tsv$/i, '.tsv').replace(/^[^.]+/, (stem) => stem.toUpperCase()),
    )
    if (table) hash.update(`${table} ${await sha256OfFile(join(path, name))}\n`)
  }
  return hash.digest('hex')
}
