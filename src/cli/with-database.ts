// The frame of every command that works on the ledger: stores up, schema current, and all let go again.
import type { Config } from '../config.ts'
import { ensureStores } from '../infrastructure/embedded/stores.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import { onInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'

export interface Ledgered {
  config: Config
  databaseUrl: string
  pool: Pool
  out: Output
}

/** Starts embedded stores where none run, and stops those it started. `name` shows in pg_stat_activity. */
export async function withLedger<T>(
  config: Config,
  out: Output,
  name: string,
  work: (at: Ledgered) => Promise<T>,
): Promise<T> {
  const stores = await ensureStores(config, { note: out.note, probe: ['DATABASE_URL'] })
  // Stores that were started for this command alone end with it.
  const settled = onInterrupt(() => void stores.release().finally(() => process.exit(130)))
  const pool = openPool({ url: stores.databaseUrl, name })
  try {
    await migratePostgres(pool)
    return await work({ config, databaseUrl: stores.databaseUrl, pool, out })
  } finally {
    await pool.end()
    await stores.release()
    settled()
  }
}
