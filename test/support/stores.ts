// PostgreSQL and Redis for tests: the servers TEST_DATABASE_URL and TEST_REDIS_URL name, else the embedded ones, started
// once for the whole run and stopped at its end. Each caller gets a database of its own and an emptied Redis database.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createClient } from 'redis'
import { ensureStores, stopStores, type Stores } from '../../src/infrastructure/embedded/stores.ts'

export interface TestStores {
  databaseUrl: string
  redisUrl: string
}

let running: Promise<Stores> | undefined
const made: string[] = []

/** The first call takes a few seconds: give a `before` hook that calls it a timeout of a minute. */
export async function stores(): Promise<TestStores> {
  running ??= start()
  const { databaseUrl, redisUrl } = await running
  const name = `test_${process.pid}_${made.length + 1}`
  made.push(name)
  await administer(databaseUrl, `CREATE DATABASE ${name}`)
  return { databaseUrl: withPath(databaseUrl, name), redisUrl: await emptied(redisUrl, made.length) }
}

async function start(): Promise<Stores> {
  await sweep()
  const dataDir = mkdtempSync(join(tmpdir(), `insider-test-${process.pid}-`))
  // PostgreSQL runs as another user where we are root, and this folder is ours to open.
  chmodSync(dataDir, 0o711)
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const databaseUrl = process.env.TEST_DATABASE_URL ?? null
  const redisUrl = process.env.TEST_REDIS_URL ?? null
  return ensureStores({ dataDir, databaseUrl, redisUrl })
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return existsSync(`/proc/${pid}`)
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

// Redis has 16 numbered databases; 0 is left to whoever else uses a server that was named to us.
async function emptied(url: string, count: number): Promise<string> {
  const own = withPath(url, String(1 + ((count - 1) % 15)))
  const client = createClient({ url: own })
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

after(async function stopTestStores() {
  this.timeout(60_000)
  const started = await running?.catch(() => undefined)
  if (started === undefined) return
  if (started.postgres === 'external') {
    for (const name of made) await administer(started.databaseUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  await started.release()
})
