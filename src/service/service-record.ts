// The record of the process that serves a DATA_DIR. The command `serve` writes it, so that a service that was started
// by hand is found too; `up`, `down`, `status` and other commands that talk to the running service read it.
import { existsSync, fstatSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataPaths, isSameFile, prepareDataDir } from '../infrastructure/embedded/data-dir.ts'
import { createPrivate, readJson, writePrivate } from '../infrastructure/embedded/files.ts'
import {
  commandLine,
  environmentOfProcess,
  identify,
  isAlive,
  processRef,
  type ProcessRef,
} from '../infrastructure/embedded/processes.ts'
import { readOwn, requireOwn } from '../infrastructure/ownership.ts'
import { readSettings } from '../infrastructure/embedded/settings-file.ts'

export interface ServiceRecord extends ProcessRef {
  host: string
  port: number
  /** Address on this host, such as `http://127.0.0.1:8080`. */
  address: string
  /** Main file of the program, which identifies the build. */
  main: string
  startedAt: string
  /** Fingerprint of the settings; see `settingsPrint`. Missing if the record was lost. */
  settings?: string
  /** Whether it was started without `make up`, whose service logs to a file below DATA_DIR. */
  isByHand?: boolean
}

/**
 * Returns the running service of this DATA_DIR: by its record, or if that is lost by its lock or pid file. Throws
 * `NotOurs` if another user can have written what it is found by: a caller may end that process.
 */
export function runningService(dataDir: string): ServiceRecord | null {
  const record = readJson<ServiceRecord>(dataPaths(dataDir).serviceRecord)
  if (record !== null && isAlive(record)) return record
  const process = processOfLock(dataDir) ?? processOfPidFile(dataDir)
  return process === null ? null : recordOf(process, dataDir)
}

/** Claims DATA_DIR for this process. Has to be called before anything else. Throws if another service serves it. */
export async function claimService(
  dataDir: string,
  served: { host: string; port: number; settings: string },
): Promise<void> {
  const { serviceRecord, servicePid, serviceLock, serviceLog } = prepareDataDir(dataDir)
  const { host, port, settings } = served
  const record: ServiceRecord = {
    ...processRef(),
    host,
    port,
    address: addressOf(host, port),
    main: process.argv[1] ?? '',
    startedAt: new Date().toISOString(),
    settings,
    isByHand: !isSameFile(serviceLog, fstatSync(1)),
  }
  for (let attempt = 0; ; attempt += 1) {
    const other = runningService(dataDir)
    if (other !== null || attempt === 3)
      throw new Error(`a service already runs on ${dataDir} (process ${other?.pid}, ${other?.address})`)
    if (createPrivate(serviceRecord, JSON.stringify(record))) break
    rmSync(serviceRecord, { force: true })
    await sleep(10)
  }
  writePrivate(servicePid, `${process.pid}\n`)
  rmSync(serviceLock, { force: true })
  symlinkSync(`${record.pid} ${record.identity}`, serviceLock)
  rewriting = setInterval(() => rewriteIfRemoved(serviceRecord, record), REWRITE_MS).unref()
}

const REWRITE_MS = 5_000
let rewriting: NodeJS.Timeout | undefined

/** Writes the record again if it was removed. */
function rewriteIfRemoved(path: string, record: ServiceRecord): void {
  try {
    if (!existsSync(path)) createPrivate(path, JSON.stringify(record))
  } catch {
    /* DATA_DIR is gone or full */
  }
}

/**
 * Removes the claim. Has to be called after everything else; `down` calls it for a service that was killed. Keeps the
 * record of another service.
 */
export function unclaimService(dataDir: string): void {
  clearInterval(rewriting)
  const { serviceRecord, servicePid, serviceLock } = dataPaths(dataDir)
  const other = runningService(dataDir)
  if (other !== null && other.pid !== process.pid) return
  for (const path of [serviceRecord, servicePid, serviceLock]) rmSync(path, { force: true })
}

function processOfLock(dataDir: string): ProcessRef | null {
  const { run, serviceLock } = dataPaths(dataDir)
  for (const path of [run, serviceLock]) requireOwn(path)
  try {
    const [pid, ...identity] = readlinkSync(serviceLock).split(' ')
    const process = { pid: Number(pid), identity: identity.join(' ') }
    return isAlive(process) ? process : null
  } catch {
    return null
  }
}

/**
 * Finds the process by its pid, which may belong to another program by now: its command and DATA_DIR must match too.
 */
function processOfPidFile(dataDir: string): ProcessRef | null {
  const text = readOwn(dataPaths(dataDir).servicePid)
  try {
    const pid = Number(text ?? Number.NaN)
    const identity = identify(pid)
    if (identity === null || pid === process.pid || !commandLine(pid).includes('serve')) return null
    const served = resolve(readlinkSync(`/proc/${pid}/cwd`), environmentOfProcess(pid)?.DATA_DIR?.trim() || '.data')
    return realpathSync(served) === dataDir ? { pid, identity } : null
  } catch {
    return null
  }
}

/** Builds a record from what the process itself reveals. */
function recordOf(process: ProcessRef, dataDir: string): ServiceRecord {
  const variables = environmentOfProcess(process.pid) ?? readSettings(dataDir)
  const [host, port] = [variables.HOST?.trim() || '127.0.0.1', Number(variables.PORT?.trim() || 8080)]
  const words = commandLine(process.pid)
  return {
    ...process,
    host,
    port,
    address: addressOf(host, port),
    main: words[words.indexOf('serve') - 1] ?? '',
    startedAt: '',
  }
}

/** Returns the address on this host; a wildcard host is reached over loopback. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
