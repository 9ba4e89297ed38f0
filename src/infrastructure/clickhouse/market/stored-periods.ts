// Reads periods of the market that are made, and says which of them have changed since.
import type { SentimentAsked } from '../../../application/queries/aggregates/asked-aggregates.ts'
import type { Sector } from '../../../domain/filings/sector.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { startOfInterval } from '../../../domain/shared/interval.ts'
import type { ClickHouse } from '../connection/client.ts'
import { all, sql, type Sql } from '../connection/sql.ts'
import { daySql, startSql, withinDays, type DayRange, type PeriodSums } from '../queries/aggregates/trade-sums.ts'
import type { IssuerSectors } from '../queries/shared/issuer-sectors.ts'
import { FEED_LIST } from '../queries/shared/transaction-list.ts'
import { changedDaysSql } from './changed-days.ts'
import { STORED_SECTORS_SQL } from './make-periods.ts'
import { classesOf, sumFigures, type Figure } from './period-figures.ts'

export function periodsSql({ by, interval, sector = '' }: Period, { from, end }: DayRange): Sql {
  const start = sql`market_periods.start`
  return sql`
    SELECT toString(${start}) AS start, figures
    FROM market_periods FINAL
    WHERE by = ${by}
      AND interval = ${interval}
      AND sector = ${sector}
      AND ${start} >= toDate32(${from})
      AND ${start} < toDate32(${end})`
}

type Period = Pick<SentimentAsked, 'by' | 'interval'> & { sector?: Sector | '' }

const SECTORS_VERSION_SQL = sql`SELECT max(version) AS version FROM market_sectors`

/** Finds the intervals in which these issuers may have traded: also by rows that were replaced. */
export function movedStartsSql({ by, interval }: Period, range: DayRange, issuers: readonly number[]): Sql {
  return sql`
    SELECT DISTINCT toString(${startSql(interval, daySql(by, FEED_LIST))}) AS start
    FROM transaction_lists
    WHERE ${all([withinDays(FEED_LIST, by, [range]), sql`trader != 0`, sql`issuer_cik IN ${issuers}`])}`
}

interface StoredPeriods {
  made: (PeriodSums & { start: DateText })[]
  /** First days of intervals that have to be summed up from the feed. */
  changed: DateText[]
}

/** Returns the reading of what is asked. */
export function storedPeriods(
  store: ClickHouse,
  issuerSectors: IssuerSectors,
): (ask: SentimentAsked, range: DayRange) => Promise<StoredPeriods> {
  let known: { version: number; sectors: Map<number, string> } | null = null
  const madeSectors = async () => {
    const [{ version } = { version: 0 }] = await store.rows<{ version: number }>(SECTORS_VERSION_SQL)
    if (known?.version === version) return known.sectors
    const rows = await store.rows<{ issuer: number; sector: string }>(STORED_SECTORS_SQL)
    known = { version, sectors: new Map(rows.map(({ issuer, sector }) => [issuer, sector])) }
    return known.sectors
  }
  /** Issuers that are in the sector and were not when the periods were made, or the other way round. */
  const movedIssuers = async (sector: Sector): Promise<number[]> => {
    const [made, present] = await Promise.all([madeSectors(), issuerSectors()])
    const issuers = new Set([...made.keys(), ...present.keys()])
    return [...issuers].filter((issuer) => {
      const [before, now] = [made.get(issuer) ?? 'Unknown', present.get(issuer) ?? 'Unknown']
      return before !== now && (before === sector || now === sector)
    })
  }
  return async (ask, range) => {
    const { by, interval, sector } = ask
    // In the opposite order of the making: what is read here of periods is never older than what is read of changes.
    const moved = sector ? await movedIssuers(sector) : []
    const [days, starts] = await Promise.all([
      store.rows<{ day: DateText }>(changedDaysSql(by, range)),
      moved.length > 0 ? store.rows<{ start: DateText }>(movedStartsSql({ by, interval }, range, moved)) : [],
    ])
    const changed = new Set([
      ...days.map(({ day }) => startOfInterval(day, interval)),
      ...starts.map(({ start }) => start),
    ])
    const rows = await store.rows<{ start: DateText; figures: string }>(periodsSql(ask, range))
    const classes = classesOf(ask)
    return {
      made: rows
        .filter(({ start }) => !changed.has(start))
        .map(({ start, figures }) => ({ start, ...sumFigures(JSON.parse(figures) as Figure[], classes) })),
      changed: [...changed],
    }
  }
}
