// Migrations of PostgreSQL to this version's schema. Safe to run from several processes at once.
import { join } from 'node:path'
import { migrate, readMigrations, type AppliedMigration } from '../migration-runner.ts'
import { ADVISORY_LOCKS } from './coordination/advisory-locks.ts'
import { rows, transaction, type Connection, type Pool } from './pool.ts'

const UNRELEASED =
  'PostgreSQL has tables of a version before 1.0.0: restore a backup made with that version into a new DATA_DIR or ' +
  'database, or load everything again there'
const BREAKING =
  'PostgreSQL was changed by a newer version of this service, and this one can no longer use it: run that version ' +
  'again, or restore a backup that this version made into a new DATA_DIR or database'

/** Migrates by the files of a folder. */
export async function migratePostgres(pool: Pool, folder = join(import.meta.dirname, 'migrations')): Promise<string[]> {
  const migrations = readMigrations(folder)
  return oneAtATime(pool, async (connection) => {
    await ensureTable(connection)
    return migrate(migrations, {
      applied: () => rows<AppliedMigration>(connection, 'SELECT name, breaking FROM migrations ORDER BY name'),
      apply: async ({ name, breaking, statements }) => {
        for (const statement of statements) await connection.query(statement)
        await connection.query('INSERT INTO migrations (name, breaking) VALUES ($1, $2)', [name, breaking])
      },
      unreleased: UNRELEASED,
      broken: BREAKING,
    })
  })
}

/** Makes the table of migrations. Alters it only if needed, since ALTER TABLE would wait for a running backup. */
async function ensureTable(connection: Connection): Promise<void> {
  await connection.query(
    'CREATE TABLE IF NOT EXISTS migrations ' +
      '(name text PRIMARY KEY, applied_at timestamptz DEFAULT now(), breaking text)',
  )
  const [column] = await rows(
    connection,
    "SELECT 1 FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'breaking'",
  )
  if (!column) await connection.query('ALTER TABLE migrations ADD COLUMN breaking text')
}

/** Runs `work` while no other process on any machine migrates PostgreSQL or creates the tables of ClickHouse. */
export function oneAtATime<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return transaction(pool, work, ADVISORY_LOCKS.migration)
}
