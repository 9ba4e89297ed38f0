// A second database with the same tables, filled in the background and swapped table by table into the place of the first.
import type { ShadowDatabase } from '../../application/commands/rebuild-analytics.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import { openAnalyticsStore } from './stores/analytics-store.ts'
import { ClickHouse, type ClickHouseOptions } from './connection/client.ts'
import { openDataSetStore } from './data-sets/data-set-store.ts'
import { migrateClickHouse } from './connection/migrate.ts'
import { openSectors } from './stores/sectors.ts'
import { openSignalStore } from './stores/signal-store.ts'
import { Sql, sql } from './connection/sql.ts'

/** What takes the tables of the one database into the place of the other's. */
export function swapSql(next: string, present: string): Sql[] {
  return TABLES.map((table) => new Sql(`EXCHANGE TABLES ${next}.${table} AND ${present}.${table}`))
}

// The generation last: where it is entered, all other tables have been swapped.
const TABLES = ['directory', 'company_list', 'issuer_sectors', 'trades', 'signals', 'set_rejects', 'generations']

export async function prepareShadowDatabase(
  store: ClickHouse,
  options: ClickHouseOptions,
  floors: SignificanceFloors,
): Promise<ShadowDatabase> {
  const database = `${store.database}_next`
  // Whatever a run cut short has left.
  await store.ddl(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
  const next = await ClickHouse.open({ ...options, database, sessions: 2 })
  await migrateClickHouse(next)
  return {
    analytics: openAnalyticsStore(next),
    history: openDataSetStore(next.forBulk, floors),
    signals: openSignalStore(next.forBulk),
    sectors: openSectors(next),
    swapIn: async () => {
      for (const statement of swapSql(database, store.database)) await store.ddl(statement)
    },
    discard: async (isDropped) => {
      await next.close()
      if (isDropped) await store.ddl(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
    },
  }
}
