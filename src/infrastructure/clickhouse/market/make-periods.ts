// Makes the periods of the market whose trades changed, one quarter of changed days after the other, beside everything
// else that the active process does. What is asked meanwhile is summed up from the feed, so no answer waits for it.
import type { MarketPeriods } from '../../../application/ports/analytics.ts'
import type { TradeTime } from '../../../application/queries/aggregates/asked-aggregates.ts'
import { SECTORS, type Sector, type SectorOf } from '../../../domain/filings/sector.ts'
import { cikOf, type DateText } from '../../../domain/shared/identifiers.ts'
import { INTERVALS, moveInterval, startOfInterval, type Interval } from '../../../domain/shared/interval.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { all, Sql, sql } from '../connection/sql.ts'
import { daySql, startSql, withinDays, type DayRange } from '../queries/aggregates/trade-sums.ts'
import { FEED_LIST } from '../queries/shared/transaction-list.ts'
import { changedDaysSql } from './changed-days.ts'
import { classSql } from './period-figures.ts'

/** One interval of the market. */
interface Period {
  interval: Interval
  start: DateText
}

/** A day that is changed, by the version of its change. */
interface ChangedDay {
  day: DateText
  version: number
}

/** Sums up the trades of these periods, which lie close together: each trade belongs to one of each interval. */
export function figuresSql(by: TradeTime, periods: readonly Period[], sectors: ReadonlyMap<number, Sector>): Sql {
  const day = daySql(by, FEED_LIST)
  const starts = INTERVALS.map((interval) => sql`(${interval}, ${startSql(interval, sql`day`)})`.text).join(', ')
  const wanted = new Sql(periods.map(({ interval, start }) => sql`(${interval}, toDate(${start}))`.text).join(', '))
  return sql`
    SELECT period.1 AS interval, toString(period.2) AS start, sector,
      toJSONString(groupArray((type, classes, one, persons, trades, toString(shares), toString(value)))) AS figures
    FROM (
      SELECT period, sector, type, classes, part.1 AS one, count() AS persons, sum(part.2) AS trades,
        sum(part.3) AS shares, sum(part.4) AS value
      FROM (
        SELECT period, sector, type, groupBitOr(class) AS classes, groupArray((class, trades, shares, value)) AS parts
        FROM (
          SELECT
            arrayJoin(arrayFilter(each -> each IN (${wanted}), [${new Sql(starts)}])) AS period,
            arrayJoin(['', ${sectorSql(sectors)}]) AS sector, toString(row_type) AS type, trader, class,
            count() AS trades, sum(row_shares) AS shares, sum(row_value) AS value
          FROM (
            SELECT ${day} AS day, issuer_cik, trader, type AS row_type, ${classSql} AS class,
              shares AS row_shares, total_value AS row_value
            FROM transaction_lists FINAL
            WHERE ${all([withinDays(FEED_LIST, by, [spanOf(periods)]), sql`trader != 0`])}
          )
          GROUP BY period, sector, type, trader, class
        )
        GROUP BY period, sector, type, trader
      )
      ARRAY JOIN parts AS part
      GROUP BY period, sector, type, classes, one
    )
    GROUP BY period, sector
    SETTINGS max_execution_time = 0, max_bytes_before_external_group_by = 100000000`
}

function spanOf(periods: readonly Period[]): DayRange {
  const froms = periods.map(({ start }) => start).toSorted()
  const ends = periods.map(({ start, interval }) => moveInterval(start, interval, 1)).toSorted()
  return { from: froms[0]!, end: ends.at(-1)! }
}

function sectorSql(sectors: ReadonlyMap<number, Sector>): Sql {
  if (sectors.size === 0) return sql`'Unknown'`
  const names = [...sectors.values()].map((sector) => SECTORS.indexOf(sector))
  const list = new Sql(`[${SECTORS.map((name) => sql`${name}`.text).join(', ')}]`)
  return sql`${list}[1 + transform(issuer_cik, [${new Sql([...sectors.keys()].join(', '))}], [${new Sql(
    names.join(', '),
  )}], ${SECTORS.indexOf('Unknown')})]`
}

export const STORED_SECTORS_SQL = sql`SELECT issuer_cik AS issuer, sector FROM market_sectors FINAL`

export class ClickHouseMarketPeriods implements MarketPeriods {
  readonly #store: ClickHouse
  readonly #sectors: () => Promise<SectorOf>
  readonly #nextVersion: () => Promise<number>
  /** Issuers with open-market trades; null until they were read. */
  #issuers: Set<number> | null = null
  /** Days of filing whose periods were made last: a trade may have come while they were. */
  #lastMade: ChangedDay[] = []

  /** `sectors` are the present ones. */
  constructor(store: ClickHouse, sectors: () => Promise<SectorOf>, nextVersion: () => Promise<number>) {
    this.#store = store.forBulk
    this.#sectors = sectors
    this.#nextVersion = nextVersion
  }

  async makeChanged(signal: AbortSignal): Promise<number> {
    const sectors = await this.#followSectors()
    let made = 0
    for (const by of ['filed', 'traded'] as const) {
      const days = await this.#store.rows<ChangedDay>(changedDaysSql(by))
      if (by === 'filed') this.#lastMade = days
      for (const quarter of Map.groupBy(days, ({ day }) => startOfInterval(day, 'quarter')).values()) {
        signal.throwIfAborted()
        made += await this.#make(by, quarter, sectors)
      }
    }
    return made
  }

  /** Makes all periods that these days are in. */
  async #make(by: TradeTime, days: readonly ChangedDay[], sectors: ReadonlyMap<number, Sector>): Promise<number> {
    const version = await this.#nextVersion()
    const periods = INTERVALS.flatMap((interval) =>
      [...new Set(days.map(({ day }) => startOfInterval(day, interval)))].map((start): Period => ({ interval, start })),
    )
    const found = await this.#store.rows<Period & { sector: string; figures: string }>(figuresSql(by, periods, sectors))
    const figuresOf = new Map(
      found.map(({ interval, start, sector, figures }) => [`${interval} ${start} ${sector}`, figures]),
    )
    const rows = periods.flatMap(({ interval, start }) =>
      ['', ...SECTORS].map((sector): InsertRow => {
        const figures = figuresOf.get(`${interval} ${start} ${sector}`) ?? '[]'
        return { by, interval, sector, start, figures, version }
      }),
    )
    await this.#store.insert('market_periods', rows)
    // What changed while these were made has a higher version, or was entered again after this.
    await this.#store.insert(
      'market_changes',
      days.map(({ day, version: changed }) => ({ by, day, version: changed, deleted: 1 })),
    )
    return periods.length
  }

  /** Reads all at first, later those of the days that changed, so that a minute does not cost more with history. */
  async #tradingIssuers(): Promise<ReadonlySet<number>> {
    const changed = [...this.#lastMade, ...(await this.#store.rows<ChangedDay>(changedDaysSql('filed')))]
    const days = changed.map(({ day }) => day).toSorted()
    const issuers = this.#issuers ?? new Set()
    if (this.#issuers === null || days.length > 0) {
      const range = this.#issuers && { from: days[0]!, end: moveInterval(days.at(-1)!, 'day', 1) }
      for (const { issuer } of await this.#store.rows<{ issuer: number }>(issuersSql(range))) issuers.add(issuer)
    }
    this.#issuers = issuers
    return issuers
  }

  /**
   * Enters the days of issuers that have moved to another sector, then their sectors: a query finds either the old
   * sector, or the days among those changed.
   */
  async #followSectors(): Promise<ReadonlyMap<number, Sector>> {
    const store = this.#store
    const [sectorOf, stored, issuers] = await Promise.all([
      this.#sectors(),
      store.rows<{ issuer: number; sector: Sector }>(STORED_SECTORS_SQL),
      this.#tradingIssuers(),
    ])
    const before = new Map(stored.map(({ issuer, sector }) => [issuer, sector]))
    const present = new Map([...issuers].map((issuer) => [issuer, sectorOf(cikOf(issuer))]))
    const moved = [...present].filter(([issuer, sector]) => (before.get(issuer) ?? 'Unknown') !== sector)
    if (moved.length > 0) {
      const version = await this.#nextVersion()
      for (const by of ['filed', 'traded'] as const) {
        await store.command(
          enterMovedSql(
            by,
            moved.map(([issuer]) => issuer),
            version,
          ),
        )
      }
      await store.insert(
        'market_sectors',
        moved.map(([issuer_cik, sector]) => ({ issuer_cik, sector, version })),
      )
    }
    return new Map([...present].filter(([, sector]) => sector !== 'Unknown'))
  }
}

/** Finds the issuers with open-market trades, of all days or of those filed within a range. */
const issuersSql = (range: DayRange | null): Sql => sql`
  SELECT DISTINCT issuer_cik AS issuer
  FROM transaction_lists
  WHERE ${range ? withinDays(FEED_LIST, 'filed', [range]) : sql`key >= 'f:' AND key < 'f;'`} AND trader != 0
  SETTINGS max_execution_time = 0`

function enterMovedSql(by: TradeTime, issuers: readonly number[], version: number): Sql {
  const possible = by === 'traded' ? sql`AND trade_day > toDate32(0)` : sql``
  return sql`
    INSERT INTO market_changes (by, day, version, deleted)
    SELECT DISTINCT ${by}, toDate32(${daySql(by, FEED_LIST)}), ${version}, 0
    FROM transaction_lists
    WHERE key >= 'f:' AND key < 'f;' AND trader != 0 AND issuer_cik IN ${issuers} ${possible}
    SETTINGS max_execution_time = 0`
}
