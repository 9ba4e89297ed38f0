// Which process serves a DATA_DIR. Written by `serve` itself, so that one started by hand counts as well; read by
// up, down, status and whoever wants to talk to the running service.
import { fstatSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataPaths, isSameFile, prepareDataDir } from '../infrastructure/embedded/data-dir.ts'
import { createPrivate, readJson } from '../infrastructure/embedded/files.ts'
import { isAlive, processRef, type ProcessRef } from '../infrastructure/embedded/processes.ts'

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

/** The service of this DATA_DIR, if it runs. */
export function runningService(dataDir: string): ServiceRecord | null {
  const record = readJson<ServiceRecord>(dataPaths(dataDir).serviceRecord)
  return record !== null && isAlive(record) ? record : null
}

/** Called by the service first of all: at most one may serve a DATA_DIR. Throws where another does. */
export async function claimService(dataDir: string, served: { host: string; port: number; settings: string }): Promise<void> {
  const { serviceRecord, servicePid, serviceLog } = prepareDataDir(dataDir)
  const { host, port, settings } = served
  const record: ServiceRecord = {
    ...processRef(), host, port, address: addressOf(host, port), main: process.argv[1] ?? '', startedAt: new Date().toISOString(),
    settings, isByHand: !isSameFile(serviceLog, fstatSync(1)),
  }
  for (let attempt = 0; !createPrivate(serviceRecord, JSON.stringify(record)); attempt += 1) {
    const other = runningService(dataDir)
    if (other !== null || attempt === 3) throw new Error(`a service runs already on ${dataDir} (process ${other?.pid}, ${other?.address})`)
    rmSync(serviceRecord, { force: true })
    await sleep(10)
  }
  writeFileSync(servicePid, `${process.pid}\n`)
}

/** Called by the service last of all, and by `down` for one that was killed. Leaves another service's record alone. */
export function unclaimService(dataDir: string): void {
  const { serviceRecord, servicePid } = dataPaths(dataDir)
  const other = runningService(dataDir)
  if (other !== null && other.pid !== process.pid) return
  rmSync(serviceRecord, { force: true })
  rmSync(servicePid, { force: true })
}

/** A wildcard host is reached over loopback. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
