// What lies where under DATA_DIR, and whether it can be used at all: a full or read-only disk is told in one line
// before a store fails on it in many.
import {
  type Stats,
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  renameSync,
  statSync,
  statfsSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../folders.ts'

export interface DataPaths {
  root: string
  logs: string
  /** Locks and records of who runs; worthless once nothing runs. */
  run: string
  /** PostgreSQL's data, and beside it the port and password. */
  postgres: string
  postgresRecord: string
  redis: string
  redisRecord: string
  /** The service's pid alone, for people and scripts. */
  servicePid: string
  /** The same process with its start time, address and build. */
  serviceRecord: string
  /** A link to nowhere whose text is its pid and identity, for when the record is lost. */
  serviceLock: string
  serviceLog: string
}

export function dataPaths(root: string): DataPaths {
  return {
    root,
    logs: join(root, 'logs'),
    run: join(root, 'run'),
    postgres: join(root, 'postgres'),
    postgresRecord: join(root, 'postgres.json'),
    redis: join(root, 'redis'),
    redisRecord: join(root, 'redis.json'),
    servicePid: join(root, 'service.pid'),
    serviceRecord: join(root, 'service.json'),
    serviceLock: join(root, 'run', 'service.lock'),
    serviceLog: join(root, 'logs', 'service.log'),
  }
}

// A new PostgreSQL takes 40 MB, its first write-ahead segments 48 MB; then a start needs little but must not be the last straw.
const neededForNew = 200
const neededToGoOn = 32

/** Makes the folders. Throws with one clear line where DATA_DIR can't be written or its disk is full. */
export function prepareDataDir(root: string): DataPaths {
  const paths = dataPaths(root)
  try {
    for (const path of [paths.root, paths.logs, paths.run]) makeFolder(path)
    accessSync(root, constants.W_OK)
  } catch (error) {
    const known = explainDiskFault(error, root)
    throw known === error ? new Error(`DATA_DIR ${root} can't be written: ${(error as Error).message}`) : known
  }
  const needed = existsSync(paths.postgres) ? neededToGoOn : neededForNew
  const { bavail, bsize } = statfsSync(root)
  const free = Math.floor((bavail * bsize) / 1024 / 1024)
  if (free < needed) throw new Error(`disk full: DATA_DIR ${root} has ${free} MB free, ${needed} MB are needed`)
  return paths
}

/** Errors of a full, read-only or forbidden disk in words; any other error as it is. */
export function explainDiskFault(error: unknown, root: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/i.test(message)) {
    return new Error(`disk full: nothing more can be written to DATA_DIR ${root}`)
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return new Error(`DATA_DIR ${root} can't be written: ${message}`)
  }
  return error as Error
}

const MAX_LOG_BYTES = 10 * 1024 * 1024

/** One older generation is kept, from 10 MB on, looked at when the writer starts. */
export function rotateLog(path: string): void {
  if (existsSync(path) && statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
}

/** As `rotateLog`, while a writer has it open for appending: copied and emptied. What is written just then is lost. */
export function trimLog(path: string): void {
  try {
    if (statSync(path).size <= MAX_LOG_BYTES) return
    copyFileSync(path, `${path}.1`)
  } catch {
    // The disk is full or the file gone: smaller is better than kept.
  }
  try {
    truncateSync(path)
  } catch {
    /* gone */
  }
}

export function isSameFile(path: string, other: Stats): boolean {
  const { ino, dev } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return ino === other.ino && dev === other.dev
}
