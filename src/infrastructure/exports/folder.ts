// The folder of the month files on disk. A file under its name is whole: it is written beside it, made to outlast a
// crash, and then renamed; so is the manifest, last.
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DATASETS, type ExportFile, type ExportFolder, type ExportManifest } from '../../application/ports/exports.ts'

const MANIFEST = 'manifest.json'
const PART = '.part'

export class ExportFiles implements ExportFolder {
  readonly path: string
  #known: { state: string; manifest: ExportManifest | null } | undefined

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

  /** Returns the manifest as `manifest` does, read again where the file is another one. */
  async present(): Promise<ExportManifest | null> {
    const found = await stat(join(this.path, MANIFEST), { bigint: true }).catch(() => null)
    if (!found) return null
    // A new manifest is a new file.
    const state = `${found.ino} ${found.mtimeNs} ${found.size}`
    if (this.#known?.state !== state) this.#known = { state, manifest: await this.manifest() }
    return this.#known.manifest
  }

  pathOf(path: string): string {
    return join(this.path, path)
  }

  async has({ path, bytes }: Pick<ExportFile, 'path' | 'bytes'>): Promise<boolean> {
    const found = await stat(join(this.path, path)).catch(() => null)
    return found?.isFile() === true && found.size === bytes
  }

  async write(path: string, bytes: Buffer): Promise<void> {
    const target = join(this.path, path)
    await makeReadable(dirname(target))
    await replace(target, bytes)
  }

  async publish(manifest: ExportManifest): Promise<void> {
    await makeReadable(this.path)
    await replace(join(this.path, MANIFEST), Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
    const named = new Set([
      ...manifest.datasets.flatMap(({ files }) => files.map(({ path }) => path)),
      ...manifest.retired.map(({ path }) => path),
    ])
    for (const dataset of DATASETS) {
      const names = await readdir(join(this.path, dataset)).catch((): string[] => [])
      // Only what bears a name of ours: somebody may keep other files here.
      const ours = names.filter((name) => name.endsWith(PART) || FILE_NAME.test(name))
      for (const name of ours) {
        if (!named.has(`${dataset}/${name}`)) await rm(join(this.path, dataset, name), { force: true })
      }
    }
  }
}

const FILE_NAME = /^(all|\d{4}-\d{2})\.[0-9a-f]{16}\.parquet$/

/** Makes a folder that others may read, if it is not there. */
async function makeReadable(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o755)
}

/** Replaces a file by one with these bytes; a crash leaves one or the other. */
async function replace(target: string, bytes: Buffer): Promise<void> {
  const beside = `${target}.${randomUUID()}${PART}`
  const file = await open(beside, 'w')
  try {
    // Another user's web server may read it, whatever this process lets others do otherwise.
    await file.chmod(0o644)
    await file.writeFile(bytes)
    await file.sync()
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
}
