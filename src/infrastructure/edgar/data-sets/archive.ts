// DataSets on disk: the SEC's zips by quarter, in the data directory, from which every rebuild reads. A file with a
// quarter's name is complete: it is copied or fetched under another name and then renamed. Files that killed processes
// left behind are removed before the next write.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createHash } from 'node:crypto'
import { copyAsNew } from '../../folders.ts'
import type { DataSet, DataSets } from '../../../application/ports/data-sets.ts'
import { quarterOf, type Quarter } from '../../../domain/shared/quarter.ts'
import { requireSpace } from '../../free-space.ts'
import { isLeftOver, unfinishedName, writerMark } from '../../unfinished-files.ts'
import { DATA_SET_TABLES, readDataSetFolder, sha256OfFile, unpackDataSet } from './unzip.ts'

const KEPT = /^\d{4}q[1-4]_form345(\.zip)?$/
/** An unpacked zip, or a set that is being fetched or copied. */
const UNFINISHED = /^\d{4}q[1-4](\.unpacked|_form345(\.zip)?\.(.+\.)?part$)/

export class DataSetArchive implements DataSets {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  has(quarter: Quarter): boolean {
    return existsSync(this.#zipOf(quarter)) || existsSync(this.#unpackedOf(quarter))
  }

  async kept(quarter: Quarter): Promise<string | null> {
    const [zip, unpacked] = [this.#zipOf(quarter), this.#unpackedOf(quarter)]
    if (existsSync(zip)) return sha256OfFile(zip)
    return existsSync(unpacked) ? sha256OfFolder(unpacked) : null
  }

  async bytesOf(quarter: Quarter): Promise<number | null> {
    const path = [this.#zipOf(quarter), this.#unpackedOf(quarter)].find((each) => existsSync(each))
    return path === undefined ? null : bytesBelow(path)
  }

  async open<T>(quarter: Quarter, work: (set: DataSet) => Promise<T>): Promise<T> {
    const [zip, folder] = [this.#zipOf(quarter), this.#unpackedOf(quarter)]
    if (!existsSync(zip) && existsSync(folder)) {
      const sha256 = await sha256OfFolder(folder)
      return work({ quarter, source: folder, sha256, files: await readDataSetFolder(folder) })
    }
    if (!existsSync(zip))
      throw new Error(`${basename(zip)} is not in ${this.#folder}: run make backfill SETS=${quarter} again`)
    return this.#inFolderOfOwn(quarter, async (into) => {
      // First: if the zip is replaced meanwhile, the new one counts as not loaded yet.
      const sha256 = await sha256OfFile(zip)
      const files = await unpackDataSet(zip, into).catch((error: Error) => setAside(zip, error))
      return work({ quarter, source: zip, sha256, files })
    })
  }

  /** Returns the path of a quarter's zip, for the code that downloads it. */
  async pathOf(quarter: Quarter): Promise<string> {
    await mkdir(this.#folder, { recursive: true })
    await this.#removeLeftovers()
    return this.#zipOf(quarter)
  }

  /** Copies all data sets into another folder. Throws before that if they do not fit there. */
  async copyTo(folder: string, signal: AbortSignal): Promise<void> {
    if (!existsSync(this.#folder)) return
    const paths = (await readdir(this.#folder))
      .filter((name) => KEPT.test(name))
      .map((name) => join(this.#folder, name))
    let bytes = 0
    for (const path of paths) bytes += await bytesBelow(path)
    await requireSpace(folder, bytes)
    await mkdir(folder, { recursive: true })
    for (const path of paths) {
      signal.throwIfAborted()
      await copyAsNew(path, join(folder, basename(path)))
    }
  }

  /**
   * Copies a zip, an unpacked set, or a folder of them, each named by its quarter. Returns the quarters. Throws with
   * what to do; then nothing of that quarter has changed.
   */
  async take(path: string): Promise<Quarter[]> {
    await mkdir(this.#folder, { recursive: true })
    await this.#removeLeftovers()
    const sets = await setsIn(path)
    if (sets.length === 0) throw new Error(`no data set in ${path}; expected the SEC's names, e.g. 2024q3_form345.zip`)
    for (const { quarter, source } of sets) await this.#takeOne(quarter, source)
    return sets.map(({ quarter }) => quarter)
  }

  async #takeOne(quarter: Quarter, source: string): Promise<void> {
    const isZip = source.endsWith('.zip')
    const target = isZip ? this.#zipOf(quarter) : this.#unpackedOf(quarter)
    const beside = unfinishedName(target)
    // Checked first, so that an unreadable source does not replace a quarter that is there.
    if (isZip) await this.#inFolderOfOwn(quarter, (into) => unpackDataSet(source, into))
    else await readDataSetFolder(source)
    await requireSpace(this.#folder, await bytesBelow(source))
    try {
      await copyAsNew(source, beside)
      // Renaming replaces the zip at once: a job that opens it meanwhile gets the old one or the new one.
      if (!isZip) await rm(target, { recursive: true, force: true })
      await rename(beside, target)
    } catch (error) {
      await rm(beside, { recursive: true, force: true }).catch(() => {})
      throw error
    }
    await rm(isZip ? this.#unpackedOf(quarter) : this.#zipOf(quarter), { recursive: true, force: true })
  }

  /** Passes a new folder to `work`, and removes it after. Others may be reading the same quarter in theirs. */
  async #inFolderOfOwn<T>(quarter: Quarter, work: (into: string) => Promise<T>): Promise<T> {
    await this.#removeLeftovers()
    const into = join(this.#folder, `${quarter}.unpacked-${writerMark()}`)
    await mkdir(into, { mode: 0o700 })
    try {
      return await work(into)
    } finally {
      await rm(into, { recursive: true, force: true })
    }
  }

  /** Removes what killed processes had unpacked, fetched or copied in part. */
  async #removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      if (UNFINISHED.test(name) && (await isLeftOver(path))) await rm(path, { recursive: true, force: true })
    }
  }

  #zipOf(quarter: Quarter): string {
    return join(this.#folder, `${quarter}_form345.zip`)
  }

  #unpackedOf(quarter: Quarter): string {
    return join(this.#folder, `${quarter}_form345`)
  }
}

async function bytesBelow(path: string): Promise<number> {
  const entry = await stat(path)
  if (!entry.isDirectory()) return entry.size
  let bytes = 0
  for (const name of await readdir(path)) bytes += await bytesBelow(join(path, name))
  return bytes
}

/** Renames an unreadable zip, so that the next run downloads it again. A full disk says nothing about the zip. */
async function setAside(source: string, error: Error): Promise<never> {
  if (!(error.cause instanceof Error && 'syscall' in error.cause)) await rename(source, `${source}.damaged`)
  throw error
}

/**
 * Returns zips and unpacked sets at a path, oldest quarter first; a zip takes precedence over the same quarter
 * unpacked.
 */
async function setsIn(path: string): Promise<{ quarter: Quarter; source: string }[]> {
  const own = quarterOf(basename(path)) ?? quarterOf(basename(path).replace(/_form345$/, ''))
  const kind = await stat(path).catch(() => null)
  if (!kind) throw new Error(`${path} does not exist`)
  if (kind.isFile()) {
    if (!own || !path.endsWith('.zip'))
      throw new Error(`${basename(path)} has no quarter in its name; expected e.g. 2024q3_form345.zip`)
    return [{ quarter: own, source: path }]
  }
  const names = await readdir(path)
  if (names.some((name) => name.toUpperCase() === 'SUBMISSION.TSV')) {
    if (!own)
      throw new Error(`the folder ${basename(path)} has no quarter in its name; expected e.g. 2024q3 or 2024q3_form345`)
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

/** Hashes the tables in their order, since a folder has no bytes of its own. */
async function sha256OfFolder(path: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(path)).sort()) {
    const stem = /^([^.]+)\.tsv$/i.exec(name)?.[1]?.toUpperCase()
    const table = DATA_SET_TABLES.find((known) => known === stem)
    if (table) hash.update(`${table} ${await sha256OfFile(join(path, name))}\n`)
  }
  return hash.digest('hex')
}
