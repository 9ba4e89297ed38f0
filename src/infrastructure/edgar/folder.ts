// Documents from a file or a folder, recursive. Every file is looked at, whatever its ending: the reader tells by content.
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface FoundDocument { path: string; bytes: Buffer }

// A reader refuses above 20 MB by what the first bytes show, so there is no need to hold more of such a file.
const MOST_BYTES = 20 * 1024 * 1024 + 1

/** Paths of the regular files below `path`, in name order; names that start with a dot are passed over. */
export async function filesBelow(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = (await readdir(path, { withFileTypes: true }))
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const below = await Promise.all(entries.map(async (entry) => {
    const full = join(path, entry.name)
    if (entry.isDirectory()) return filesBelow(full)
    return entry.isFile() || (entry.isSymbolicLink() && (await stat(full).catch(() => null))?.isFile()) ? [full] : []
  }))
  return below.flat()
}

export async function readDocumentFile(path: string): Promise<FoundDocument> {
  const { size } = await stat(path)
  return { path, bytes: size > MOST_BYTES ? await readStart(path) : await readFile(path) }
}

async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: MOST_BYTES })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
