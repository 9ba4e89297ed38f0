// Names of files and folders that a job has not finished: they say which process writes them, so that another one can
// tell what a killed process left from what is being written.
import { createHash, randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { identify } from './process-identity.ts'

const WRITER = /\b([0-9a-f]{8})-(\d+)-([0-9a-f]{8})-[0-9a-f]{8}(?:\.part)?$/
/** Longer than any file or folder stays unfinished. */
const LEFT_OVER_MS = 3_600_000

let own: string | undefined

/** Returns the part of a name that says which process writes it, and that no other name has. */
export function writerMark(): string {
  own ??= `${digest(hostname())}-${process.pid}-${digest(identify(process.pid)!)}`
  return `${own}-${randomBytes(4).toString('hex')}`
}

/** Returns the name of a file, beside the one that it becomes when it is finished. */
export const unfinishedName = (path: string): string => `${path}.${writerMark()}.part`

/** Returns whether a process of this machine gave it its name. */
export const isOfThisMachine = (name: string): boolean => WRITER.exec(name)?.[1] === digest(hostname())

/**
 * Returns whether the process that wrote it has ended. Of a process of another machine, or of an earlier version, this
 * is known once nothing was written for an hour.
 */
export async function isLeftOver(path: string): Promise<boolean> {
  const [, host, pid, identity] = WRITER.exec(basename(path)) ?? []
  if (host === digest(hostname())) {
    const present = identify(Number(pid))
    return present === null || digest(present) !== identity
  }
  const found = await stat(path).catch(() => null)
  return found !== null && found.mtimeMs < Date.now() - LEFT_OVER_MS
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)
