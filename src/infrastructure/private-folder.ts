// The check of a folder that a store's socket is in: whether another user of the machine could have put it there.
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Throws if another user could have put a socket into the folder. A secret may be sent to a store only after this
 * check.
 */
export function requirePrivate(folder: string, data: string): void {
  const owner = ownerOf(data)
  if (isPrivate(folder, owner)) return
  throw new Error(
    `${folder} must belong to user ${owner} and let no other user in (chmod 700), so no store is addressed there`,
  )
}

/** Returns whether it is a folder, no link, of that user, which no other user can enter. */
export function isPrivate(folder: string, owner: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === owner && (found.mode & 0o077) === 0
}

/** Returns the owner of the data folder: this user, or for root the user that runs the store. */
function ownerOf(data: string): number {
  const { uid } = lstatSync(data)
  const us = process.getuid?.() ?? uid
  if (uid === us) return uid
  // Root runs PostgreSQL as another user. Only who owns the folder above can have put this one there.
  if (us === 0 && (lstatSync(dirname(data)).mode & 0o022) === 0) return uid
  throw new Error(
    us === 0
      ? `${data} belongs to user ${uid}, and ${dirname(data)} can be written by others: take that right from them`
      : `${data} belongs to user ${uid}, so its store must be used as that user (or root)`,
  )
}
