// Migrates ClickHouse to this version's schema. DDL is idempotent, so an interrupted run is simply repeated.
import { join } from 'node:path'
import { migrate, readMigrations } from '../../migration-runner.ts'
import type { ClickHouse } from './client.ts'
import { onCluster } from './cluster.ts'
import { enterIfEmpty } from '../stores/generation.ts'
import { Sql, sql } from './sql.ts'

const MIGRATIONS = `CREATE TABLE IF NOT EXISTS migrations (name String, applied_at DateTime DEFAULT now())
  ENGINE = MergeTree
  ORDER BY name`

export async function migrateClickHouse(store: ClickHouse): Promise<string[]> {
  // Through the connection for statements that take long: on a cluster they wait for other servers.
  const change = (statement: string) =>
    store.forBulk.command(new Sql(store.cluster === null ? statement : onCluster(statement)))
  // What exists is not made again: on a cluster that needs Keeper, without which a service is to start.
  const [known] = await store.rows(
    sql`SELECT name FROM system.tables WHERE database = ${store.database} AND name = 'migrations'`,
  )
  if (!known) await change(MIGRATIONS)
  const done = await migrate(readMigrations(join(import.meta.dirname, '../migrations')), {
    applied: async () =>
      (await store.rows<{ name: string }>(sql`SELECT DISTINCT name FROM migrations`)).map((row) => row.name),
    apply: async (migration) => {
      for (const statement of migration.statements) await change(statement)
      await store.command(sql`INSERT INTO migrations (name) VALUES (${migration.name})`)
    },
    unreleased:
      'ClickHouse has tables of a version before 1.0.0: delete ' +
      (store.isEmbedded ? 'DATA_DIR/clickhouse' : `the database ${store.database}`) +
      ', and the next start fills it again from PostgreSQL',
  })
  await enterIfEmpty(store)
  return done
}
