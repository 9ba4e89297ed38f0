// The Unix sockets of the embedded stores. Each lies in a folder that only the store's user can enter, its data folder
// where the path is short enough, so that no other user of the machine can reach the store or listen in its place.
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The system's limit for the path of a socket. */
const MAX_BYTES = process.platform === 'darwin' ? 103 : 107
// Not XDG_RUNTIME_DIR: it is removed when its user logs out, and the stores stay.
const ELSEWHERE = '/tmp'

export interface SocketPlace {
  /** The store's data folder. */
  data: string
  /** The socket's name. */
  name: string
}

/** Creates the folder for the socket if it is not `data`. `recorded` is the one that was used before. */
export function makeSocketFolder({ data, name }: SocketPlace, recorded: string | undefined): string {
  if (Buffer.byteLength(join(data, name)) <= MAX_BYTES) return data
  const owner = lstatSync(data)
  const own = (folder: string) => {
    if (process.getuid?.() === 0) chownSync(folder, owner.uid, owner.gid)
    return folder
  }
  if (recorded !== undefined && recorded !== data) {
    try {
      mkdirSync(recorded, { mode: 0o700 })
      return own(recorded)
    } catch {
      if (isPrivate(recorded, owner.uid)) return recorded
    }
  }
  return own(mkdtempSync(join(ELSEWHERE, 'insider-')))
}

/** Removes the folder if it is not `data`, once the store has stopped. */
export function dropSocketFolder({ data }: Pick<SocketPlace, 'data'>, folder: string): void {
  if (folder !== data && isPrivate(folder, lstatSync(data).uid)) rmSync(folder, { recursive: true, force: true })
}

/**
 * Throws if another user could have put a socket into the folder. A secret may be sent to a store only after this check.
 */
export function requirePrivate(folder: string, data: string): void {
  const owner = ownerOf(data)
  if (isPrivate(folder, owner)) return
  throw new Error(
    `${folder} is not a folder of user ${owner} that no other user can enter, so no store is addressed there: ` +
      'make down, remove it, then make up',
  )
}

function isPrivate(folder: string, owner: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === owner && (found.mode & 0o077) === 0
}

/** Returns the owner of the data folder: this user, or for root the user that runs the store. */
function ownerOf(data: string): number {
  const { uid } = lstatSync(data)
  const us = process.getuid?.() ?? uid
  if (uid === us) return uid
  const parent = lstatSync(dirname(data))
  // Nobody but root and that user can have put it there.
  if (us === 0 && (parent.uid === 0 || parent.uid === uid) && (parent.mode & 0o022) === 0) return uid
  throw new Error(
    us === 0
      ? `${data} belongs to user ${uid}, and ${dirname(data)} can be written by others: take that right from them`
      : `${data} belongs to user ${uid}, so its store must be used as that user (or root)`,
  )
}
