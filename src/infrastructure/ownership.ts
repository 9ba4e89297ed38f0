// Whether another user can have written what this process acts upon: settings, keys, and records of processes. In what
// another user can write, nothing is trusted; a file is not told from one that was put in its place.
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'

const OTHERS_WRITE = 0o022
const STICKY = 0o1000

/** A file or folder that another user owns, can write, or keeps from us. The message says what to do. */
export class NotOurs extends Error {}

/** Returns null if the file is missing. Throws `NotOurs` if another user can have written it. */
export function readOwn(path: string): string | null {
  if (statusOf(path, statSync) === null) return null
  for (const folder of new Set([dirname(path), dirname(realpathSync(path))])) {
    // In a folder such as /tmp nobody can replace a file of ours, and one of somebody else is refused below.
    if (((statusOf(folder, statSync)?.mode ?? 0) & STICKY) === 0) requireOwn(folder)
  }
  requireOwn(path)
  // A pipe would be waited for.
  const file = reaching(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  try {
    const status = fstatSync(file)
    requireRights(path, status)
    if (!status.isFile()) throw new Error(`${path} is not a file`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * Throws `NotOurs` if a file or folder belongs to another user than us or root, or others can write to it; a missing
 * one is ours to make. `anyOwner`: only the rights are checked.
 */
export function requireOwn(path: string, { anyOwner = false } = {}): void {
  const entry = statusOf(path, lstatSync)
  if (entry === null) return
  if (!entry.isSymbolicLink()) return requireRights(path, entry, anyOwner)
  requireOwner(path, entry)
  const target = statusOf(path, statSync)
  if (target !== null) requireRights(path, target, anyOwner)
}

/** Throws `NotOurs` if a folder of root or of another user is closed to us. */
export function requireUsable(folder: string): void {
  const status = statusOf(folder, statSync)
  if (status === null || status.uid === us()) return
  reaching(folder, () => accessSync(folder, constants.R_OK | constants.X_OK))
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    // A disk that takes no writes is another matter.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw unreachable(folder) ?? error
  }
}

/** Whether this process may do everything. */
export const isRoot = (): boolean => us() === 0

// A group counts as others: who is in it changes without a trace here.
function requireRights(path: string, status: Stats, anyOwner = false): void {
  if (!anyOwner) requireOwner(path, status)
  if ((status.mode & OTHERS_WRITE) === 0) return
  const mode = (status.mode & 0o7777).toString(8).padStart(4, '0')
  const all = status.isDirectory() ? '-R ' : ''
  throw new NotOurs(
    `${path} is not used, since other users can write to it (mode ${mode}): check what it holds, then ` +
      `chmod ${all}go-w ${quoted(path)}`,
  )
}

function requireOwner(path: string, { uid }: Stats): void {
  if (us() === null || uid === 0 || uid === us()) return
  throw new NotOurs(
    `${path} is not used by ${nameOf(us()!)}, since it belongs to ${nameOf(uid)}: run this as that user, or check ` +
      `what it holds, then chown ${us()} ${quoted(path)}`,
  )
}

/** Returns null for what does not exist. */
function statusOf(path: string, read: typeof statSync): Stats | null {
  return reaching(path, () => {
    try {
      return read(path, { throwIfNoEntry: false }) ?? null
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null
      throw error
    }
  })
}

function reaching<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EACCES' ? (unreachable(path) ?? error) : error
  }
}

/**
 * Names the owner of the path itself or, where that can't be seen, of the folder that hides it. Returns null if that is
 * us, or nothing can be seen.
 */
function unreachable(path: string): NotOurs | null {
  for (let held = path; ; held = dirname(held)) {
    try {
      const { uid } = statSync(held)
      if (uid === us()) return null
      const whose = held === path ? 'it' : held
      return new NotOurs(
        `${path} can't be used by ${nameOf(us()!)}, since ${whose} belongs to ${nameOf(uid)}: run this as that user`,
      )
    } catch {
      if (dirname(held) === held) return null
    }
  }
}

/** Null on a system without users. */
const us = (): number | null => process.geteuid?.() ?? null

const nameOf = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`)

const quoted = (path: string): string => (/^[\w./:@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
