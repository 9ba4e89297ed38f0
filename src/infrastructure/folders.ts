// Folders, made and closed to others.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes the folder and those above it. Node's own `recursive` does not end where a folder is there and takes no entries, such
 * as /proc: it makes what is above, which is there, and tries again.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
  }
}

/**
 * Takes the rights of others from all that is in the folder, once: the folder itself comes last, and one that is closed is
 * left as it is. Links are not followed.
 */
export function closeToOthers(folder: string): void {
  if ((statSync(folder).mode & 0o077) === 0) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) closeToOthers(path)
    if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o700)
  }
  chmodSync(folder, 0o700)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
