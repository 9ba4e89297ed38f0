// Embedded Redis under DATA_DIR, started detached so that it outlives the service. It listens on a Unix socket alone,
// see sockets.ts.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataPaths, explainDiskFault, rotateLog } from './data-dir.ts'
import { makeFolder } from '../folders.ts'
import { readJson, writePrivate } from './files.ts'
import { findRedis, installRedis, type RedisProgram } from './redis-installer.ts'
import { converse } from './ports.ts'
import type { RunningStore } from './postgres/postgres.ts'
import { identify, isAlive, stopProcess, storeEnvironment, type ProcessRef } from './processes.ts'
import { dropSocketFolder, makeSocketFolder } from './sockets.ts'
import { requirePrivate } from '../private-folder.ts'

const SOCKET = 'redis.sock'

interface RedisRecord {
  /** Path of the socket. */
  socket: string
  password: string
  /** Absent until it is started. */
  process?: ProcessRef
}

/** Reads the record, or if it is lost Redis's own configuration, which has the socket and the password as well. */
function recordOf(paths: DataPaths): RedisRecord | null {
  const record = readJson<RedisRecord>(paths.redisRecord)
  if (record !== null) return record
  try {
    const text = readFileSync(configurationPath(paths), 'utf8')
    const [socket, password] = [/^unixsocket (".*")$/m.exec(text)?.[1], /^requirepass (\S+)$/m.exec(text)?.[1]]
    return password && socket ? { password, socket: JSON.parse(socket) as string } : null
  } catch {
    return null
  }
}

const configurationPath = (paths: DataPaths): string => join(paths.redis, 'redis.conf')

/** Returns the server of this DATA_DIR, or null. One that hangs counts. */
export async function findRedisServer(paths: DataPaths): Promise<ProcessRef | null> {
  const record = recordOf(paths)
  if (record === null) return null
  if (record.process !== undefined && isAlive(record.process)) return record.process
  // The process that started it can have been killed before it recorded the pid.
  const pid = (await ask(paths, record).catch(() => null))?.pid ?? pidOfFile(paths)
  const identity = identify(pid)
  return identity === null ? null : { pid, identity }
}

/** Returns the pid that Redis itself wrote, 0 if that process is another by now. */
function pidOfFile(paths: DataPaths): number {
  try {
    const pid = Number(readFileSync(pidPath(paths), 'utf8'))
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(paths.redis) ? pid : 0
  } catch {
    return 0
  }
}

const pidPath = (paths: DataPaths): string => join(paths.run, 'redis.pid')

/** Returns the path of the socket; null if none was made. */
export function redisSocket(paths: DataPaths): string | null {
  return recordOf(paths)?.socket ?? null
}

/** Starts Redis or takes over the running one. If none is installed, installs it if `isInstallAllowed`. */
export async function startRedis(
  paths: DataPaths,
  note: (text: string) => void,
  isInstallAllowed = true,
): Promise<RunningStore> {
  const known = recordOf(paths)
  const running = await findRedisServer(paths)
  if (running !== null && known !== null) {
    if (await whenReady(paths, known, running)) return store(paths, known, running.pid, 'adopted')
    if (isAlive(running))
      throw new Error(`Redis (process ${running.pid}) runs but does not answer; see ${paths.logs}/redis.log`)
  }
  const install = { isAllowed: isInstallAllowed, logPath: join(paths.logs, 'install-redis.log'), note }
  const program = findRedis() ?? installRedis(install)
  return launch(paths, program, known)
}

/** Stops the server; returns false if none ran. SIGTERM: it writes its append-only file before it ends. */
export async function stopRedis(paths: DataPaths): Promise<boolean> {
  const running = await findRedisServer(paths)
  if (running === null) return false
  await stop(running)
  const socket = redisSocket(paths)
  if (socket !== null) dropSocketFolder({ data: paths.redis }, dirname(socket))
  return true
}

async function stop(running: ProcessRef): Promise<void> {
  await stopProcess(running, [
    ['SIGTERM', 15_000],
    ['SIGKILL', 5_000],
  ])
}

async function launch(paths: DataPaths, program: RedisProgram, known: RedisRecord | null): Promise<RunningStore> {
  const logPath = join(paths.logs, 'redis.log')
  let before = 0
  let record: RedisRecord
  try {
    makeFolder(paths.redis, 0o700)
    chmodSync(paths.redis, 0o700)
    const place = { data: paths.redis, name: SOCKET }
    const socket = join(makeSocketFolder(place, known?.socket && dirname(known.socket)), SOCKET)
    requirePrivate(dirname(socket), paths.redis)
    record = { socket, password: known?.password ?? randomBytes(24).toString('hex') }
    rotateLog(logPath)
    before = statSync(logPath, { throwIfNoEntry: false })?.size ?? 0
    writePrivate(configurationPath(paths), configuration(paths, record, logPath))
    // Before the start: if this process is killed, the server is found by its socket and password.
    writePrivate(paths.redisRecord, JSON.stringify(record))
  } catch (error) {
    throw explainDiskFault(error, paths.root)
  }
  // Redis writes its log itself, but configuration errors go to stderr.
  const log = openSync(logPath, 'a', 0o600)
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  // Its files are readable by their owner alone.
  const others = process.umask(0o077)
  const child = spawn(executable(paths, program), [configurationPath(paths)], {
    cwd: paths.redis,
    env: storeEnvironment,
    detached: true,
    stdio,
  })
  process.umask(others)
  child.on('error', () => {})
  child.unref()
  closeSync(log)
  const identity = child.pid === undefined ? null : identify(child.pid)
  if (identity !== null) {
    const process = { pid: child.pid!, identity }
    writePrivate(paths.redisRecord, JSON.stringify({ ...record, process }))
    if (await whenReady(paths, record, process)) return store(paths, record, process.pid, 'started')
    if (isAlive(process))
      await stopProcess(process, [
        ['SIGTERM', 5_000],
        ['SIGKILL', 5_000],
      ])
  }
  const reason = lastFault(logPath, before) ?? 'it does not answer'
  throw explainDiskFault(new Error(`Redis did not start: ${reason}; see ${logPath}`), paths.root)
}

function configuration(paths: DataPaths, { socket, password }: RedisRecord, logPath: string): string {
  const quoted = (text: string) => JSON.stringify(text)
  return [
    'port 0',
    `unixsocket ${quoted(socket)}`,
    'unixsocketperm 700',
    `requirepass ${password}`,
    'daemonize no',
    'supervised no',
    `dir ${quoted(paths.redis)}`,
    `logfile ${quoted(logPath)}`,
    `pidfile ${quoted(pidPath(paths))}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'databases 16',
    '',
  ].join('\n')
}

// Through a link, so that process lists, which show the file's name and not the first argument, say redis-server.
function executable(paths: DataPaths, program: RedisProgram): string {
  if (!program.needsName) return program.path
  const link = join(paths.redis, 'redis-server')
  rmSync(link, { force: true })
  symlinkSync(program.path, link)
  return link
}

/**
 * Waits until the server is ready. Loading a large append-only file takes time, so only silence counts as failure.
 */
async function whenReady(paths: DataPaths, record: RedisRecord, server: ProcessRef): Promise<boolean> {
  let heard = performance.now()
  while (isAlive(server) && performance.now() - heard < 20_000) {
    const answer = await ask(paths, record)
    if (answer?.loading === false) return true
    if (answer !== null) heard = performance.now()
    await sleep(40)
  }
  return false
}

async function ask(
  paths: DataPaths,
  { socket, password }: RedisRecord,
): Promise<{ pid: number; loading: boolean } | null> {
  requirePrivate(dirname(socket), paths.redis)
  return converse(
    { path: socket, timeoutMs: 2_000 },
    `AUTH ${password}\r\nINFO server\r\nINFO persistence\r\n`,
    (said) => {
      const pid = /^process_id:(\d+)/m.exec(said)
      const loading = /^loading:(\d)/m.exec(said)
      return pid === null || loading === null ? null : { pid: Number(pid[1]), loading: loading[1] === '1' }
    },
  )
}

function lastFault(logPath: string, before: number): string | undefined {
  try {
    const lines = readFileSync(logPath, 'latin1').slice(before).split('\n')
    return lines
      .findLast((line) => / # |error|fatal/i.test(line))
      ?.replace(/^.*? # /, '')
      .trim()
  } catch {
    return undefined
  }
}

function store(
  paths: DataPaths,
  { socket, password }: RedisRecord,
  pid: number,
  how: RunningStore['how'],
): RunningStore {
  requirePrivate(dirname(socket), paths.redis)
  return { url: `redis://:${password}@${encodeURIComponent(socket)}`, pid, how }
}
