// Copies month files into another folder: the files that the folder lacks, and last the manifest.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ExportFile } from '../../application/ports/exports.ts'
import type { ExportFiles } from './folder.ts'

/**
 * Copies the files and returns how many. Throws if there are none, if a file does not match the manifest, or if the
 * signal aborts; then the files that were copied are removed again.
 */
export async function copyExports(from: ExportFiles, to: ExportFiles, signal?: AbortSignal): Promise<number> {
  const manifest = await from.manifest()
  if (manifest === null) throw new Error(`${from.path} has no month files: make exports makes them`)
  const files = manifest.datasets.flatMap((dataset) => dataset.files)
  const lacking: ExportFile[] = []
  for (const file of files) if (!(await to.has(file))) lacking.push(file)
  const bytes = lacking.reduce((sum, file) => sum + file.bytes, 0)
  await to.run({ kept: files.map(({ path }) => path), bytes }, async () => {
    for (const file of lacking) {
      signal?.throwIfAborted()
      const content = await readFile(from.pathOf(file.path))
      if (createHash('sha256').update(content).digest('hex') !== file.sha256)
        throw new Error(`${from.pathOf(file.path)} is damaged: remove it, and make exports makes it again`)
      await to.write(file.path, content)
    }
    signal?.throwIfAborted()
    // Files that newer ones replaced are not copied.
    await to.publish({ ...manifest, retired: [] })
  })
  return lacking.length
}
