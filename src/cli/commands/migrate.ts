// Brings both stores to this version's schema. The service and the commands do it by themselves; this is for operators
// who want it done before.
import type { Config } from '../../config.ts'
import { acquireAnalytics } from '../../service/analytics-access.ts'
import type { Output } from '../output.ts'
import { withLedger } from '../with-database.ts'

export const help = "migrate: bring PostgreSQL and ClickHouse to this version's schema"

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'migrate', async ({ databaseUrl, pool }) => {
    // Whoever holds ClickHouse has migrated it.
    const holding = await acquireAnalytics(config, databaseUrl, pool, 0)
    await holding?.close()
    out.result({}, ['both stores are at this version'])
  })
}
