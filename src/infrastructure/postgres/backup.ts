// Backup and restore of PostgreSQL: one file per table, written by COPY in one snapshot. So a backup is consistent
// while the service keeps running, and can be restored into any version of PostgreSQL, embedded or not. ClickHouse and
// Redis are not in a backup: they are rebuilt from PostgreSQL.
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { requireSpace, watchSpace } from '../free-space.ts'
import { longTransaction, rows, type Connection, type Pool } from './pool.ts'
import { LOG_TABLES, beginLogRestore } from './changes/restored-log.ts'
import { IDENTITY_TABLE } from './coordination/store-identity.ts'

interface Manifest {
  /** Names of the migrations that had been applied. */
  migrations: string[]
  /** The reasons of breaking migrations, by name. Missing in backups of versions before 1.0.0. */
  breaking?: Record<string, string>
  /** Each after the tables that it references. */
  tables: TableOfBackup[]
  sequences: { name: string; last: number }[]
}

interface TableOfBackup {
  name: string
  columns: string[]
  rows: number
}

const MANIFEST = 'backup.json'
const fileOf = (folder: string, table: string) => join(folder, `${table}.copy.gz`)

interface BackupTotals {
  tables: number
  rows: number
}

/**
 * Writes a backup into an empty folder; `advance` is called after each table. The manifest is written last: a backup
 * without a manifest is incomplete. Throws if the signal aborts, or the disk has too little space.
 */
export async function backUp(
  pool: Pool,
  folder: string,
  advance: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<BackupTotals> {
  return longTransaction(pool, async (connection) => {
    await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const tables = await tablesOf(connection)
    const manifest: Manifest = {
      ...(await migrationsOf(connection)),
      tables: [],
      sequences: await sequencesOf(connection),
    }
    for (const [index, { name, columns }] of tables.entries()) {
      const statement = `COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) TO STDOUT`
      const rows = await copyOut(connection, statement, { folder, file: fileOf(folder, name), signal })
      manifest.tables.push({ name, columns, rows })
      advance(index + 1, tables.length)
    }
    await writeFile(join(folder, MANIFEST), JSON.stringify(manifest, null, 1), { mode: 0o600 })
    return totalsOf(manifest.tables)
  })
}

/** Returns the size of the tables without their indexes, which a compressed backup does not exceed. */
export async function uncompressedBytes(pool: Pool): Promise<number> {
  const [sum] = await rows<{ bytes: number }>(
    pool,
    `SELECT coalesce(sum(pg_table_size(oid)), 0)::bigint AS bytes
     FROM pg_class
     WHERE relkind = 'r'
       AND relnamespace = current_schema()::regnamespace`,
  )
  return sum!.bytes
}

/** The last migration before 1.0.0: with it applied, the tables are those of `SCHEMA`. */
const LAST_UNRELEASED = '0020_correct_and_withdraw.sql'
const SCHEMA = '0001_schema.sql'

/**
 * Restores a backup of this version, of an older or a newer one into a migrated database without rows, in one
 * transaction. Leaves out the tables and columns that a newer version added, and returns their names: this version
 * works without them. Throws an actionable one-line error if the folder or the database is unsuitable.
 */
export async function restore(
  pool: Pool,
  folder: string,
  advance: (done: number, total: number) => void,
): Promise<BackupTotals & { leftOut: string[] }> {
  const manifest = await manifestOf(folder)
  return longTransaction(pool, async (connection) => {
    const { migrations: present, breaking } = await migrationsOf(connection)
    const applied = manifest.migrations.includes(LAST_UNRELEASED) ? [SCHEMA] : manifest.migrations
    if (!applied.includes(SCHEMA))
      throw new Error(
        'the backup was made long before 1.0.0: restore it with the version that made it, and back it up again with ' +
          'the last version before 1.0.0',
      )
    const foreign = applied.find((name) => !present.includes(name) && manifest.breaking?.[name] !== undefined)
    if (foreign !== undefined)
      throw new Error(
        "the backup was made by a newer version of this service, and this one can't use it: restore it with that " +
          `version (${foreign}: ${manifest.breaking![foreign]})`,
      )
    // Tables and columns that later versions only added stay empty, or have their defaults.
    const missing = present.find((name) => !applied.includes(name) && breaking[name] !== undefined)
    if (missing !== undefined) {
      throw new Error(
        'the backup was made by an older version: restore it with that version, then upgrade ' +
          `(${missing}: ${breaking[missing]})`,
      )
    }
    const { tables, leftOut } = await restorableTables(connection, manifest)
    for (const { name } of tables.filter((table) => !LOG_TABLES.includes(table.name))) {
      const [row] = await rows(connection, `SELECT 1 FROM ${quoted(name)} LIMIT 1`)
      if (row)
        throw new Error(`the database is not empty (table ${name} has rows): restore into a new DATA_DIR or database`)
    }
    const finishLogRestore = await beginLogRestore(connection)
    for (const [index, { name, columns, unknownColumns, rows: count }] of tables.entries()) {
      // COPY reads all columns of the file, so those that this version lacks are added for as long as it runs.
      for (const column of unknownColumns)
        await connection.query(`ALTER TABLE ${quoted(name)} ADD ${quoted(column)} text`)
      const copy = connection.query(copyFrom(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`))
      await pipeline(createReadStream(fileOf(folder, name)), createGunzip(), copy)
      if (copy.rowCount !== count)
        throw new Error(`${fileOf(folder, name)} is damaged: it has ${copy.rowCount} of ${count} rows of table ${name}`)
      for (const column of unknownColumns) await connection.query(`ALTER TABLE ${quoted(name)} DROP ${quoted(column)}`)
      advance(index + 1, tables.length)
    }
    await finishLogRestore()
    // A sequence of a table that this version lacks is missing too, for which `to_regclass` returns NULL.
    for (const { name, last } of manifest.sequences)
      await rows(connection, 'SELECT setval(to_regclass($1), $2)', [name, last])
    return { ...totalsOf(tables), leftOut }
  })
}

interface RestorableTables {
  /** The tables of the backup that this version has, with those of their columns that it does not have. */
  tables: (TableOfBackup & { unknownColumns: string[] })[]
  /** The tables and columns that a newer version added, in words. */
  leftOut: string[]
}

async function restorableTables(connection: Connection, manifest: Manifest): Promise<RestorableTables> {
  const columnsOf = new Map((await tablesOf(connection)).map(({ name, columns }) => [name, columns]))
  const tables = manifest.tables
    .filter(({ name }) => columnsOf.has(name))
    .map((table) => {
      const columns = columnsOf.get(table.name)!
      return { ...table, unknownColumns: table.columns.filter((column) => !columns.includes(column)) }
    })
  const leftOut = [
    ...manifest.tables
      .filter(({ name }) => !columnsOf.has(name))
      .map(({ name, rows: count }) => `table ${name} (${count} rows)`),
    ...tables.flatMap(({ name, unknownColumns }) =>
      unknownColumns.map((column) => `column ${column} of table ${name}`),
    ),
  ]
  return { tables, leftOut }
}

/** Counts tables and rows for the operator, without the log of changes, which has rows in every database. */
function totalsOf(all: TableOfBackup[]): BackupTotals {
  const tables = all.filter(({ name }) => !LOG_TABLES.includes(name))
  return { tables: tables.length, rows: tables.reduce((sum, table) => sum + table.rows, 0) }
}

async function manifestOf(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => null)
  if (text === null) throw new Error(`${folder} is not a complete backup: it has no ${MANIFEST}`)
  return JSON.parse(text) as Manifest
}

/** Writes the table's rows into `file` in PostgreSQL's text format. Returns how many. */
async function copyOut(
  connection: Connection,
  statement: string,
  { folder, file, signal }: { folder: string; file: string; signal: AbortSignal | undefined },
): Promise<number> {
  signal?.throwIfAborted()
  await requireSpace(folder)
  const written = watchSpace(folder)
  const copy = connection.query(copyTo(statement))
  // A COPY that is cut short emits another error when its connection ends, after the pipeline has stopped listening.
  copy.on('error', () => {})
  await pipeline(
    copy,
    createGzip({ level: 1 }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        await written(chunk.length)
        yield chunk
      }
    },
    createWriteStream(file, { mode: 0o600 }),
    { signal },
  )
  return copy.rowCount
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

async function migrationsOf(connection: Connection): Promise<Required<Pick<Manifest, 'migrations' | 'breaking'>>> {
  const applied = await rows<{ name: string; breaking: string | null }>(
    connection,
    'SELECT name, breaking FROM migrations ORDER BY name',
  )
  return {
    migrations: applied.map(({ name }) => name),
    breaking: Object.fromEntries(
      applied.flatMap(({ name, breaking }) => (breaking === null ? [] : [[name, breaking]])),
    ),
  }
}

/** Tables about this database itself, which are not backed up: its migrations and its id. */
const OWN_TABLES = ['migrations', IDENTITY_TABLE]

/** Lists all tables except `OWN_TABLES`, each after the tables that it references. */
async function tablesOf(connection: Connection): Promise<{ name: string; columns: string[] }[]> {
  const tables = await rows<{ name: string; columns: string[]; references: string[] }>(
    connection,
    `SELECT relname AS name,
       ARRAY(
         SELECT attname::text
         FROM pg_attribute
         WHERE attrelid = pg_class.oid
           AND attnum > 0
           AND NOT attisdropped
           AND attgenerated = ''
         ORDER BY attnum) AS columns,
       ARRAY(
         SELECT DISTINCT confrelid::regclass::text
         FROM pg_constraint
         WHERE conrelid = pg_class.oid
           AND contype = 'f'
           AND confrelid <> pg_class.oid) AS references
     FROM pg_class
     WHERE relkind = 'r'
       AND relnamespace = current_schema()::regnamespace
       AND relname <> ALL ($1)
     ORDER BY relname`,
    [OWN_TABLES],
  )
  const ordered: typeof tables = []
  while (ordered.length < tables.length) {
    const isDone = (name: string) => ordered.some((table) => table.name === name)
    const ready = tables.filter(({ name, references }) => !isDone(name) && references.every(isDone))
    if (ready.length === 0) throw new Error('tables reference each other in a circle')
    ordered.push(...ready)
  }
  return ordered
}

/** Lists the sequences that have been used. */
function sequencesOf(connection: Connection): Promise<Manifest['sequences']> {
  return rows(
    connection,
    `SELECT quote_ident(sequencename) AS name, last_value AS last
     FROM pg_sequences
     WHERE schemaname = current_schema()
       AND last_value IS NOT NULL
     ORDER BY sequencename`,
  )
}
