// Migrates ClickHouse to this version's schema. DDL is idempotent, so an interrupted run is simply repeated.
import { join } from 'node:path'
import { migrate, readMigrations } from '../../migration-runner.ts'
import type { ClickHouse } from './client.ts'
import { insertsInto } from './cluster-ddl.ts'
import { checkAlike, hasTables } from './cluster-checks.ts'
import { enterIfEmpty } from '../stores/generation.ts'
import { Sql, sql } from './sql.ts'

// Without leading white space: statements for a cluster are recognized by how they begin.
export const MIGRATIONS = sql`CREATE TABLE IF NOT EXISTS migrations (name String, applied_at DateTime DEFAULT now())
    ENGINE = MergeTree ORDER BY name`

export async function migrateClickHouse(store: ClickHouse): Promise<string[]> {
  const { cluster } = store
  // On a cluster nothing existing is created again: it needs every node, and a service must start while one is away.
  if (!cluster || !(await hasTables(store, cluster))) await store.ddl(MIGRATIONS)
  const done = await migrate(readMigrations(join(import.meta.dirname, '../migrations')), {
    applied: async () =>
      (await store.rows<{ name: string }>(sql`SELECT DISTINCT name FROM migrations`)).map((row) => row.name),
    apply: async (migration) => {
      for (const statement of migration.statements) {
        const isInsert = insertsInto(statement) !== undefined
        await (isInsert ? store.forBulk.command(new Sql(statement)) : store.ddl(new Sql(statement)))
      }
      await store.command(sql`INSERT INTO migrations (name) VALUES (${migration.name})`)
    },
    unreleased:
      'ClickHouse has tables of a version before 1.0.0: delete ' +
      (store.isEmbedded ? 'DATA_DIR/clickhouse' : `the database ${store.database}`) +
      ', and the next start fills it again from PostgreSQL',
  })
  if (cluster && done.length > 0) await checkAlike(store, cluster)
  await enterIfEmpty(store)
  return done
}
