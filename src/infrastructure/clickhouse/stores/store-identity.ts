// IdentifiedStore on ClickHouse: the id that ClickHouse shares with the PostgreSQL from which it was filled.
import type { IdentifiedStore } from '../../../application/projection/paired-stores.ts'
import type { ClickHouse } from '../connection/client.ts'
import { isUnknownTable } from '../connection/errors.ts'
import { sql } from '../connection/sql.ts'

export class ClickHouseStoreIdentity implements IdentifiedStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  async id(): Promise<string | null> {
    const [newest] = await this.#store.rows<{ id: string }>(
      sql`SELECT id FROM store_identity ORDER BY given_at DESC LIMIT 1`,
    )
    return newest?.id ?? null
  }

  // A store of a version before 1.0.0 may lack the table; it is filled again.
  async isEmpty(): Promise<boolean> {
    const any = this.#store.rows(sql`SELECT 1 AS one FROM directory LIMIT 1`).catch((error: unknown) => {
      if (isUnknownTable(error)) return []
      throw error
    })
    return (await any).length === 0
  }

  async identify(id: string): Promise<void> {
    await this.#store.command(sql`INSERT INTO store_identity (id) VALUES (${id})`)
  }
}
