// Setup of the embedded PostgreSQL at its first start (cluster, database, password), and the record for later ones.
import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DataPaths, explainDiskFault } from '../data-dir.ts'
import { readJson, writePrivate } from '../files.ts'
import { postgresBinaries, type PostgresBinaries } from './binaries.ts'
import { postgresUser, requireName, type RunAs } from './user.ts'

/** Role and database have the same name. */
export const databaseName = 'insider'

/** Stored beside the data, readable by its owner alone. */
export interface PostgresRecord {
  /** 0: none used so far. */
  port: number
  password: string
}

export interface PostgresSetup {
  binaries: PostgresBinaries
  runAs: RunAs
  record: PostgresRecord
}

// Programs started here must not see the caller's PGDATA, PGPORT or locale.
export const postgresEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** Creates the database if there is none, after calling `note`. */
export function setUpPostgres(paths: DataPaths, note: (text: string) => void): PostgresSetup {
  const binaries = postgresBinaries()
  const runAs = postgresUser([binaries.postgres, binaries.share, paths.root], paths.postgres, note)
  const known = existsSync(paths.postgres) ? readJson<PostgresRecord>(paths.postgresRecord) : null
  const record = known ?? { port: 0, password: randomBytes(24).toString('hex') }
  const isMade = existsSync(paths.postgres) && known !== null
  if (!isMade && runAs.owner === null) requireName()
  try {
    if (!existsSync(paths.postgres)) {
      note('creating the PostgreSQL database')
      initialise(paths, binaries, runAs, record)
    } else if (known === null) {
      // A user who can read the data can reset its password, so a lost record is no loss.
      single({ paths, binaries, runAs }, paths.postgres, `ALTER ROLE ${databaseName} PASSWORD '${record.password}'`)
      writePrivate(paths.postgresRecord, JSON.stringify(record))
    }
  } catch (error) {
    throw explainDiskFault(error, paths.root)
  }
  return { binaries, runAs, record }
}

// Created beside and renamed, so that a kill half-way leaves no half database; under a unique name, because an initdb
// whose parent was killed can still be writing.
function initialise(paths: DataPaths, binaries: PostgresBinaries, runAs: RunAs, record: PostgresRecord): void {
  const fresh = `${paths.postgres}.new-${randomUUID()}`
  const passwordFile = join(paths.run, 'postgres-password')
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  try {
    for (const name of readdirSync(paths.root).filter((each) => each.startsWith('postgres.new'))) {
      rmSync(join(paths.root, name), { recursive: true, force: true })
    }
    mkdirSync(fresh, { mode: 0o700 })
    if (runAs.owner !== null) chownSync(fresh, runAs.owner.uid, runAs.owner.gid)
    writePrivate(passwordFile, record.password, runAs.owner)
    const access = ['-U', databaseName, '--pwfile', passwordFile, '--auth=scram-sha-256', '--no-instructions']
    execute({ paths, runAs }, binaries.initdb, ['-D', fresh, ...access, ...locale])
    single({ paths, binaries, runAs }, fresh, `CREATE DATABASE ${databaseName}`)
    writePrivate(paths.postgresRecord, JSON.stringify(record))
    renameSync(fresh, paths.postgres)
  } finally {
    rmSync(passwordFile, { force: true })
    rmSync(fresh, { recursive: true, force: true })
  }
}

interface Surroundings {
  paths: DataPaths
  runAs: RunAs
}

function single(place: Surroundings & { binaries: PostgresBinaries }, data: string, statement: string): void {
  execute(place, place.binaries.postgres, ['--single', '-D', data, 'postgres'], `${statement}\n`)
}

function execute({ paths, runAs }: Surroundings, program: string, programArgs: string[], input = ''): void {
  const [file, args] = runAs.command(program, programArgs)
  const options = { ...runAs.options, input, cwd: '/', env: postgresEnvironment, encoding: 'utf8' } as const
  const { status, stderr, stdout, error } = spawnSync(file, args, options)
  if (error) throw error
  // A single-user session ends with status 0 even if its statement failed.
  const fault = stderr.split('\n').find((line) => /\b(ERROR|FATAL|PANIC):|: error:/.test(line))
  if (status === 0 && fault === undefined) return
  const log = join(paths.logs, 'postgres-setup.log')
  writePrivate(log, stdout + stderr)
  throw new Error(`PostgreSQL could not be set up: ${fault ?? `it ended with status ${status}`}; see ${log}`)
}
