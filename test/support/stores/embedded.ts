// The embedded stores of a DATA_DIR, as a test reaches them past the service.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { dataPaths } from '../../../src/infrastructure/embedded/data-dir.ts'
import { findPostgres, findPostgresUrl } from '../../../src/infrastructure/embedded/postgres/postgres.ts'
import { queryPostgres } from './query-postgres.ts'

/** Returns the address of the running PostgreSQL, with the role of the service. */
export function databaseUrlOf(dataDir: string): string {
  const url = findPostgresUrl(dataPaths(dataDir))
  if (url === null) throw new Error(`no PostgreSQL runs on ${dataDir}`)
  return url
}

/** Returns the rows of a statement to the running PostgreSQL, over a connection of its own. */
export const queryStack = <T = any>(dataDir: string, text: string): Promise<T[]> =>
  queryPostgres(databaseUrlOf(dataDir), text)

/** Returns the address of the running Redis. */
export function redisUrlOf(dataDir: string): string {
  const { socket, password } = JSON.parse(readFileSync(dataPaths(dataDir).redisRecord, 'utf8'))
  return `redis://:${password}@${encodeURIComponent(socket)}`
}

/**
 * Runs statements as the superuser of the running PostgreSQL, whom it lets in for that: nobody can log in as it
 * otherwise. A connection that is made meanwhile needs no password.
 */
export async function asSuperuser(dataDir: string, statements: string[]): Promise<void> {
  const paths = dataPaths(dataDir)
  const access = join(paths.postgres, 'pg_hba.conf')
  const before = readFileSync(access, 'utf8')
  const reload = () => process.kill(findPostgres(paths)!.pid, 'SIGHUP')
  const url = new URL(databaseUrlOf(dataDir))
  Object.assign(url, { username: 'insider', password: '' })
  writeFileSync(access, `local all insider trust\n${before}`)
  try {
    reload()
    const client = await admitted(url.href)
    for (const statement of statements) await client.query(statement)
    await client.end()
  } finally {
    writeFileSync(access, before)
    reload()
  }
}

/** Connects once the server has read its file again. */
async function admitted(connectionString: string): Promise<pg.Client> {
  for (const end = performance.now() + 20_000; ; await sleep(20)) {
    const client = new pg.Client({ connectionString, password: 'none' })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}
