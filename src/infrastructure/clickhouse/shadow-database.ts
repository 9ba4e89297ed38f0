// ShadowDatabase on ClickHouse: a second database with the same tables, filled in the background. Its rows then move
// into new tables of the database in use, `<table>_next`, which are exchanged one by one with those in use. On a
// cluster the second database is one of this server alone, and the new tables are those of all replicas: tables of two
// databases can't be exchanged there.
import type { ShadowDatabase } from '../../application/commands/rebuild-analytics.ts'
import type { Clock } from '../../application/ports/system.ts'
import { ClickHouseAnalyticsStore } from './stores/analytics-store.ts'
import { ClickHouse, type ClickHouseOptions } from './connection/client.ts'
import { ClickHouseDataSetStore } from './data-sets/data-set-store.ts'
import { createTables } from './create-tables.ts'
import { ClickHouseNoticeStore } from './stores/notice-store.ts'
import { ClickHousePriceStore } from './stores/price-store.ts'
import { ClickHouseSectorStore } from './stores/sector-store.ts'
import { ClickHouseSignalStore } from './stores/signal-store.ts'
import { Sql, sql } from './connection/sql.ts'
import { requireFree } from '../free-space.ts'

// The views that fill the lists stay and keep filling them, since they read and write tables by their names. The
// generation is last: once it is exchanged, so are all other tables.
const TABLES = [
  'directory',
  'company_list',
  'issuer_sectors',
  'trades',
  'transactions',
  'transaction_lists',
  'filing_lists',
  'filing_details',
  'balances',
  'signals',
  'signal_list',
  'signal_states',
  'parties',
  'notices',
  'notice_sales',
  'prices',
  'price_state',
  'set_rejects',
  'migrations',
  'store_version',
]

export class ClickHouseShadowDatabase implements ShadowDatabase {
  readonly analytics: ClickHouseAnalyticsStore
  readonly history: ClickHouseDataSetStore
  readonly signals: ClickHouseSignalStore
  readonly sectors: ClickHouseSectorStore
  readonly notices: ClickHouseNoticeStore
  readonly prices: ClickHousePriceStore
  readonly #present: ClickHouse
  readonly #next: ClickHouse

  private constructor(present: ClickHouse, next: ClickHouse, clock: Clock) {
    this.#present = present
    this.#next = next
    this.analytics = new ClickHouseAnalyticsStore(next, clock, false)
    this.history = new ClickHouseDataSetStore(next.forBulk)
    this.signals = new ClickHouseSignalStore(next.forBulk)
    this.sectors = new ClickHouseSectorStore(next)
    this.notices = new ClickHouseNoticeStore(next.forBulk)
    this.prices = new ClickHousePriceStore(next.forBulk)
  }

  static async prepare(
    present: ClickHouse,
    options: ClickHouseOptions,
    clock: Clock,
  ): Promise<ClickHouseShadowDatabase> {
    const database = nextOf(present)
    // Left by an interrupted run.
    await drop(present, database)
    await requireRoom(present)
    const next = await ClickHouse.open({ ...options, cluster: undefined, database })
    try {
      await createTables(next)
    } catch (error) {
      await next.close()
      await drop(present, database).catch(() => {})
      throw error
    }
    return new ClickHouseShadowDatabase(present, next, clock)
  }

  async swapIn(): Promise<void> {
    const change = (statement: string) => this.#present.forBulk.command(new Sql(statement))
    for (const table of TABLES) {
      await change(`DROP TABLE IF EXISTS ${table}_next SYNC`)
      await change(`CREATE TABLE ${table}_next AS ${table}`)
      // Links the parts. On a cluster it waits until all replicas have fetched them, since one without would answer
      // as if there were no rows.
      await change(
        `ALTER TABLE ${table}_next ATTACH PARTITION ALL FROM ${this.#next.database}.${table} SETTINGS alter_sync = 2`,
      )
    }
    for (const table of TABLES) await change(`EXCHANGE TABLES ${table}_next AND ${table}`)
    for (const table of TABLES) await change(`DROP TABLE ${table}_next SYNC`)
  }

  async discard(isDropped: boolean): Promise<void> {
    await this.#next.close()
    if (isDropped) await drop(this.#present, this.#next.database)
  }
}

/** Drops what a rebuild left that was killed. Called by the process that may write, before another rebuild begins. */
export async function dropLeftOver(present: ClickHouse): Promise<void> {
  const database = nextOf(present)
  const [found] = await present.rows(sql`SELECT name FROM system.databases WHERE name = ${database}`)
  if (found) await drop(present, database)
  const tables = await present.rows<{ name: string }>(sql`
    SELECT name
    FROM system.tables
    WHERE database = ${present.database} AND name IN ${TABLES.map((table) => `${table}_next`)}`)
  for (const { name } of tables) await present.forBulk.command(sql`DROP TABLE IF EXISTS ${new Sql(name)} SYNC`)
}

const nextOf = ({ database }: ClickHouse): string => `${database}_next`

/** Throws if the disk of ClickHouse lacks room for the tables once more. */
async function requireRoom(store: ClickHouse): Promise<void> {
  const query = sql`
    SELECT
      path, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS total,
      (
        SELECT toFloat64(sum(bytes_on_disk))
        FROM system.parts
        WHERE active AND database = currentDatabase()
      ) AS bytes
    FROM system.disks
    WHERE name = 'default' AND type = 'Local'`
  type Space = { path: string; free: number; total: number; bytes: number }
  // A server may keep its disks from a user.
  const [disk] = await store.rows<Space>(query).catch((): Space[] => [])
  if (disk) requireFree(disk.path, disk)
}

async function drop(store: ClickHouse, database: string): Promise<void> {
  await store.forBulk.command(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
}
