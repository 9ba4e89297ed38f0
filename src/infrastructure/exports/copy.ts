// Copies the month files into another folder: those that it lacks, and last the manifest.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFiles } from './folder.ts'

/** Returns how many files were copied. Throws if there are none, or a file is not what the manifest says. */
export async function copyExports(from: ExportFiles, to: ExportFiles): Promise<number> {
  const manifest = await from.manifest()
  if (manifest === null) throw new Error(`${from.path} has no month files: make exports makes them`)
  let copied = 0
  for (const file of manifest.datasets.flatMap(({ files }) => files)) {
    if (await to.has(file)) continue
    const bytes = await readFile(join(from.path, file.path))
    if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
      throw new Error(`${join(from.path, file.path)} is damaged: remove it, and make exports makes it again`)
    await to.write(file.path, bytes)
    copied += 1
  }
  // What others took the place of stays where it was made.
  await to.publish({ ...manifest, retired: [] })
  return copied
}
