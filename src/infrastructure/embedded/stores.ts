// Starts or adopts the embedded stores that a command needs, and releases them. Every user leaves a mark under
// run/users; the last to leave stops what was started, unless `make up` set them to stay.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataPaths, type DataPaths, prepareDataDir, requireOwnDataDir } from './data-dir.ts'
import { readJson, withLock, writePrivate } from './files.ts'
import { converse, serverTarget } from './ports.ts'
import { findPostgres, postgresSocket, startPostgres, stopPostgres } from './postgres/postgres.ts'
import { isAlive, type ProcessRef, processRef } from './processes.ts'
import { findRedisServer, redisSocket, startRedis, stopRedis } from './redis.ts'

/** The settings that `ensureStores` reads; null is the embedded store. */
export interface StoresWanted {
  dataDir: string
  databaseUrl: string | null
  redisUrl: string | null
  /** Whether Redis may be installed with the system's package manager if none is found; true if not given. */
  redisInstall?: boolean
}

export interface Stores {
  databaseUrl: string
  redisUrl: string
  postgres: StoreSource
  redis: StoreSource
  /**
   * Stops the embedded stores if this was their last user and `make up` did not set them to stay. Can be called
   * twice.
   */
  release(): Promise<void>
}

type StoreSource = 'started' | 'adopted' | 'external'

type ServerVariable = 'DATABASE_URL' | 'REDIS_URL' | 'CLICKHOUSE_URL'

interface EnsureOptions {
  /** They stay when the last user leaves, until `stopStores`. */
  keep?: boolean
  /** Servers that must answer now, both if not given. The others are not checked. */
  probe?: ServerVariable[]
  /** Called before what takes long or changes the system, such as an installation. */
  note?: (text: string) => void
}

/** Throws one clear line if a store is not available; nothing this call started is left running then. */
export async function ensureStores(wanted: StoresWanted, options: EnsureOptions = {}): Promise<Stores> {
  const { note = () => {}, probe = ['DATABASE_URL', 'REDIS_URL'] } = options
  const external = async (variable: ServerVariable, url: string) => {
    if (probe.includes(variable)) await probeServer(variable, url)
    return { url, how: 'external' as const }
  }
  const isEmbedded = wanted.databaseUrl === null || wanted.redisUrl === null
  if (isEmbedded) requireOwnDataDir(wanted.dataDir)
  const paths = prepareDataDir(wanted.dataDir)
  // Then no store runs here that would have to be kept or stopped, and other containers can share the folder.
  if (wanted.databaseUrl !== null && wanted.redisUrl !== null) {
    const [database, redis] = await Promise.all([
      external('DATABASE_URL', wanted.databaseUrl),
      external('REDIS_URL', wanted.redisUrl),
    ])
    return {
      databaseUrl: database.url,
      redisUrl: redis.url,
      postgres: 'external',
      redis: 'external',
      release: async () => {},
    }
  }
  const mark = join(paths.run, 'users', `${randomUUID()}.json`)
  return withLock(join(paths.run, 'stores.lock'), patience(note), async () => {
    mkdirSync(join(paths.run, 'users'), { recursive: true })
    dropDeadMarks(paths)
    writePrivate(mark, JSON.stringify(processRef()))
    const keptBefore = existsSync(keepMark(paths))
    if (options.keep === true) writeFileSync(keepMark(paths), '', { mode: 0o600 })
    const [postgres, redis] = await Promise.allSettled([
      wanted.databaseUrl === null ? startPostgres(paths, note) : external('DATABASE_URL', wanted.databaseUrl),
      wanted.redisUrl === null ? startRedis(paths, note, wanted.redisInstall) : external('REDIS_URL', wanted.redisUrl),
    ])
    if (postgres.status === 'rejected' || redis.status === 'rejected') {
      if (options.keep === true && !keptBefore) rmSync(keepMark(paths), { force: true })
      await letGo(paths, mark)
      throw postgres.status === 'rejected' ? postgres.reason : (redis as PromiseRejectedResult).reason
    }
    return {
      databaseUrl: postgres.value.url,
      redisUrl: redis.value.url,
      postgres: postgres.value.how,
      redis: redis.value.how,
      release: () => withLock(join(paths.run, 'stores.lock'), patience(note), () => letGo(paths, mark)),
    }
  })
}

/** Stops the embedded stores of this DATA_DIR, whichever process started them. Returns which ran. */
export async function stopStores(
  dataDir: string,
  note: (text: string) => void = () => {},
): Promise<{ postgres: boolean; redis: boolean }> {
  const paths = dataPaths(dataDir)
  if (!existsSync(paths.root)) return { postgres: false, redis: false }
  return withLock(join(paths.run, 'stores.lock'), patience(note), async () => {
    rmSync(keepMark(paths), { force: true })
    return await stopBoth(paths)
  })
}

/** Stops the embedded Redis alone, whichever process started it. */
export async function stopRedisOf(dataDir: string): Promise<void> {
  const paths = dataPaths(dataDir)
  await withLock(
    join(paths.run, 'stores.lock'),
    patience(() => {}),
    () => stopRedis(paths),
  )
}

export type EmbeddedStore = 'postgres' | 'redis'

export interface FoundStore extends ProcessRef {
  /** Path of its socket; null where its record is lost. */
  socket: string | null
}

/** Returns the processes of the running embedded stores. */
export async function findStores(dataDir: string): Promise<Record<EmbeddedStore, FoundStore | null>> {
  const paths = dataPaths(dataDir)
  const [postgres, redis] = [findPostgres(paths), await findRedisServer(paths)]
  return {
    postgres: postgres && { ...postgres, socket: postgresSocket(paths) },
    redis: redis && { ...redis, socket: redisSocket(paths) },
  }
}

/** Starts a store that has died under its users; does nothing if another process was first. Returns its pid. */
export async function restartStore(dataDir: string, store: EmbeddedStore): Promise<number> {
  const paths = dataPaths(dataDir)
  // A new and empty one would be taken for the one that was lost.
  if (!existsSync(paths[store])) throw new Error(`${paths[store]} is gone`)
  const unnoted = () => {}
  return withLock(join(paths.run, 'stores.lock'), patience(unnoted), async () => {
    const { pid } = await (store === 'postgres' ? startPostgres(paths, unnoted) : startRedis(paths, unnoted, false))
    return pid
  })
}

async function letGo(paths: DataPaths, mark: string): Promise<void> {
  rmSync(mark, { force: true })
  if (existsSync(keepMark(paths)) || dropDeadMarks(paths) > 0) return
  await stopBoth(paths)
}

async function stopBoth(paths: DataPaths): Promise<{ postgres: boolean; redis: boolean }> {
  const [postgres, redis] = await Promise.all([stopPostgres(paths), stopRedis(paths)])
  return { postgres, redis }
}

/** Removes the marks of killed users and returns the number of users left. */
function dropDeadMarks(paths: DataPaths): number {
  const folder = join(paths.run, 'users')
  if (!existsSync(folder)) return 0
  return readdirSync(folder).filter((name) => {
    const user = readJson<ProcessRef>(join(folder, name))
    if (user !== null && isAlive(user)) return true
    rmSync(join(folder, name), { force: true })
    return false
  }).length
}

/**
 * Checks that something answers at a server set by the operator, so that a wrong address fails here with one line.
 */
export async function probeServer(variable: ServerVariable, url: string): Promise<void> {
  const target = serverTarget(url)
  const reached = await converse({ ...target, timeoutMs: 5_000 }, '', () => true)
  const shown = 'path' in target ? target.path : `${target.host}:${target.port}`
  if (reached === null) throw new Error(`${variable}: nothing answers at ${shown}`)
}

function keepMark(paths: DataPaths): string {
  return join(paths.run, 'keep')
}

function patience(note: (text: string) => void) {
  return {
    waitMs: 180_000,
    onWait: (pid: number) => note(`waiting for process ${pid}, which is starting or stopping the stores`),
  }
}
