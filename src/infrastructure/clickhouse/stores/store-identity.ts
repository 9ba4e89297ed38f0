// The id that ClickHouse has in common with the PostgreSQL it was filled from.
import type { IdentifiedStore } from '../../../application/projection/paired-stores.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'

export function identifiedAnalytics(store: ClickHouse): IdentifiedStore {
  return {
    id: async () =>
      (await store.rows<{ id: string }>(sql`SELECT id FROM store_identity ORDER BY given_at DESC LIMIT 1`))[0]?.id ??
      null,
    isEmpty: async () => (await store.rows(sql`SELECT 1 AS one FROM directory LIMIT 1`)).length === 0,
    identify: async (id) => {
      await store.command(sql`INSERT INTO store_identity (id) VALUES (${id})`)
    },
  }
}
