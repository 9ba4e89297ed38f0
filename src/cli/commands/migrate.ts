// The command migrate: brings PostgreSQL to this version's schema, and creates the tables of an empty ClickHouse. The
// service and the other commands do so when they start; this is for operators who want it done before.
import type { Config } from '../../config.ts'
import { closeContainer } from '../../container/container.ts'
import { acquireAnalytics } from '../../service/analytics-access.ts'
import type { Output } from '../output.ts'
import { withLedger } from '../with-database.ts'

export const help = `migrate: bring PostgreSQL to this version's schema, and create the tables of an empty ClickHouse

  A ClickHouse with the rows of another version is filled again by the service.`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'migrate', async (at) => {
    // The process that holds the lock has opened ClickHouse.
    const lease = await acquireAnalytics(at, 0)
    if (lease) await closeContainer(lease.container)
    out.result({}, ['the stores can be used by this version'])
  })
}
