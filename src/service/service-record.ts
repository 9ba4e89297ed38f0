// Which process serves a DATA_DIR. Written by `serve` itself, so that one started by hand counts as well; read by
// up, down, status and other commands that talk to the running service.
import { existsSync, fstatSync, readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
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
import { readSettings } from '../infrastructure/embedded/settings-file.ts'

export interface ServiceRecord extends ProcessRef {
  host: string
  port: number
  /** Where it can be reached from this machine, such as `http://127.0.0.1:8080`. */
  address: string
  /** The program's main file, which tells the build. */
  main: string
  startedAt: string
  /** By which its settings are told from others; see `settingsPrint`. Missing where an older program serves. */
  settings?: string
  /** Not started by `make up`, whose service writes to the log below DATA_DIR. */
  isByHand?: boolean
}

/** The service of this DATA_DIR, if it runs: by its record, or where that is lost by its lock or pid file. */
export function runningService(dataDir: string): ServiceRecord | null {
  const record = readJson<ServiceRecord>(dataPaths(dataDir).serviceRecord)
  if (record !== null && isAlive(record)) return record
  const process = processOfLock(dataDir) ?? processOfPidFile(dataDir)
  return process === null ? null : recordOf(process, dataDir)
}

/** Called by the service first of all: at most one may serve a DATA_DIR. Throws where another does. */
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
      throw new Error(`a service runs already on ${dataDir} (process ${other?.pid}, ${other?.address})`)
    if (createPrivate(serviceRecord, JSON.stringify(record))) break
    rmSync(serviceRecord, { force: true })
    await sleep(10)
  }
  writePrivate(servicePid, `${process.pid}\n`)
  rmSync(serviceLock, { force: true })
  symlinkSync(`${record.pid} ${record.identity}`, serviceLock)
  healing = setInterval(() => heal(serviceRecord, record), HEAL_MS).unref()
}

const HEAL_MS = 5_000
let healing: NodeJS.Timeout | undefined

/** Writes the record again that somebody removed. */
function heal(path: string, record: ServiceRecord): void {
  try {
    if (!existsSync(path)) createPrivate(path, JSON.stringify(record))
  } catch {
    /* DATA_DIR is gone or full */
  }
}

/** Called by the service last of all, and by `down` for one that was killed. Leaves another service's record alone. */
export function unclaimService(dataDir: string): void {
  clearInterval(healing)
  const { serviceRecord, servicePid, serviceLock } = dataPaths(dataDir)
  const other = runningService(dataDir)
  if (other !== null && other.pid !== process.pid) return
  for (const path of [serviceRecord, servicePid, serviceLock]) rmSync(path, { force: true })
}

function processOfLock(dataDir: string): ProcessRef | null {
  try {
    const [pid, ...identity] = readlinkSync(dataPaths(dataDir).serviceLock).split(' ')
    const process = { pid: Number(pid), identity: identity.join(' ') }
    return isAlive(process) ? process : null
  } catch {
    return null
  }
}

/** The pid alone may be another program's by now: its words and its DATA_DIR must fit as well. */
function processOfPidFile(dataDir: string): ProcessRef | null {
  try {
    const pid = Number(readFileSync(dataPaths(dataDir).servicePid, 'utf8'))
    const identity = identify(pid)
    if (identity === null || pid === process.pid || !commandLine(pid).includes('serve')) return null
    const served = resolve(readlinkSync(`/proc/${pid}/cwd`), environmentOfProcess(pid)?.DATA_DIR?.trim() || '.data')
    return realpathSync(served) === dataDir ? { pid, identity } : null
  } catch {
    return null
  }
}

/** As far as it can be found out; what is missing is not known. */
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

/** A wildcard host is reached over loopback. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
