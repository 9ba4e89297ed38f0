// Brings ClickHouse to this version's schema. DDL is idempotent, so a run cut short is simply run again.
import { join } from 'node:path'
import { migrate, readMigrations } from '../migrations.ts'
import type { ClickHouse } from './client.ts'
import { Sql, sql } from './sql.ts'

export async function migrateClickHouse(store: ClickHouse): Promise<string[]> {
  await store.command(sql`CREATE TABLE IF NOT EXISTS migrations (name String, applied_at DateTime DEFAULT now())
    ENGINE = MergeTree ORDER BY name`)
  return migrate(readMigrations(join(import.meta.dirname, 'migrations')), {
    applied: async () => (await store.rows<{ name: string }>(sql`SELECT DISTINCT name FROM migrations`)).map((row) => row.name),
    apply: async (migration) => {
      for (const statement of migration.statements) await store.command(new Sql(statement))
      await store.command(sql`INSERT INTO migrations (name) VALUES (${migration.name})`)
    },
  })
}
