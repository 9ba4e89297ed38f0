// Migrates ClickHouse to this version's schema. DDL is idempotent, so an interrupted run is simply repeated.
import { join } from 'node:path'
import { migrate, readMigrations, type AppliedMigration } from '../../migration-runner.ts'
import type { ClickHouse } from './client.ts'
import { onCluster } from './cluster.ts'
import { FIELD_COLUMNS } from '../stores/trade-rows.ts'
import { enterIfEmpty } from '../stores/generation.ts'
import { Sql, sql } from './sql.ts'

const MIGRATIONS = `CREATE TABLE IF NOT EXISTS migrations
  (name String, applied_at DateTime DEFAULT now(), breaking Nullable(String))
  ENGINE = MergeTree
  ORDER BY name`

/** Migrates by the files of a folder. */
export async function migrateClickHouse(
  store: ClickHouse,
  folder = join(import.meta.dirname, '../migrations'),
): Promise<string[]> {
  // Through the connection for statements that take long: on a cluster they wait for other servers.
  const change = (statement: string) =>
    store.forBulk.command(new Sql(store.cluster === null ? statement : onCluster(statement)))
  // What exists is not made again: on a cluster that needs Keeper, without which a service is to start.
  const columns = await store.rows<{ name: string }>(
    sql`SELECT name FROM system.columns WHERE database = ${store.database} AND table = 'migrations'`,
  )
  if (columns.length === 0) await change(MIGRATIONS)
  else if (!columns.some(({ name }) => name === 'breaking'))
    await change('ALTER TABLE migrations ADD COLUMN IF NOT EXISTS breaking Nullable(String)')
  const refill =
    'delete ' +
    (store.isEmbedded ? 'DATA_DIR/clickhouse' : `the database ${store.database}`) +
    ', and the next start fills it again from PostgreSQL'
  const done = await migrate(readMigrations(folder), {
    applied: () => store.rows<AppliedMigration>(sql`SELECT DISTINCT name, breaking FROM migrations ORDER BY name`),
    apply: async ({ name, breaking, statements }) => {
      for (const statement of statements) await change(statement.replace('{fields of transactions}', FIELD_COLUMNS))
      await store.command(sql`INSERT INTO migrations (name, breaking) VALUES (${name}, ${breaking ?? new Sql('NULL')})`)
    },
    unreleased: `ClickHouse has tables of a version before 1.0.0: ${refill}`,
    broken:
      'ClickHouse was changed by a newer version of this service, and this one can no longer use it: run that ' +
      `version again, or ${refill}`,
  })
  await enterIfEmpty(store)
  return done
}
