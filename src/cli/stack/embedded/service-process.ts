// Starts the service as a background process, waits until it is ready, and stops it.
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

/** Opening the engine's files of a large store takes a while. */
const READY_TIMEOUT_MS = 180_000

export interface Launched {
  process: ChildProcess
  /** Offset in the log at which the output of this process begins. */
  logStart: number
}

/** Starts the service with the build that `main` belongs to. */
export function launch(dataDir: string, main: string, env: Environment): Launched {
  registerStack(checkoutRoot(), { dataDir, main })
  const { serviceLog } = dataPaths(dataDir)
  rotateLog(serviceLog)
  const log = openSync(serviceLog, 'a', 0o600)
  const logStart = statSync(serviceLog).size
  const args = [...process.execArgv, main, 'serve']
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

/**
 * Waits until the service is ready, or until the timeout if it is still filling ClickHouse. Throws with its last logged
 * fault.
 */
export async function awaitService(
  { host, port, dataDir }: Config,
  { process: child, logStart }: Launched,
): Promise<Ready> {
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const outcome = await waitReady(addressOf(host, port), isRunning, READY_TIMEOUT_MS)
  const service = runningService(dataDir)
  const isUp = outcome === 'ready' || outcome === 'filling'
  if (isUp && service?.pid === child.pid && service !== null) return { service, isFilling: outcome === 'filling' }
  const { serviceLog } = dataPaths(dataDir)
  const fault = lastFault(readFileSync(serviceLog).subarray(logStart).toString())
  const what = outcome === 'late' ? 'is not ready in time' : 'ended while it started'
  throw new Error(`the service ${what}; see ${serviceLog}${fault === '' ? '' : `: ${fault}`}`)
}

/** Requests and deliveries in progress are finished within 25 s. */
const STOP_STEPS: Parameters<typeof stopProcess>[1] = [
  ['SIGTERM', 25_000],
  ['SIGKILL', 5_000],
]

/** Stops what `launch` started. */
export async function endLaunched(dataDir: string, { process: child }: Launched): Promise<void> {
  const identity = child.pid === undefined ? null : identify(child.pid)
  if (identity !== null) await stopProcess({ pid: child.pid!, identity }, STOP_STEPS)
  unclaimService(dataDir)
}

/**
 * Stops the service, which finishes requests and deliveries in progress within 25 s. Returns false if none was running.
 */
export async function stopService(dataDir: string, out: Output): Promise<boolean> {
  const service = runningService(dataDir)
  if (service !== null) {
    const signal = await stopProcess(service, STOP_STEPS)
    if (signal === 'SIGKILL') out.note('the service did not end within 25 s and was killed')
  }
  unclaimService(dataDir)
  return service !== null
}

/** Throws if the service does not become ready. Returns true if it is still filling ClickHouse. */
export async function confirmReady(running: ServiceRecord, dataDir: string): Promise<boolean> {
  const outcome = await waitReady(running.address, () => isAlive(running), READY_TIMEOUT_MS)
  if (outcome === 'ready' || outcome === 'filling') return outcome === 'filling'
  throw new Error(
    `the service (process ${running.pid}) runs at ${running.address} but is not ready; ` +
      `see ${dataPaths(dataDir).serviceLog}`,
  )
}
