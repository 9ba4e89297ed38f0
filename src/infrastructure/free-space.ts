// Free space of the disk that a job writes to. A reserve stays free: the record is often on the same disk.
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const MIB = 1024 ** 2
/** A twentieth of the disk stays free, and no more than 1 GiB. */
const RESERVED_SHARE = 20
const MAX_RESERVE = 1024 * MIB
/** Bytes between two looks at the disk. */
const LOOK_BYTES = 16 * MIB

/** Throws one line if the disk of the folder, which need not exist yet, lacks room for these bytes and the reserve. */
export async function requireSpace(folder: string, bytes = 0): Promise<void> {
  const { free, total } = await spaceOf(resolve(folder))
  requireFree(folder, { free, total, bytes })
}

/**
 * Does the same for a disk whose space is known. One whose size is 0 does not say how large it is. `advice` ends the
 * line, after how much is missing.
 */
export function requireFree(
  folder: string,
  { free, total, bytes }: { free: number; total: number; bytes: number },
  advice?: string,
): void {
  const reserve = Math.min(MAX_RESERVE, total / RESERVED_SHARE)
  if (total === 0 || free >= bytes + reserve) return
  // As an error of the system: the data are not at fault.
  throw Object.assign(
    new Error(
      `disk full: ${folder} has ${Math.floor(free / MIB)} MB free, ${Math.ceil((bytes + reserve) / MIB)} MB are ` +
        `needed, of which ${Math.ceil(reserve / MIB)} MB stay free` +
        (advice ? `: ${Math.ceil((bytes + reserve - free) / MIB)} MB are missing; ${advice}` : ''),
    ),
    { syscall: 'statfs' },
  )
}

/** Returns a function to be called with the bytes of each write; it throws as `requireSpace` does. */
export function watchSpace(folder: string): (bytes: number) => Promise<void> {
  let unchecked = 0
  return async (bytes) => {
    unchecked += bytes
    if (unchecked < LOOK_BYTES) return
    unchecked = 0
    await requireSpace(folder)
  }
}

async function spaceOf(folder: string): Promise<{ free: number; total: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
    return spaceOf(dirname(folder))
  }
}
