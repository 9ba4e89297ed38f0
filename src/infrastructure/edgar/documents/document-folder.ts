// Documents from a file or a folder, recursive. Every regular file is looked at, whatever its ending: the reader tells by
// content. Names are bytes to the system, so they are kept as bytes: one that is no UTF-8 is read like any other.
import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { normalize } from 'node:path'
import { printable } from '../../printable.ts'

/** A regular file, or what could not be looked into, with the reason. */
export interface FoundPath {
  /** For people and for the record; bytes that are no UTF-8 stand as `\xff`. */
  path: string
  /** For the system. */
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
  /** Pipes, devices, sockets, and links that lead to no regular file. */
  passedOver: number
}

// A reader refuses above 20 MB by what the first bytes show, so there is no need to hold more of such a file.
const MAX_BYTES = 20 * 1024 * 1024 + 1

/** Finds what is at or below `path`, itself followed where it is a link; names that start with a dot are passed over. */
export async function filesBelow(path: string): Promise<Found> {
  const found: Found = { paths: [], passedOver: 0 }
  const kind = await stat(path)
  if (kind.isFile()) found.paths.push({ path, name: Buffer.from(path), reason: null })
  else if (!kind.isDirectory()) throw new Error('it is neither a file nor a folder')
  const top: Buffer = Buffer.from(normalize(path))
  // The last is looked into next: what a folder holds comes in name order, however deep it goes.
  const waiting = kind.isDirectory() ? [top] : []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const isFolder = next === top || next.at(-1) === SLASH
    if (isFolder) for (const each of (await within(next, found)).reverse()) waiting.push(each)
    else found.paths.push({ path: textOf(next), name: next, reason: null })
  }
  return found
}

const SLASH = 47

/** What a folder holds that is to be looked at: folders with a slash at their end, and regular files. */
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
      else found.passedOver += 1
    }
  } catch (error) {
    found.paths.push({ path: textOf(folder), name: folder, reason: reasonOf(error) })
  }
  return names
}

/** Whether a link leads to a regular file; one that leads nowhere, or in a circle, does not. */
async function leadsToFile(name: Buffer): Promise<boolean> {
  return stat(name).then(
    (kind) => kind.isFile(),
    () => false,
  )
}

/** Reads a file, or its beginning where it is larger than any document. Throws with the reason where it can't be read. */
export async function readDocumentFile({ path, name }: Pick<FoundPath, 'path' | 'name'>): Promise<FoundDocument> {
  return {
    path,
    bytes: await readRegularFile(name, MAX_BYTES).catch((error) => {
      throw new Error(reasonOf(error))
    }),
  }
}

/**
 * Reads at most `mostBytes` of a regular file, and no more than its size tells: what has none, such as /proc/kmsg, which
 * waits for the kernel to say something, is not even opened. Throws on anything that is no regular file, without waiting.
 */
export async function readRegularFile(name: string | Buffer, mostBytes: number): Promise<Buffer> {
  const { size } = regular(await stat(name))
  if (size === 0) return Buffer.alloc(0)
  // Something else may stand there by now: a pipe that nothing is written to would be waited for without this.
  const file = await open(name, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const bytes = Buffer.allocUnsafeSlow(Math.min(regular(await file.stat()).size, mostBytes))
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
  if (!kind.isFile()) throw new Error('it is no regular file')
  return kind
}

function textOf(name: Buffer): string {
  return isUtf8(name) ? name.toString() : printable(name)
}

const REASONS: Record<string, string> = {
  ENAMETOOLONG: 'the path is longer than the system takes',
  EACCES: 'permission denied',
  ENOENT: 'it is no longer there',
  ELOOP: 'its links lead in a circle',
}

/** In few words: the system's own name the path again. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
