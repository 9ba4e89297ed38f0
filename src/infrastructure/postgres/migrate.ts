// Migrations of PostgreSQL to this version's schema. Safe to run from several processes at once.
import { join } from 'node:path'
import { migrate, readMigrations } from '../migration-runner.ts'
import { ADVISORY_LOCKS } from './coordination/advisory-locks.ts'
import { rows, transaction, type Connection, type Pool } from './pool.ts'

const UNRELEASED =
  'PostgreSQL has tables of a version before 1.0.0: restore a backup made with that version into a new DATA_DIR or ' +
  'database, or load everything again there'

export async function migratePostgres(pool: Pool): Promise<string[]> {
  const migrations = readMigrations(join(import.meta.dirname, 'migrations'))
  return oneAtATime(pool, async (connection) => {
    await connection.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz DEFAULT now())',
    )
    return migrate(migrations, {
      applied: async () =>
        (await rows<{ name: string }>(connection, 'SELECT name FROM migrations')).map((row) => row.name),
      apply: async (migration) => {
        for (const statement of migration.statements) await connection.query(statement)
        await connection.query('INSERT INTO migrations (name) VALUES ($1)', [migration.name])
      },
      unreleased: UNRELEASED,
    })
  })
}

/** Runs `work` while no other process on any machine migrates PostgreSQL or ClickHouse. */
export function oneAtATime<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return transaction(pool, work, ADVISORY_LOCKS.migration)
}
