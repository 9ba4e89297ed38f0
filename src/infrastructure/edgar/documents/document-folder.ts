// Finds documents in a file or, recursively, a folder. Every regular file is included, whatever its extension: the
// reader detects the type from the content. Names are bytes to the system, so they are kept as bytes: one that is not
// UTF-8 is read like any other.
import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { normalize } from 'node:path'
import { printable } from '../../printable.ts'

/** A regular file, or an unreadable path with the reason. */
export interface FoundPath {
  /** For display and for the ledger; bytes that are not UTF-8 are written as `\xff`. */
  path: string
  /** For system calls. */
  name: Buffer
  reason: string | null
}

export interface FoundDocument {
  path: string
  bytes: Buffer
}

export interface Found {
  /** In name order. */
  paths: FoundPath[]
  /** Number of pipes, devices, sockets, and links that lead to no regular file. */
  skipped: number
}

// The reader refuses above 20 MB by the first bytes, so more of such a file need not be held.
const MAX_BYTES = 20 * 1024 * 1024 + 1

/** Finds files at or below `path`, which is followed if it is a link; names that start with a dot are skipped. */
export async function filesBelow(path: string): Promise<Found> {
  const found: Found = { paths: [], skipped: 0 }
  const kind = await stat(path)
  if (kind.isFile()) found.paths.push({ path, name: Buffer.from(path), reason: null })
  else if (!kind.isDirectory()) throw new Error('neither a file nor a folder')
  const top: Buffer = Buffer.from(normalize(path))
  // The last is taken next: the content of a folder comes in name order, however deep it is.
  const waiting = kind.isDirectory() ? [top] : []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const isFolder = next === top || next.at(-1) === SLASH
    if (isFolder) for (const each of (await within(next, found)).reverse()) waiting.push(each)
    else found.paths.push({ path: textOf(next), name: next, reason: null })
  }
  return found
}

const SLASH = 47

/** Returns the relevant content of a folder: folders with a slash at their end, and regular files. */
async function within(folder: Buffer, found: Found): Promise<Buffer[]> {
  const names: Buffer[] = []
  try {
    const below = folder.at(-1) === SLASH ? folder : Buffer.concat([folder, Buffer.of(SLASH)])
    const entries = (await readdir(folder, { withFileTypes: true, encoding: 'buffer' }))
      .filter(({ name }) => name[0] !== 46)
      .sort((a, b) => Buffer.compare(a.name, b.name))
    for (const entry of entries) {
      const name = Buffer.concat([below, entry.name])
      if (entry.isDirectory()) names.push(Buffer.concat([name, Buffer.of(SLASH)]))
      else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(name)))) names.push(name)
      else found.skipped += 1
    }
  } catch (error) {
    found.paths.push({ path: textOf(folder), name: folder, reason: reasonOf(error) })
  }
  return names
}

/** Returns whether a link leads to a regular file, which one to nowhere or in a circle does not. */
async function leadsToFile(name: Buffer): Promise<boolean> {
  return stat(name).then(
    (kind) => kind.isFile(),
    () => false,
  )
}

/** Reads a file, or its beginning if it is larger than any document. Throws with the reason if it can't be read. */
export async function readDocumentFile({ path, name }: Pick<FoundPath, 'path' | 'name'>): Promise<FoundDocument> {
  return {
    path,
    bytes: await readRegularFile(name, MAX_BYTES).catch((error) => {
      throw new Error(reasonOf(error))
    }),
  }
}

/**
 * Reads at most `maxBytes` of a regular file, and no more than its size: a file without size, such as /proc/kmsg,
 * which waits for the kernel, is not even opened. Throws on anything that is not a regular file, without waiting.
 */
export async function readRegularFile(name: string | Buffer, maxBytes: number): Promise<Buffer> {
  const { size } = regular(await stat(name))
  if (size === 0) return Buffer.alloc(0)
  // Something else can be there by now: a pipe without a writer would block without this.
  const file = await open(name, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const bytes = Buffer.allocUnsafeSlow(Math.min(regular(await file.stat()).size, maxBytes))
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

function regular(kind: Stats): Stats {
  if (!kind.isFile()) throw new Error('not a regular file')
  return kind
}

function textOf(name: Buffer): string {
  return isUtf8(name) ? name.toString() : printable(name)
}

const REASONS: Record<string, string> = {
  ENAMETOOLONG: 'the path is too long',
  EACCES: 'permission denied',
  ENOENT: 'it no longer exists',
  ELOOP: 'its links form a circle',
}

/** Returns a short reason: the system's own repeats the path. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
