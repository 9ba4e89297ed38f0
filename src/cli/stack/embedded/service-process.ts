// The service as a process in the background: started, waited for, ended.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import type { Config, Environment } from '../../../config.ts'
import { dataPaths, rotateLog } from '../../../infrastructure/embedded/data-dir.ts'
import { identify, isAlive, stopProcess } from '../../../infrastructure/embedded/processes.ts'
import { registerStack } from '../../bootstrap/checkout.ts'
import { checkoutRoot } from '../../../service/version.ts'
import { lastFault } from './last-fault.ts'
import type { Output } from '../../output.ts'
import { addressOf, runningService, unclaimService, type ServiceRecord } from '../../../service/service-record.ts'
import { waitReady } from '../wait-ready.ts'

/** The engine's files of a large store take a while to open. */
const patienceMs = 180_000

export interface Launched {
  process: ChildProcess
  /** Where its part of the log begins. */
  logStart: number
}

/** Starts the service of the build that `main` is of. */
export function launch(dataDir: string, main: string, env: Environment): Launched {
  registerStack(checkoutRoot(), { dataDir, main })
  const { serviceLog } = dataPaths(dataDir)
  rotateLog(serviceLog)
  const log = openSync(serviceLog, 'a', 0o600)
  const logStart = statSync(serviceLog).size
  const args = [...process.execArgv, '--enable-source-maps', main, 'serve']
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log], env: { ...env } })
  child.on('error', () => {})
  closeSync(log)
  child.unref()
  return { process: child, logStart }
}

export interface Ready {
  service: ServiceRecord
  isFilling: boolean
}

/** Resolves once it is ready, or still fills ClickHouse when the time is up. Throws with the last fault that it logged. */
export async function awaitService(
  { host, port, dataDir }: Config,
  { process: child, logStart }: Launched,
): Promise<Ready> {
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const outcome = await waitReady(addressOf(host, port), isRunning, patienceMs)
  const service = runningService(dataDir)
  const isUp = outcome === 'ready' || outcome === 'filling'
  if (isUp && service?.pid === child.pid && service !== null) return { service, isFilling: outcome === 'filling' }
  const { serviceLog } = dataPaths(dataDir)
  const fault = lastFault(readFileSync(serviceLog).subarray(logStart).toString())
  const what = outcome === 'late' ? 'is not ready in time' : 'ended while it started'
  throw new Error(`the service ${what}; see ${serviceLog}${fault === '' ? '' : `: ${fault}`}`)
}

/** Ends what `launch` started, in order if it can. */
export async function endLaunched(dataDir: string, { process: child }: Launched): Promise<void> {
  const identity = child.pid === undefined ? null : identify(child.pid)
  if (identity !== null)
    await stopProcess({ pid: child.pid!, identity }, [
      ['SIGTERM', 25_000],
      ['SIGKILL', 5_000],
    ])
  unclaimService(dataDir)
}

/** Its own orderly end takes at most 25 s: requests and deliveries under way are finished. False where none ran. */
export async function stopService(dataDir: string, out: Output): Promise<boolean> {
  const service = runningService(dataDir)
  if (service !== null) {
    const signal = await stopProcess(service, [
      ['SIGTERM', 25_000],
      ['SIGKILL', 5_000],
    ])
    if (signal === 'SIGKILL') out.note('the service did not end within 25 s and was killed')
  }
  unclaimService(dataDir)
  return service !== null
}

/** Throws where it is not. True where ClickHouse is still being filled. */
export async function confirmReady(running: ServiceRecord, dataDir: string): Promise<boolean> {
  const outcome = await waitReady(running.address, () => isAlive(running), patienceMs)
  if (outcome === 'ready' || outcome === 'filling') return outcome === 'filling'
  throw new Error(
    `the service (process ${running.pid}) runs at ${running.address} but is not ready; ` +
      `see ${dataPaths(dataDir).serviceLog}`,
  )
}
