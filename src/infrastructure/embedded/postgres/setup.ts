// Setup of the embedded PostgreSQL at its first start (cluster, database, role), and the record for later ones.
import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DataPaths, explainDiskFault } from '../data-dir.ts'
import { readJson, writePrivate } from '../files.ts'
import { storeEnvironment } from '../processes.ts'
import { postgresBinaries, type PostgresBinaries } from './binaries.ts'
import { postgresUser, requireName, type RunAs } from './user.ts'

/** The superuser has the same name. It has no password, so nobody can log in as it. */
export const databaseName = 'insider'
/** The role of the service, which owns the database. */
export const roleName = 'insider_service'

/** Stored beside the data, readable by its owner alone. */
export interface PostgresRecord {
  password: string
  /** The folder of the socket; absent before the first start. */
  sockets?: string
}

export interface PostgresSetup {
  binaries: PostgresBinaries
  runAs: RunAs
  record: PostgresRecord
}

/** Creates the database if there is none, after calling `note`. */
export function setUpPostgres(paths: DataPaths, note: (text: string) => void): PostgresSetup {
  const binaries = postgresBinaries()
  const runAs = postgresUser([binaries.postgres, binaries.share, paths.root], paths.postgres, note)
  const known = existsSync(paths.postgres) ? readJson<PostgresRecord>(paths.postgresRecord) : null
  const record = known ?? { password: randomBytes(24).toString('hex') }
  const isMade = existsSync(paths.postgres) && known !== null
  if (!isMade && runAs.owner === null) requireName()
  try {
    if (!existsSync(paths.postgres)) {
      note('creating the PostgreSQL database')
      initialise(paths, binaries, runAs, record)
    } else if (known === null) {
      // A user who can read the data can set a password, so a lost record is no loss.
      setUpRole({ paths, binaries, runAs }, paths.postgres, record)
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
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  try {
    for (const name of readdirSync(paths.root).filter((each) => each.startsWith('postgres.new'))) {
      rmSync(join(paths.root, name), { recursive: true, force: true })
    }
    mkdirSync(fresh, { mode: 0o700 })
    if (runAs.owner !== null) chownSync(fresh, runAs.owner.uid, runAs.owner.gid)
    const access = ['-U', databaseName, '--auth=reject', '--no-instructions']
    execute({ paths, runAs }, binaries.initdb, ['-D', fresh, ...access, ...locale])
    const place = { paths, binaries, runAs }
    single(place, fresh, 'postgres', [`CREATE DATABASE ${databaseName}`])
    setUpRole(place, fresh, record)
    renameSync(fresh, paths.postgres)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Creates the role of the service, or gives it this password, and takes the superuser's. */
function setUpRole(place: Programs, data: string, record: PostgresRecord): void {
  writePrivate(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\n', place.runAs.owner)
  single(place, data, databaseName, [
    `ALTER ROLE ${databaseName} PASSWORD NULL`,
    `DO $$ BEGIN CREATE ROLE ${roleName}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    `ALTER ROLE ${roleName} LOGIN PASSWORD '${record.password}'`,
    `ALTER DATABASE ${databaseName} OWNER TO ${roleName}`,
  ])
}

interface Surroundings {
  paths: DataPaths
  runAs: RunAs
}

interface Programs extends Surroundings {
  binaries: PostgresBinaries
}

/** Runs the statements as the superuser, in a process of PostgreSQL that nobody can connect to. */
function single(place: Programs, data: string, database: string, statements: string[]): void {
  // Each line is a statement.
  const input = statements.map((statement) => `${statement.replaceAll(/\s+/g, ' ')}\n`).join('')
  execute(place, place.binaries.postgres, ['--single', '-D', data, database], input)
}

function execute({ paths, runAs }: Surroundings, program: string, programArgs: string[], input = ''): void {
  const [file, args] = runAs.command(program, programArgs)
  const options = { ...runAs.options, input, cwd: '/', env: storeEnvironment, encoding: 'utf8' } as const
  const { status, stderr, stdout, error } = spawnSync(file, args, options)
  if (error) throw error
  // A single-user session ends with status 0 even if its statement failed.
  const fault = stderr.split('\n').find((line) => /\b(ERROR|FATAL|PANIC):|: error:/.test(line))
  if (status === 0 && fault === undefined) return
  const log = join(paths.logs, 'postgres-setup.log')
  writePrivate(log, stdout + stderr)
  throw new Error(`PostgreSQL could not be set up: ${fault ?? `it ended with status ${status}`}; see ${log}`)
}
