// The layout of DATA_DIR, and checks whether it is usable: a full or read-only disk is reported in one line before a
// store fails on it in many.
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
import { isRoot, requireOwn, requireUsable } from '../ownership.ts'

export interface DataPaths {
  root: string
  logs: string
  /** Locks and records of running processes; worthless once nothing runs. */
  run: string
  /** PostgreSQL's data, and beside it the port and password. */
  postgres: string
  postgresRecord: string
  redis: string
  redisRecord: string
  /** The service's pid alone, for users and scripts. */
  servicePid: string
  /** The same process with its start time, address and build. */
  serviceRecord: string
  /** A dangling link whose text is its pid and identity, in case the record is lost. */
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

// A new PostgreSQL takes 40 MB, its first write-ahead segments 48 MB; after that a start needs little, but must not
// be what fills the disk.
const NEW_DATABASE_MB = 200
const EXISTING_DATABASE_MB = 32

// What else is below DATA_DIR, of the engine, the service and a Docker stack.
const OTHERS = [
  'clickhouse',
  'history',
  'exports',
  'secrets',
  'docker.env',
  'settings.json',
  'secrets.key',
  'stack.json',
]

/**
 * Throws one line if DATA_DIR, or a folder or record in it, belongs to another user than us or root, or others can
 * write to it: they could put files of theirs in the place of ours. All are checked first, so that no command ends
 * half-way.
 */
export function requireOwnDataDir(root: string): void {
  const { postgres, ...paths } = dataPaths(root)
  requireOwn(root)
  requireUsable(root)
  for (const path of Object.values(paths)) requireOwn(path)
  for (const name of [...OTHERS, join('run', 'users')]) requireOwn(join(root, name))
  // That of root's stack belongs to the user that PostgreSQL runs as.
  requireOwn(postgres, { anyOwner: isRoot() })
}

/** Creates the folders. Throws one clear line if DATA_DIR can't be written or its disk is full. */
export function prepareDataDir(root: string): DataPaths {
  const paths = dataPaths(root)
  try {
    for (const path of [paths.root, paths.logs, paths.run]) makeFolder(path)
    accessSync(root, constants.W_OK)
  } catch (error) {
    const known = explainDiskFault(error, root)
    throw known === error ? new Error(`DATA_DIR ${root} can't be written: ${(error as Error).message}`) : known
  }
  const needed = existsSync(paths.postgres) ? EXISTING_DATABASE_MB : NEW_DATABASE_MB
  const { bavail, bsize } = statfsSync(root)
  const free = Math.floor((bavail * bsize) / 1024 / 1024)
  if (free < needed) throw new Error(`disk full: DATA_DIR ${root} has ${free} MB free, ${needed} MB are needed`)
  return paths
}

/** Explains errors of a full, read-only or forbidden disk; returns any other error unchanged. */
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

/** Rotates a log of more than 10 MB, keeping one older file; called when the writer starts. */
export function rotateLog(path: string): void {
  if (existsSync(path) && statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
}

/**
 * Rotates a log that a writer has open for appending: copied and truncated. What is written at that moment is lost.
 */
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
