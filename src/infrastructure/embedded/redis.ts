// Embedded Redis under DATA_DIR, started detached so that it outlives the service. It is found by asking: a server
// that accepts our random password at the recorded port is ours, so no pid file has to be trusted.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DataPaths, explainDiskFault, rotateLog } from './data-dir.ts'
import { closeToOthers, makeFolder } from '../folders.ts'
import { readJson, writePrivate } from './files.ts'
import { findRedis, installRedis, type RedisProgram } from './redis-installer.ts'
import { converse, freePort } from './ports.ts'
import type { RunningStore } from './postgres/postgres.ts'
import { identify, isAlive, stopProcess, type ProcessRef } from './processes.ts'

/** Redis's own name of the folder of its append-only file. */
const APPENDED = 'appendonlydir'

interface RedisRecord {
  port: number
  password: string
  /** Absent between choosing a port and starting. */
  process?: ProcessRef
}

/** Reads the record, or if it is lost Redis's own configuration, which has the port and the password as well. */
function recordOf(paths: DataPaths): RedisRecord | null {
  const record = readJson<RedisRecord>(paths.redisRecord)
  if (record !== null) return record
  try {
    const text = readFileSync(configurationPath(paths), 'utf8')
    const [port, password] = [/^port (\d+)$/m.exec(text)?.[1], /^requirepass (\S+)$/m.exec(text)?.[1]]
    return port && password ? { port: Number(port), password } : null
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
  const pid = (await ask(record))?.pid ?? 0
  const identity = identify(pid)
  return identity === null ? null : { pid, identity }
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
    if (await whenReady(known, running)) return store({ ...known, process: running }, running.pid, 'adopted')
    if (isAlive(running))
      throw new Error(`Redis (process ${running.pid}) runs but does not answer; see ${paths.logs}/redis.log`)
  }
  const install = { isAllowed: isInstallAllowed, logPath: join(paths.logs, 'install-redis.log'), note }
  const program = findRedis() ?? installRedis(install)
  const password = known?.password ?? randomBytes(24).toString('hex')
  for (let attempt = 1; ; attempt += 1) {
    const record = { port: await freePort(attempt === 1 ? known?.port : undefined), password }
    try {
      return await launch(paths, program, record)
    } catch (error) {
      // Between the check and the start another process can have taken the port.
      if (attempt === 3 || !/Address already in use|listen/i.test((error as Error).message)) throw error
    }
  }
}

/** Stops the server; returns false if none ran. SIGTERM: it writes its append-only file before it ends. */
export async function stopRedis(paths: DataPaths): Promise<boolean> {
  const running = await findRedisServer(paths)
  if (running === null) return false
  await stopProcess(running, [
    ['SIGTERM', 15_000],
    ['SIGKILL', 5_000],
  ])
  return true
}

async function launch(paths: DataPaths, program: RedisProgram, record: RedisRecord): Promise<RunningStore> {
  const logPath = join(paths.logs, 'redis.log')
  let before = 0
  try {
    makeFolder(paths.redis, 0o700)
    // A former version left it open.
    if (existsSync(join(paths.redis, APPENDED))) closeToOthers(join(paths.redis, APPENDED))
    rotateLog(logPath)
    before = statSync(logPath, { throwIfNoEntry: false })?.size ?? 0
    writePrivate(configurationPath(paths), configuration(paths, record, logPath))
    // Before the start: if this process is killed, the server is found by its port and password.
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
    if (await whenReady(record, process)) return store(record, process.pid, 'started')
    if (isAlive(process))
      await stopProcess(process, [
        ['SIGTERM', 5_000],
        ['SIGKILL', 5_000],
      ])
  }
  const reason = lastFault(logPath, before) ?? 'it does not answer'
  throw explainDiskFault(new Error(`Redis did not start: ${reason}; see ${logPath}`), paths.root)
}

function configuration(paths: DataPaths, { port, password }: RedisRecord, logPath: string): string {
  const quoted = (text: string) => JSON.stringify(text)
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    'protected-mode yes',
    `requirepass ${password}`,
    'daemonize no',
    'supervised no',
    `dir ${quoted(paths.redis)}`,
    `logfile ${quoted(logPath)}`,
    `pidfile ${quoted(join(paths.run, 'redis.pid'))}`,
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
async function whenReady(record: RedisRecord, server: ProcessRef): Promise<boolean> {
  let heard = performance.now()
  while (isAlive(server) && performance.now() - heard < 20_000) {
    const answer = await ask(record)
    if (answer?.loading === false) return true
    if (answer !== null) heard = performance.now()
    await sleep(40)
  }
  return false
}

function ask({ port, password }: RedisRecord): Promise<{ pid: number; loading: boolean } | null> {
  return converse(
    { host: '127.0.0.1', port, timeoutMs: 2_000 },
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

function store({ port, password }: RedisRecord, pid: number, how: RunningStore['how']): RunningStore {
  return { url: `redis://:${password}@127.0.0.1:${port}`, port, pid, how }
}
