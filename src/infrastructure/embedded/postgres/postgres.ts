// Embedded PostgreSQL under DATA_DIR, started detached so that it outlives the service, and found by its own
// postmaster.pid. It listens on a Unix socket alone, see sockets.ts.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataPaths, explainDiskFault, rotateLog } from '../data-dir.ts'
import { readJson, writePrivate } from '../files.ts'
import { converse } from '../ports.ts'
import { dropSocketFolder, makeSocketFolder } from '../sockets.ts'
import { databaseName, roleName, type PostgresRecord, type PostgresSetup, setUpPostgres } from './setup.ts'
import {
  commandLine,
  identify,
  isAlive,
  stopProcess,
  storeEnvironment,
  waitForExit,
  type ProcessRef,
} from '../processes.ts'
import { requirePrivate } from '../../private-folder.ts'

export interface RunningStore {
  url: string
  pid: number
  how: 'started' | 'adopted'
}

/** Part of the socket's name; nothing listens on such a port. */
const PORT = 5432
const SOCKET = `.s.PGSQL.${PORT}`

// fsync stays on: everything else is rebuilt from this ledger.
const settings = (sockets: string) => [
  `port=${PORT}`,
  'listen_addresses=',
  // A list of names in quotes.
  `unix_socket_directories="${sockets.replaceAll('"', '""')}"`,
  'unix_socket_permissions=0700',
  'max_connections=50',
  'shared_buffers=64MB',
  'log_checkpoints=off',
  'timezone=UTC',
  'log_timezone=UTC',
  'cluster_name=insider',
]

/** Returns the postmaster of this DATA_DIR, or null. */
export function findPostgres(paths: DataPaths): ProcessRef | null {
  const pid = Number(postmasterFile(paths)[0])
  const identity = identify(pid)
  if (identity === null) return null
  const data = realpathSync(paths.postgres)
  const isOurs = commandLine(pid).some((word) => word === data || word.includes(`-D ${data} `))
  return isOurs ? { pid, identity } : null
}

/** Returns the address of the running server; null if none runs, or its password is lost. */
export function findPostgresUrl(paths: DataPaths): string | null {
  const record = findPostgres(paths) === null ? null : readJson<PostgresRecord>(paths.postgresRecord)
  return record?.sockets === undefined ? null : url(paths, record.password, record.sockets)
}

/** Returns the path of the socket; null if none was made. */
export function postgresSocket(paths: DataPaths): string | null {
  const sockets = readJson<PostgresRecord>(paths.postgresRecord)?.sockets
  return sockets === undefined ? null : join(sockets, SOCKET)
}

/** Starts PostgreSQL, creating the database first, or takes over the running one. `note` gets what takes long. */
export async function startPostgres(paths: DataPaths, note: (text: string) => void): Promise<RunningStore> {
  const running = findPostgres(paths)
  const adopted = running === null ? null : await adopt(paths, running)
  if (adopted !== null) return adopted
  dropForeignPid(paths)
  const begun = performance.now()
  for (;;) {
    try {
      const setup = setUpPostgres(paths, note)
      const place = { data: paths.postgres, name: SOCKET }
      const record = { ...setup.record, sockets: makeSocketFolder(place, setup.record.sockets) }
      requirePrivate(record.sockets, paths.postgres)
      writePrivate(paths.postgresRecord, JSON.stringify(record))
      return await launch(paths, setup, record)
    } catch (error) {
      const isDying = /lock file|shared memory block/.test((error as Error).message)
      if (!isDying || performance.now() - begun > DYING_MS) throw error
      await letDie(paths, performance.now() - begun > DYING_MS / 2)
    }
  }
}

// A killed server counts as alive for PostgreSQL until its parent has reaped it and its own children are gone, which
// takes seconds under load, and never happens if the first process of a container reaps nothing.
const DYING_MS = 20_000

async function letDie(paths: DataPaths, long: boolean): Promise<void> {
  const pid = Number(postmasterFile(paths)[0])
  if (long && identify(pid) === null) rmSync(join(paths.postgres, 'postmaster.pid'), { force: true })
  await sleep(250)
}

/** Stops the server; returns false if none ran. Fast shutdown: clients are cut off, nothing committed is lost. */
export async function stopPostgres(paths: DataPaths): Promise<boolean> {
  const running = findPostgres(paths)
  if (running === null) return false
  await stop(running)
  const sockets = readJson<PostgresRecord>(paths.postgresRecord)?.sockets
  if (sockets !== undefined) dropSocketFolder({ data: paths.postgres }, sockets)
  return true
}

async function stop(running: ProcessRef): Promise<void> {
  await stopProcess(running, [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ])
}

async function adopt(paths: DataPaths, running: ProcessRef): Promise<RunningStore | null> {
  const record = readJson<PostgresRecord>(paths.postgresRecord)
  const sockets = record?.sockets ?? postmasterFile(paths)[4] ?? ''
  const status = await whenReady(paths, running, sockets, 60_000)
  if (status === 'gone' || (status === 'stopping' && (await waitForExit(running, 30_000)))) return null
  if (status !== 'ready' || record === null) {
    const silent = status === 'stopping' ? 'is shutting down and does not end' : 'runs but does not answer'
    const what = status === 'ready' ? `runs but ${paths.postgresRecord} is lost: make down, then up` : silent
    throw new Error(`PostgreSQL (process ${running.pid}) ${what}; see ${paths.logs}/postgres.log`)
  }
  return { url: url(paths, record.password, sockets), pid: running.pid, how: 'adopted' }
}

type ServerState = 'ready' | 'stopping' | 'gone' | 'silent'

async function whenReady(paths: DataPaths, postmaster: ProcessRef, sockets: string, ms: number): Promise<ServerState> {
  const deadline = performance.now() + ms
  while (performance.now() < deadline) {
    if (!isAlive(postmaster)) return 'gone'
    // Line 8: once it accepts connections, "ready".
    const lines = postmasterFile(paths)
    if (lines[7] === 'stopping') return 'stopping'
    if (lines[7] === 'ready' && (await answers(join(sockets, SOCKET)))) return 'ready'
    await sleep(40)
  }
  return 'silent'
}

/** Sends an SSLRequest, which any PostgreSQL answers with one byte before authentication. */
async function answers(path: string): Promise<boolean> {
  const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
  const decide = (received: string) => (received === '' ? null : /^[SN]/.test(received))
  return (await converse({ path, timeoutMs: 2_000 }, request, decide)) ?? false
}

// Removes the pid file if another process has its pid by now: PostgreSQL refuses to start while that pid is alive.
function dropForeignPid(paths: DataPaths): void {
  const pid = Number(postmasterFile(paths)[0])
  if (identify(pid) !== null && findPostgres(paths) === null)
    rmSync(join(paths.postgres, 'postmaster.pid'), { force: true })
}

async function launch(
  paths: DataPaths,
  { binaries, runAs }: PostgresSetup,
  { password, sockets }: Required<PostgresRecord>,
): Promise<RunningStore> {
  const logPath = join(paths.logs, 'postgres.log')
  rotateLog(logPath)
  const log = openSync(logPath, 'a', 0o600)
  const before = statSync(logPath).size
  const options = settings(sockets).flatMap((one) => ['-c', one])
  const [file, args] = runAs.command(binaries.postgres, ['-D', paths.postgres, ...options])
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  const child = spawn(file, args, { ...runAs.options, cwd: '/', env: storeEnvironment, detached: true, stdio })
  child.on('error', () => {})
  child.unref()
  closeSync(log)
  const identity = child.pid === undefined ? null : identify(child.pid)
  const readiness = identity === null ? 'gone' : await whenReady(paths, { pid: child.pid!, identity }, sockets, 120_000)
  if (readiness === 'ready') return { url: url(paths, password, sockets), pid: child.pid!, how: 'started' }
  if (readiness === 'silent') child.kill('SIGQUIT')
  const reason = lastFault(readFileSync(logPath, 'latin1').slice(before)) ?? 'it does not answer'
  throw explainDiskFault(new Error(`PostgreSQL did not start: ${reason}; see ${logPath}`), paths.root)
}

function lastFault(log: string): string | undefined {
  return log
    .split('\n')
    .findLast((line) => /FATAL|PANIC|error/i.test(line))
    ?.replace(/^.*?(FATAL|PANIC|ERROR): +/, '')
}

function postmasterFile(paths: DataPaths): string[] {
  try {
    return readFileSync(join(paths.postgres, 'postmaster.pid'), 'utf8')
      .split('\n')
      .map((line) => line.trim())
  } catch {
    return []
  }
}

/** Throws if another user could listen at the socket. */
function url(paths: DataPaths, password: string, sockets: string): string {
  requirePrivate(sockets, paths.postgres)
  return `postgresql://${roleName}:${password}@${encodeURIComponent(sockets)}:${PORT}/${databaseName}`
}
