// The Unix sockets of the embedded stores. Each lies in a folder that only the store's user can enter, its data folder
// where the path is short enough, so that no other user of the machine can reach the store or listen in its place.
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isPrivate } from '../private-folder.ts'

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

/** Returns the folder for the socket, creating it if it is not `data`. `recorded` is the one that was used before. */
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
