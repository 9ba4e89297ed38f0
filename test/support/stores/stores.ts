// The stores that tests run against, each a server that a variable names, else a container where a Docker engine
// answers and the image can be had, else the embedded engine: started once for the whole run, told in one line, stopped
// at its end. Each caller gets a database of its own and an emptied Redis database.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Mocha from 'mocha'
import pg from 'pg'
import { createClient } from 'redis'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ensureStores, stopStores } from '../../../src/infrastructure/embedded/stores.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { redisOptions } from '../../../src/infrastructure/redis/client.ts'
import { type Containers, startContainers, type StoreName } from './containers.ts'
import { asSuperuser } from './embedded.ts'
import { isAlive } from '../service/processes/is-alive.ts'

export interface TestStores {
  databaseUrl: string
  redisUrl: string
}

interface Running {
  databaseUrl: string
  redisUrl: string
  /** Null: the engine in the process of the tests. */
  clickHouseUrl: string | null
  release(): Promise<void>
}

const VARIABLES: Record<StoreName, string> = {
  PostgreSQL: 'TEST_DATABASE_URL',
  Redis: 'TEST_REDIS_URL',
  ClickHouse: 'TEST_CLICKHOUSE_URL',
}
const STORES = Object.keys(VARIABLES) as StoreName[]
const named = (store: StoreName) => process.env[VARIABLES[store]] || null

// Process ids come again, and on a named server a killed run leaves its databases.
const run = `test_${randomBytes(4).toString('hex')}`
const made = { postgres: [] as string[], redis: 0, clickHouse: [] as string[] }
let running: Promise<Running> | undefined
let template: Promise<string> | undefined

/**
 * Returns a migrated, empty database and an emptied Redis database, each the caller's own. Where nothing is started
 * yet, this takes seconds, and minutes where images are pulled.
 */
export async function stores(): Promise<TestStores> {
  const { databaseUrl, redisUrl } = await (running ??= start())
  const source = await (template ??= migratedTemplate(databaseUrl))
  const name = newDatabase()
  await inTurn(() => administer(databaseUrl, [`CREATE DATABASE ${name} TEMPLATE ${source}`]))
  return { databaseUrl: withPath(databaseUrl, name), redisUrl: await emptied(redisUrl) }
}

/** Creates the database that all others are copies of: copying one takes a fifth of the time of migrating it. */
async function migratedTemplate(databaseUrl: string): Promise<string> {
  const name = newDatabase()
  await administer(databaseUrl, [`CREATE DATABASE ${name}`])
  const pool = openPool({ url: withPath(databaseUrl, name), name: 'test', max: 1 })
  await migratePostgres(pool).finally(() => pool.end())
  return name
}

function newDatabase(): string {
  const name = `${run}_${made.postgres.length + 1}`
  made.postgres.push(name)
  return name
}

let lastCopy: Promise<unknown> = Promise.resolve()

/** Runs one after the other: PostgreSQL refuses to copy a database that another session is copying. */
function inTurn<T>(copy: () => Promise<T>): Promise<T> {
  const copied = lastCopy.then(copy)
  lastCopy = copied.catch(() => {})
  return copied
}

/** A Redis database of the caller's own, emptied; alone where PostgreSQL is not needed. */
export async function ownRedis(): Promise<string> {
  return emptied((await (running ??= start())).redisUrl)
}

/** The server to use, null for the engine in this process, and the name of a database that is not there yet. */
export async function ownClickHouse(): Promise<{ url: string | null; database: string }> {
  const { clickHouseUrl } = await (running ??= start())
  const database = `${run}_${made.clickHouse.length + 1}`
  made.clickHouse.push(database)
  return { url: clickHouseUrl, database }
}

/**
 * What is here need not outlive a crash of the machine. Not on a server that a variable names, which serves others too.
 */
const WITHOUT_SYNC = [
  ...['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => `ALTER SYSTEM SET ${name} = off`),
  'SELECT pg_reload_conf()',
]
const WITH_DATABASES = 'ALTER ROLE insider_service CREATEDB'

async function start(): Promise<Running> {
  const choice = process.env.TEST_STORES || 'any'
  if (!['any', 'containers', 'embedded'].includes(choice)) {
    throw new Error(`TEST_STORES must be containers or embedded, not "${choice}"`)
  }
  const wanted = choice === 'embedded' ? [] : STORES.filter((store) => named(store) === null)
  const containers = wanted.length > 0 ? await startContainers(wanted) : null
  const faults = containers?.faults ?? []
  if (choice === 'containers' && faults.length > 0) {
    await containers?.remove()
    throw new Error(`TEST_STORES=containers, but there are none: ${faults.join('; ')}`)
  }
  Mocha.reporters.Base.consoleLog(
    `stores: ${STORES.map((store) => `${store} ${sourceOf(store, containers)}`).join(', ')}${
      faults.length > 0 ? ` (no container: ${faults.join('; ')})` : ''
    }`,
  )
  const url = (store: StoreName) => named(store) ?? containers?.started.get(store)?.url ?? null
  try {
    const dataDir = await ownDataDir()
    const { databaseUrl, redisUrl, postgres, release } = await ensureStores({
      dataDir,
      databaseUrl: url('PostgreSQL'),
      redisUrl: url('Redis'),
    })
    if (postgres !== 'external') await asSuperuser(dataDir, [...WITHOUT_SYNC, WITH_DATABASES])
    else if (!named('PostgreSQL')) await administer(databaseUrl, WITHOUT_SYNC)
    return {
      databaseUrl,
      redisUrl,
      clickHouseUrl: url('ClickHouse'),
      release: async () => void (await Promise.all([release(), containers?.remove()])),
    }
  } catch (error) {
    await containers?.remove()
    throw error
  }
}

function sourceOf(store: StoreName, containers: Containers | null): string {
  const address = named(store)
  // The host alone: an address may hold a password.
  if (address !== null) return `server ${new URL(address).host}`
  const container = containers?.started.get(store)
  return container ? `container ${container.image}` : 'embedded'
}

async function ownDataDir(): Promise<string> {
  await sweep()
  const dataDir = mkdtempSync(join(tmpdir(), `insider-test-${process.pid}-`))
  // PostgreSQL runs as another user where we are root, and this folder is ours to open.
  chmodSync(dataDir, 0o711)
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** What a run that was killed has left. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^insider-test-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    await stopStores(join(tmpdir(), name))
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

async function administer(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

// Redis has 16 numbered databases; 0 is left to other users of a server that was named to us.
async function emptied(url: string): Promise<string> {
  const own = withPath(url, String(1 + (made.redis % 15)))
  made.redis += 1
  const client = createClient(redisOptions(own))
  await client.connect()
  await client.flushDb()
  await client.close()
  return own
}

function withPath(url: string, path: string): string {
  const changed = new URL(url)
  changed.pathname = `/${path}`
  return changed.href
}

/** Containers and embedded engines go with all that is in them. */
async function dropFromNamed({ databaseUrl, clickHouseUrl }: Running): Promise<void> {
  if (named('PostgreSQL')) {
    await administer(
      databaseUrl,
      made.postgres.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    )
  }
  if (!named('ClickHouse') || made.clickHouse.length === 0) return
  const store = await ClickHouse.open({ url: clickHouseUrl!, database: made.clickHouse[0]! })
  // The one we are connected to last; a rebuild cut short leaves the other.
  for (const name of made.clickHouse.toReversed().flatMap((each) => [`${each}_next`, each])) {
    await store.command(new Sql(`DROP DATABASE IF EXISTS ${name} SYNC`))
  }
  await store.close()
}

before(async function startTestStores() {
  this.timeout(900_000)
  await (running ??= start())
})

after(async function stopTestStores() {
  this.timeout(120_000)
  const started = await running?.catch(() => undefined)
  if (started === undefined) return
  await dropFromNamed(started).finally(() => started.release())
})
