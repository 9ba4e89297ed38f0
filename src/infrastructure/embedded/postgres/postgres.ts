// Embedded PostgreSQL under DATA_DIR, started detached so that it outlives the service, and found by its own
// postmaster.pid. Only on 127.0.0.1 with a random password: a socket file's path can be at most 107 bytes long.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataPaths, explainDiskFault, rotateLog } from '../data-dir.ts'
import { readJson, writePrivate } from '../files.ts'
import { converse, freePort } from '../ports.ts'
import { databaseName, postgresEnvironment, type PostgresRecord, type PostgresSetup, setUpPostgres } from './setup.ts'
import { commandLine, identify, isAlive, stopProcess, waitForExit, type ProcessRef } from '../processes.ts'

export interface RunningStore {
  url: string
  port: number
  pid: number
  how: 'started' | 'adopted'
}

// fsync stays on: everything else is rebuilt from this ledger.
const settings = (port: number) => [
  `port=${port}`,
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
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
  return record === null ? null : url(record)
}

/** Starts PostgreSQL, creating the database first, or takes over the running one. `note` gets what takes long. */
export async function startPostgres(paths: DataPaths, note: (text: string) => void): Promise<RunningStore> {
  const running = findPostgres(paths)
  const adopted = running === null ? null : await adopt(paths, running)
  if (adopted !== null) return adopted
  const setup = setUpPostgres(paths, note)
  dropForeignPid(paths)
  const begun = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(attempt === 1 && setup.record.port > 0 ? setup.record.port : undefined)
    const record = { ...setup.record, port }
    writePrivate(paths.postgresRecord, JSON.stringify(record))
    try {
      return await launch(paths, setup, record)
    } catch (error) {
      const { message } = error as Error
      if (/lock file|shared memory block/.test(message) && performance.now() - begun < DYING_MS) {
        await letDie(paths, performance.now() - begun > DYING_MS / 2)
        attempt -= 1
        continue
      }
      // Between the check and the start another process can have taken the port.
      if (attempt === 3 || !/TCP\/IP sockets/.test(message)) throw error
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
  await stopProcess(running, [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ])
  return true
}

async function adopt(paths: DataPaths, running: ProcessRef): Promise<RunningStore | null> {
  const record = readJson<PostgresRecord>(paths.postgresRecord)
  const status = await whenReady(paths, running, 60_000)
  if (status === 'gone' || (status === 'stopping' && (await waitForExit(running, 30_000)))) return null
  if (status !== 'ready' || record === null) {
    const silent = status === 'stopping' ? 'is shutting down and does not end' : 'runs but does not answer'
    const what = status === 'ready' ? `runs but ${paths.postgresRecord} is lost: make down, then up` : silent
    throw new Error(`PostgreSQL (process ${running.pid}) ${what}; see ${paths.logs}/postgres.log`)
  }
  return { url: url(record), port: record.port, pid: running.pid, how: 'adopted' }
}

type ServerState = 'ready' | 'stopping' | 'gone' | 'silent'

async function whenReady(paths: DataPaths, postmaster: ProcessRef, ms: number): Promise<ServerState> {
  const deadline = performance.now() + ms
  while (performance.now() < deadline) {
    if (!isAlive(postmaster)) return 'gone'
    // Lines 4 and 8: the port and, once it accepts connections, "ready".
    const lines = postmasterFile(paths)
    if (lines[7] === 'stopping') return 'stopping'
    if (lines[7] === 'ready' && (await answers(Number(lines[3])))) return 'ready'
    await sleep(40)
  }
  return 'silent'
}

/** Sends an SSLRequest, which any PostgreSQL answers with one byte before authentication. */
async function answers(port: number): Promise<boolean> {
  const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
  const decide = (received: string) => (received === '' ? null : /^[SN]/.test(received))
  return (await converse({ host: '127.0.0.1', port, timeoutMs: 2_000 }, request, decide)) ?? false
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
  record: PostgresRecord,
): Promise<RunningStore> {
  const logPath = join(paths.logs, 'postgres.log')
  rotateLog(logPath)
  const log = openSync(logPath, 'a', 0o600)
  const before = statSync(logPath).size
  const options = settings(record.port).flatMap((one) => ['-c', one])
  const [file, args] = runAs.command(binaries.postgres, ['-D', paths.postgres, ...options])
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  const child = spawn(file, args, { ...runAs.options, cwd: '/', env: postgresEnvironment, detached: true, stdio })
  child.on('error', () => {})
  child.unref()
  closeSync(log)
  const identity = child.pid === undefined ? null : identify(child.pid)
  const readiness = identity === null ? 'gone' : await whenReady(paths, { pid: child.pid!, identity }, 120_000)
  if (readiness === 'ready') return { url: url(record), port: record.port, pid: child.pid!, how: 'started' }
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

function url({ port, password }: PostgresRecord): string {
  return `postgresql://${databaseName}:${password}@127.0.0.1:${port}/${databaseName}`
}
