// A second database with the same tables, filled in the background and swapped table by table into the place of the first.
import type { Replacement } from '../../application/rebuild.ts'
import type { SignificanceFloors } from '../../domain/significance.ts'
import { openAnalytics } from './analytics.ts'
import { ClickHouse, type ClickHouseOptions } from './client.ts'
import { openHistory } from './history/history.ts'
import { migrateClickHouse } from './migrate.ts'
import { openSignalStore } from './signal-store.ts'
import { Sql, sql } from './sql.ts'

const TABLES = ['directory', 'company_list', 'trades', 'signals', 'set_rejects']

export async function prepareReplacement(
  store: ClickHouse, options: ClickHouseOptions, floors: SignificanceFloors,
): Promise<Replacement> {
  const database = `${store.database}_next`
  // Whatever a run cut short has left.
  await store.command(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
  const next = await ClickHouse.open({ ...options, database, sessions: 2 })
  await migrateClickHouse(next)
  return {
    analytics: openAnalytics(next),
    history: openHistory(next, floors),
    signals: openSignalStore(next, floors),
    install: async () => {
      for (const table of TABLES) {
        await store.command(new Sql(`EXCHANGE TABLES ${database}.${table} AND ${store.database}.${table}`))
      }
    },
    discard: async () => {
      await next.close()
      await store.command(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
    },
  }
}
