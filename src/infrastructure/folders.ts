// Creation and copies of folders.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Creates the folder and those above it. Node's own `recursive` never ends if a folder exists and takes no entries,
 * such as /proc: it creates the parent, which exists, and tries again. Others can't write to it, whatever the umask.
 */
export function makeFolder(path: string, mode = 0o755): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
  }
}

/** Copies a file or folder as new ones, with the rights that the umask leaves: `cp` gives those of what is copied. */
export async function copyAsNew(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, dereference: true })
  const hidden = process.umask()
  const entries = statSync(to).isDirectory() ? readdirSync(to, { recursive: true, encoding: 'utf8' }) : []
  for (const path of [to, ...entries.map((name) => join(to, name))])
    chmodSync(path, (statSync(path).isDirectory() ? 0o777 : 0o666) & ~hidden)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
