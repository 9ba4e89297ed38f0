// Starts the stores and the service, waits until it is ready and prints its address. May be repeated: what runs is left
// as it is, stores that died are started again.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type DataPaths, prepareDataDir, rotateLog } from '../infrastructure/embedded/data-dir.ts'
import { withLock } from '../infrastructure/embedded/files.ts'
import { whyNotListen } from '../infrastructure/embedded/ports.ts'
import { identify, isAlive, stopProcess } from '../infrastructure/embedded/processes.ts'
import { ensureStores, type Stores, stopStores } from '../infrastructure/embedded/stores.ts'
import { checkoutRoot, registerStack } from './checkout.ts'
import type { Output } from './output.ts'
import { developmentKey, developmentKeyLines } from './development-key.ts'
import { keepStackRecord, stackRecord } from './docker-choice.ts'
import { lastFault } from './last-fault.ts'
import { addressOf, runningService, type ServiceRecord, unclaimService } from './service-record.ts'
import { FILLING_LINE, waitReady } from './wait-ready.ts'

export const help = `up: start the stores and the service in the background and wait until it is ready

  The first start of an embedded stack issues an API key named development and prints it.

  PORT       port to listen on (8080)
  HOST       address to listen on (127.0.0.1)
  DATA_DIR   where data and logs lie (.data); each has a stack of its own
  DATABASE_URL, REDIS_URL, CLICKHOUSE_URL   servers to use instead of the embedded ones
  STACK      docker: stores and service as containers (embedded); kept for the DATA_DIR
  API, INGEST, DELIVER   with STACK=docker, how many containers of each role (1); api containers take PORT and those after it`

/** The engine's files of a large store take a while to open. */
const patienceMs = 180_000

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const paths = prepareDataDir(config.dataDir)
  if (stackRecord(config.dataDir) === null) keepStackRecord(config.dataDir, { stack: 'embedded' })
  const wait = { waitMs: 600_000, onWait: (pid: number) => out.note(`waiting for process ${pid}, which is at the same DATA_DIR`) }
  await withLock(join(paths.run, 'up.lock'), wait, async () => {
    const running = runningService(config.dataDir)
    if (running !== null) await confirm(config, running, out)
    else await start(config, paths, out)
  })
}

/** The stack runs already. Asking for another address than it has is a fault. */
async function confirm(config: Config, running: ServiceRecord, out: Output): Promise<void> {
  if (running.port !== config.port || running.host !== config.host) {
    throw new Error(
      `already running at ${running.address} (HOST=${running.host} PORT=${running.port}), ` +
        `not at HOST=${config.host} PORT=${config.port}: make down first, or name another DATA_DIR`,
    )
  }
  const stores = await ensureStores(config, { keep: true, note: out.note })
  const outcome = await waitReady(running.address, () => isAlive(running), patienceMs)
  if (outcome !== 'ready' && outcome !== 'filling') {
    throw new Error(`the service (process ${running.pid}) runs at ${running.address} but is not ready; ` +
      `see ${config.dataDir}/logs/service.log`)
  }
  await report(out, outcome === 'filling' ? 'filling' : 'already running', config, running, stores)
}

async function start(config: Config, paths: DataPaths, out: Output): Promise<void> {
  await checkAddress(config)
  const stores = await ensureStores(config, { keep: true, note: out.note })
  registerStack(checkoutRoot(), { dataDir: config.dataDir, main: process.argv[1] ?? '' })
  const child = launch(paths)
  const undo = async () => {
    await endChild(child)
    unclaimService(config.dataDir)
    // Stores that ran before this call keep running.
    if (stores.postgres === 'started' || stores.redis === 'started') await stopStores(config.dataDir)
  }
  const interrupted = () => void undo().finally(() => process.exit(130))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const { service, isFilling } = await awaitService(config, child.process, paths)
    await report(out, isFilling ? 'filling' : 'started', config, service, stores)
  } catch (error) {
    const reason = (error as Error).message + said(paths, child.logStart)
    await undo()
    throw new Error(/EADDRINUSE/.test(reason) ? portTaken(config) : reason)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

interface Awaited { service: ServiceRecord; isFilling: boolean }

async function awaitService(config: Config, child: ChildProcess, paths: DataPaths): Promise<Awaited> {
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const outcome = await waitReady(addressOf(config.host, config.port), isRunning, patienceMs)
  const service = runningService(config.dataDir)
  const isUp = outcome === 'ready' || outcome === 'filling'
  if (isUp && service?.pid === child.pid && service !== null) return { service, isFilling: outcome === 'filling' }
  const what = outcome === 'late' ? 'is not ready in time' : 'ended while it started'
  throw new Error(`the service ${what}; see ${paths.serviceLog}`)
}

interface Launched {
  process: ChildProcess
  /** Where its part of the log begins. */
  logStart: number
}

function launch(paths: DataPaths): Launched {
  rotateLog(paths.serviceLog)
  const log = openSync(paths.serviceLog, 'a', 0o600)
  const logStart = statSync(paths.serviceLog).size
  const args = [...process.execArgv, '--enable-source-maps', process.argv[1] ?? '', 'serve']
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] })
  child.on('error', () => {})
  closeSync(log)
  child.unref()
  return { process: child, logStart }
}

async function endChild({ process: child }: Launched): Promise<void> {
  const identity = child.pid === undefined ? null : identify(child.pid)
  if (identity !== null) await stopProcess({ pid: child.pid!, identity }, [['SIGTERM', 25_000], ['SIGKILL', 5_000]])
}

/** The last fault the service logged. */
function said(paths: DataPaths, from: number): string {
  const fault = lastFault(readFileSync(paths.serviceLog).subarray(from).toString())
  return fault === '' ? '' : `: ${fault}`
}

/** Throws one line where a port can't be listened on. */
export async function checkAddress(address: { host: string; port: number }): Promise<void> {
  const { host, port } = address
  const fault = await whyNotListen(port, host)
  if (fault === null) return
  if (fault === 'EADDRINUSE') throw new Error(portTaken(address))
  const known: Record<string, string> = {
    EACCES: 'this user may not', EADDRNOTAVAIL: 'this machine has no such address', ENOTFOUND: 'no such host',
  }
  throw new Error(`can't listen on ${host} port ${port}: ${known[fault] ?? fault}`)
}

function portTaken({ host, port }: { host: string; port: number }): string {
  return `port ${port} on ${host} is taken by another program: choose another with PORT=`
}

async function report(out: Output, status: string, config: Config, service: ServiceRecord, stores: Stores): Promise<void> {
  const { address, pid, host, port } = service
  const fields = { status, address, host, port, pid, dataDir: config.dataDir, stores: { postgres: stores.postgres, redis: stores.redis } }
  const made = await developmentKey(config, stores.databaseUrl)
  const { id, key, webhookSecret } = made ?? {}
  out.result({ ...fields, ...(made && { developmentKey: { id, key, webhookSecret } }) }, [
    `${status === 'started' ? 'ready' : status === 'filling' ? 'running' : status} at ${address}`,
    ...(status === 'filling' ? [FILLING_LINE] : []),
    ...(made ? developmentKeyLines(made) : []),
  ], made ? [made.key, made.webhookSecret] : [])
}
