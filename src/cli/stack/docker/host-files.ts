// Files of the host that a command in a container reads as the service's user: files that only their owner may read are
// copied for the duration of the command.
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { identify } from '../../../infrastructure/embedded/processes.ts'

const PREFIX = 'for-container-'
const OTHERS_READ = 0o004
const OTHERS_ENTER = 0o005

/** Returns a path that all users can read: `file` itself, else a copy below `folder`, which other users can't enter. */
export function readableCopy(file: string, folder: string): { path: string; drop(): void } {
  if (entriesOf(file).every(isOpen)) return { path: file, drop: () => {} }
  // The name has random letters, since two commands may use the same file at once.
  sweep(folder)
  const own = mkdtempSync(join(folder, `${PREFIX}${process.pid}-`))
  const drop = () => rmSync(own, { recursive: true, force: true })
  try {
    const path = join(own, basename(file))
    cpSync(file, path, { recursive: true, dereference: true })
    for (const entry of entriesOf(path)) chmodSync(entry, lstatSync(entry).isDirectory() ? 0o755 : 0o644)
    return { path, drop }
  } catch (error) {
    drop()
    throw error
  }
}

/**
 * Copies a file so that all users can read it, and returns the path of the copy. The copy is named by a hash of its
 * contents: changed contents make another file, for which Compose creates new containers.
 */
export function publicCopy(file: string, folder: string): string {
  const bytes = readFileSync(file)
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}-${basename(file)}`)
  writeFileSync(path, bytes, { mode: 0o644 })
  chmodSync(path, 0o644)
  return path
}

/** Removes what killed commands left behind. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : null
    if (pid !== null && identify(pid) === null) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function isOpen(entry: string): boolean {
  const status = lstatSync(entry)
  // A link may point outside what is mounted into the container.
  if (status.isSymbolicLink()) return false
  const needed = status.isDirectory() ? OTHERS_ENTER : OTHERS_READ
  return (status.mode & needed) === needed
}

function entriesOf(file: string): string[] {
  if (!lstatSync(file).isDirectory()) return [file]
  return [file, ...readdirSync(file, { recursive: true, encoding: 'utf8' }).map((name) => join(file, name))]
}
