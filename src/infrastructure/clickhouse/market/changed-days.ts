// The days of which trades changed since the periods of the market were made. A day is entered after the lists show
// the change, and before the trades themselves are stored: a process killed in between writes both again.
import type { AnalyticsChange } from '../../../application/ports/analytics.ts'
import type { TradeTime } from '../../../application/queries/aggregates/asked-aggregates.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { TradeKey } from '../../../domain/trades/trade.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { FEED_LIST, keyOf } from '../queries/shared/transaction-list.ts'

export type ChangedDays = Record<TradeTime, Set<DateText>>

const KEYS_PER_STATEMENT = 1_000

/** Returns the days that a change touches, read before it is written: of what is removed only the lists know them. */
export async function daysOfChange(
  store: ClickHouse,
  { trades, goneTrades }: Pick<AnalyticsChange, 'trades' | 'goneTrades'>,
): Promise<ChangedDays> {
  const days = daysOfTrades(trades.map(({ filedAt, tradeDay }) => ({ filedAt, day: tradeDay })))
  for (const { filedAt } of goneTrades) days.filed.add(newYorkDay(filedAt))
  for (let from = 0; from < goneTrades.length; from += KEYS_PER_STATEMENT) {
    const found = await store.rows<{ day: DateText }>(goneDaysSql(goneTrades.slice(from, from + KEYS_PER_STATEMENT)))
    for (const { day } of found) days.traded.add(day)
  }
  return days
}

/** Returns the days of trades; `day` is null where it is impossible. */
export function daysOfTrades(trades: readonly { filedAt: number; day: DateText | null }[]): ChangedDays {
  return {
    filed: new Set(trades.map(({ filedAt }) => newYorkDay(filedAt))),
    traded: new Set(trades.flatMap(({ day }) => day ?? [])),
  }
}

/** Without FINAL, so that replaced rows give the days that they had. */
function goneDaysSql(trades: readonly TradeKey[]): Sql {
  return sql`
    SELECT DISTINCT toString(trade_day) AS day
    FROM transaction_lists
    WHERE key IN ${trades.map((trade) => keyOf(FEED_LIST, trade))} AND trade_day > toDate32(0)`
}

/** Enters the days; written with a higher version, or later with the same, a day is changed again. */
export async function enterDays(store: ClickHouse, days: ChangedDays, version: number): Promise<void> {
  const rows = (['filed', 'traded'] as const).flatMap((by) =>
    [...days[by]].map((day) => ({ by, day, version, deleted: 0 })),
  )
  if (rows.length > 0) await store.insert('market_changes', rows)
}

/** Enters the days of a staged data set, when its trades are listed. */
export const enterStagedDaysSql = (version: number): Sql[] => [
  sql`
    INSERT INTO market_changes (by, day, version, deleted)
    SELECT DISTINCT 'filed', toDate32(toDateTime(toUnixTimestamp(filed_at), 'America/New_York')), ${version}, 0
    FROM staged_trades`,
  sql`
    INSERT INTO market_changes (by, day, version, deleted)
    SELECT DISTINCT 'traded', assumeNotNull(toDate32OrNull(trade_date)), ${version}, 0
    FROM staged_trades
    WHERE toDate32OrNull(trade_date) <= filed_day AND toDate32OrNull(trade_date) >= addYears(filed_day, -3)`,
]

/** Reads the days within these bounds that are changed, with the version of the change. */
export function changedDaysSql(by: TradeTime, within?: { from: DateText; end: DateText }): Sql {
  const bounds = within
    ? sql`AND market_changes.day >= toDate32(${within.from}) AND market_changes.day < toDate32(${within.end})`
    : sql``
  return sql`
    SELECT toString(market_changes.day) AS day, version
    FROM market_changes FINAL
    WHERE by = ${by} ${bounds}
    ORDER BY by, market_changes.day`
}
