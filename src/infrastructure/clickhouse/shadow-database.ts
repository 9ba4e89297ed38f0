// ShadowDatabase on ClickHouse: a second database with the tables of this version, filled in the background. Its rows
// then move into new tables of the database in use, `<table>_next`, which take the place of those in use, of whichever
// version they are. On a cluster the second database is one of this server alone, and the new tables are those of all
// replicas: tables of two databases can't be exchanged there.
import type { ShadowDatabase } from '../../application/commands/rebuild-analytics.ts'
import type { Clock } from '../../application/ports/system.ts'
import { ClickHouseAnalyticsStore } from './stores/analytics-store.ts'
import { ClickHouse, type ClickHouseOptions } from './connection/client.ts'
import { ClickHouseDataSetStore } from './data-sets/data-set-store.ts'
import { change, createTables, dropTables, knownTables } from './create-tables.ts'
import { requireRoom } from './disk-space.ts'
import { ClickHouseNoticeStore } from './stores/notice-store.ts'
import { ClickHousePriceStore } from './stores/price-store.ts'
import { ClickHouseSectorStore } from './stores/sector-store.ts'
import { ClickHouseSignalStore } from './stores/signal-store.ts'
import { Sql, sql } from './connection/sql.ts'
import { SCHEMA } from './schema.ts'
import { enterSwap } from './stores/generation.ts'

/** Tables that move, that of the version last: once it is in use, so are all others. */
const MOVED = SCHEMA.tables
  .filter(({ name, isKept }) => isKept && name !== 'store_identity')
  .toSorted((one, other) => Number(one.name === 'store_version') - Number(other.name === 'store_version'))

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
    await requireRoom(present, null)
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
    const present = this.#present
    const found = await knownTables(present)
    for (const { name, statement } of MOVED) {
      await dropTables(present, [nextTable(name)])
      await change(present, statement.replace(name, nextTable(name)))
      // Links the parts. On a cluster it waits until all replicas have fetched them, since one without would answer
      // as if there were no rows.
      const source = `${this.#next.database}.${name}`
      await change(
        present,
        `ALTER TABLE ${nextTable(name)} ATTACH PARTITION ALL FROM ${source} SETTINGS alter_sync = 2`,
      )
    }
    await enterSwap(present)
    // Views of former versions go before the tables that they fill; staging tables are made again.
    const moved = new Set(MOVED.map(({ name }) => name))
    await dropTables(
      present,
      found.filter((name) => !moved.has(name) && name !== 'store_identity'),
    )
    const replace = (name: string) =>
      change(
        present,
        found.includes(name)
          ? `EXCHANGE TABLES ${nextTable(name)} AND ${name}`
          : `RENAME TABLE ${nextTable(name)} TO ${name}`,
      )
    const [others, [version]] = [MOVED.slice(0, -1), MOVED.slice(-1)]
    for (const { name } of others) await replace(name)
    for (const table of SCHEMA.tables) if (table !== version) await change(present, table.statement)
    await replace(version!.name)
    await dropTables(
      present,
      MOVED.map(({ name }) => nextTable(name)),
    )
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
  await dropTables(present, await knownTables(present, nextTable))
}

const nextTable = (name: string): string => `${name}_next`
const nextOf = ({ database }: ClickHouse): string => `${database}_next`

async function drop(store: ClickHouse, database: string): Promise<void> {
  await store.forBulk.command(sql`DROP DATABASE IF EXISTS ${new Sql(database)} SYNC`)
}
