// The id that PostgreSQL shares with the ClickHouse that was filled from it.
import type { IdentifiedStore } from '../../../application/projection/paired-stores.ts'
import { rows, type Pool } from '../pool.ts'

/** Excluded from backups: a restored ledger may lack filings that a ClickHouse with the same id has. */
export const IDENTITY_TABLE = 'store_identity'

export class IdentifiedPostgres implements IdentifiedStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async id(): Promise<string | null> {
    const [identity] = await rows<{ id: string }>(this.#pool, `SELECT id FROM ${IDENTITY_TABLE}`)
    return identity?.id ?? null
  }

  // A data set whose load has started may have rows in ClickHouse already.
  async isEmpty(): Promise<boolean> {
    const [ledger] = await rows<{ any: boolean }>(
      this.#pool,
      'SELECT EXISTS (SELECT FROM filings) OR EXISTS (SELECT FROM data_sets) AS any',
    )
    return !ledger!.any
  }

  async identify(id: string): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO ${IDENTITY_TABLE} (id)
       VALUES ($1)
       ON CONFLICT (one) DO UPDATE
         SET id = excluded.id`,
      [id],
    )
  }
}
