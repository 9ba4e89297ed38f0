// The id that PostgreSQL has in common with the ClickHouse filled from it.
import type { IdentifiedStore } from '../../../application/projection/paired-stores.ts'
import { rows, type Pool } from '../pool.ts'

/** Left out of backups: what is restored may lack filings that a ClickHouse of the same id has. */
export const IDENTITY_TABLE = 'store_identity'

export function identifiedRecord(pool: Pool): IdentifiedStore {
  return {
    id: async () => (await rows<{ id: string }>(pool, `SELECT id FROM ${IDENTITY_TABLE}`))[0]?.id ?? null,
    // A set that was begun may have rows in ClickHouse already.
    isEmpty: async () =>
      !(
        await rows<{ any: boolean }>(
          pool,
          'SELECT EXISTS (SELECT FROM filings) OR EXISTS (SELECT FROM data_sets) AS any',
        )
      )[0]!.any,
    identify: async (id) => {
      await rows(
        pool,
        `INSERT INTO ${IDENTITY_TABLE} (id) VALUES ($1) ON CONFLICT (one) DO UPDATE SET id = excluded.id`,
        [id],
      )
    },
  }
}
