// The folder of the month files on disk. A file that has its final name is complete: it is written under another name,
// synced to disk and then renamed; the manifest likewise, and last. A run that fails removes the files that it wrote.
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  DATASETS,
  type ExportFile,
  type ExportFolder,
  type ExportManifest,
  type RunOptions,
} from '../../application/ports/exports.ts'
import { requireSpace } from '../free-space.ts'
import { isLeftOver, unfinishedName } from '../unfinished-files.ts'

const MANIFEST = 'manifest.json'
const UNFINISHED_MANIFEST = /^manifest\.json\..+\.part$/
const FILE_NAME = /^(all|\d{4}-\d{2})\.[0-9a-f]{16}\.parquet$/
const UNFINISHED_FILE = /^(all|\d{4}-\d{2})\.[0-9a-f]{16}\.parquet\..+\.part$/

export class ExportFiles implements ExportFolder {
  readonly path: string
  /** The manifest as last read, with inode, time and size of its file. */
  #cached: { state: string; manifest: ExportManifest | null } | undefined
  /** Inodes of the files that the present run wrote, by path. */
  #written = new Map<string, bigint>()

  constructor(path: string) {
    this.path = path
  }

  async manifest(): Promise<ExportManifest | null> {
    try {
      return JSON.parse(await readFile(join(this.path, MANIFEST), 'utf8')) as ExportManifest
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new Error(`${join(this.path, MANIFEST)} can't be read: remove it, and make exports makes it again`, {
        cause: error,
      })
    }
  }

  /** Returns the manifest as `manifest` does, and reads it only when its file was replaced. */
  async present(): Promise<ExportManifest | null> {
    const file = await stat(join(this.path, MANIFEST), { bigint: true }).catch(() => null)
    if (!file) return null
    const state = `${file.ino} ${file.mtimeNs} ${file.size}`
    if (this.#cached?.state !== state) this.#cached = { state, manifest: await this.manifest() }
    return this.#cached.manifest
  }

  pathOf(path: string): string {
    return join(this.path, path)
  }

  async sizeOf(path: string): Promise<number | null> {
    const file = await stat(join(this.path, path)).catch(() => null)
    return file?.isFile() === true ? file.size : null
  }

  async has({ path, bytes }: Pick<ExportFile, 'path' | 'bytes'>): Promise<boolean> {
    return (await this.sizeOf(path)) === bytes
  }

  async run<T>({ kept = [], bytes = 0 }: RunOptions, work: () => Promise<T>): Promise<T> {
    this.#written = new Map()
    await this.#sweep(new Set([...kept, ...pathsIn(await this.manifest())]))
    await requireSpace(this.path, bytes)
    try {
      return await work()
    } catch (error) {
      // The error of the run says more than one of the removal. The next run removes the files.
      await this.#removeWritten().catch(() => {})
      throw error
    }
  }

  async write(path: string, bytes: Buffer): Promise<void> {
    const target = join(this.path, path)
    await makeReadable(dirname(target))
    this.#written.set(path, await replace(target, bytes))
  }

  async publish(manifest: ExportManifest): Promise<void> {
    await makeReadable(this.path)
    await replace(join(this.path, MANIFEST), Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
    await this.#sweep(new Set(pathsIn(manifest)))
  }

  /** Removes month files that are not in `kept`, and unfinished files of earlier runs. Leaves all other files alone. */
  async #sweep(kept: ReadonlySet<string>): Promise<void> {
    for (const name of await namesIn(this.path)) {
      if (UNFINISHED_MANIFEST.test(name)) await removeLeftOver(join(this.path, name))
    }
    for (const dataset of DATASETS) {
      for (const name of await namesIn(join(this.path, dataset))) {
        const path = join(this.path, dataset, name)
        if (UNFINISHED_FILE.test(name)) await removeLeftOver(path)
        else if (FILE_NAME.test(name) && !kept.has(`${dataset}/${name}`)) await rm(path, { force: true })
      }
    }
  }

  /** Removes the files that the run wrote, except those that a manifest names or another process has written again. */
  async #removeWritten(): Promise<void> {
    const named = new Set(pathsIn(await this.manifest()))
    for (const [path, ino] of this.#written) {
      const file = await stat(join(this.path, path), { bigint: true }).catch(() => null)
      if (!named.has(path) && file?.ino === ino) await rm(join(this.path, path), { force: true })
    }
  }
}

function pathsIn(manifest: ExportManifest | null): string[] {
  if (!manifest) return []
  const files = manifest.datasets.flatMap((dataset) => dataset.files)
  return [...files, ...manifest.retired].map(({ path }) => path)
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch((): string[] => [])

async function removeLeftOver(path: string): Promise<void> {
  if (await isLeftOver(path)) await rm(path, { force: true })
}

/** Makes a folder that others may read, if it is not there. */
async function makeReadable(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o755)
}

/** Replaces a file by one with these bytes, and returns its inode; a crash leaves one or the other. */
async function replace(target: string, bytes: Buffer): Promise<bigint> {
  await requireSpace(dirname(target), bytes.length)
  const beside = unfinishedName(target)
  try {
    const file = await open(beside, 'w')
    let ino: bigint
    try {
      // A web server that runs as another user may have to read the file, in spite of this process's umask.
      await file.chmod(0o644)
      await file.writeFile(bytes)
      await file.sync()
      ino = (await file.stat({ bigint: true })).ino
    } finally {
      await file.close()
    }
    await rename(beside, target)
    const folder = await open(dirname(target))
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
    return ino
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {})
    throw error
  }
}
