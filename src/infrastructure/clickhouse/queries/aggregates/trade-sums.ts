// Sums of open-market trades by interval, from the rows of a list.
import type { TradeTime } from '../../../../application/queries/aggregates/aggregate-requests.ts'
import { addDays, addYears } from '../../../../domain/shared/calendar.ts'
import type { DateText } from '../../../../domain/shared/identifiers.ts'
import type { Interval } from '../../../../domain/shared/interval.ts'
import { newYorkToUtc } from '../../../../domain/shared/new-york-time.ts'
import type { TransactionFilter } from '../../../../domain/trades/transaction-filter.ts'
import { all, any, sql, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import { conditionsOf } from '../feed/filter-sql.ts'
import { countedAt, formerList, keysUntil, tradedAt } from '../shared/as-of.ts'
import { EARLIER_DAYS, LATEST_YEARS } from '../shared/trade-days.ts'
import type { TransactionList } from '../shared/transaction-list.ts'

/** Days from `from` on and before `end`. */
export interface DayRange {
  from: DateText
  end: DateText
}

/** What the trades of one interval sum up to; amounts are exact. */
export interface PeriodSums {
  buys: number
  sells: number
  buyers: number
  sellers: number
  sharesBought: string
  sharesSold: string
  buyValue: string
  sellValue: string
}

const STARTS: Record<Interval, (day: Sql) => Sql> = {
  day: (day) => day,
  week: (day) => sql`toMonday(${day})`,
  month: (day) => sql`toStartOfMonth(${day})`,
  quarter: (day) => sql`toStartOfQuarter(${day})`,
}

/** Returns the first day of a trade's interval as a Date. */
const startSql = (interval: Interval, day: Sql): Sql => STARTS[interval](day)

/** Returns the day of a row of the list as a Date: behind the list and a colon the key has the filing time. */
const daySql = (by: TradeTime, list: TransactionList): Sql =>
  by === 'traded'
    ? sql`toDate(trade_day)`
    : sql`
        toDate(toDateTime(
          reinterpretAsUInt32(reverse(unhex(substring(key, ${list.length + 2}, 8)))), 'America/New_York'
        ))`

/** Returns the conditions on rows of the list with a day in this range. */
function withinDays(list: TransactionList, by: TradeTime, { from, end }: DayRange): Sql {
  const filed = (first: DateText, last: DateText) =>
    sql`key >= ${`${list}:${sortKey(secondOf(first))}`} AND key < ${`${list}:${sortKey(secondOf(last))}`}`
  if (by === 'filed') return filed(from, end)
  return all([
    filed(addDays(from, -EARLIER_DAYS), addDays(addYears(end, LATEST_YEARS), 2)),
    sql`trade_day > toDate32(0) AND trade_day >= toDate32(${from}) AND trade_day < toDate32(${end})`,
  ])
}

/** Returns the first second of a New York day, within what a key can hold. */
const secondOf = (day: DateText): number => Math.min(Math.max(newYorkToUtc(day, 0), 0), MAX_SORTED)

/** Sums up the trades of a list by interval; as of an instant, in seconds, those that were listed then. */
export function sumsSql(request: {
  list: TransactionList
  by: TradeTime
  interval: Interval
  range: DayRange
  filter: Pick<TransactionFilter, 'plans' | 'routine' | 'roles'>
  where?: Sql | null
  asOf?: number | undefined
}): Sql {
  const { list, by, interval, range, filter, where = null, asOf } = request
  return sql`
    SELECT toString(${startSql(interval, daySql(by, list))}) AS start, ${SUMS}
    FROM transaction_lists FINAL
    WHERE ${all([rowsWithin(list, by, range, asOf), tradedAt(asOf), ...conditionsOf(filter), where])}
    GROUP BY start`
}

/** Returns the conditions on rows of a list with a day in this range; as of an instant, on those listed then. */
export const rowsWithin = (list: TransactionList, by: TradeTime, range: DayRange, asOf?: number): Sql =>
  asOf === undefined
    ? withinDays(list, by, range)
    : any([list, formerList(list)].map((each) => all([withinDays(each, by, range), ...listedAt(each, asOf)])))

const listedAt = (list: TransactionList, asOf: number): Sql[] => [
  sql`key < ${keysUntil(list, asOf)}`,
  countedAt(list, asOf),
]

/** The sums, by the names of `PeriodSums`. */
export const SUMS = sql`
  countIf(type = 'buy') AS buys,
  countIf(type = 'sell') AS sells,
  uniqExactIf(trader, type = 'buy') AS buyers,
  uniqExactIf(trader, type = 'sell') AS sellers,
  toString(sumIf(shares, type = 'buy')) AS sharesBought,
  toString(sumIf(shares, type = 'sell')) AS sharesSold,
  toString(sumIf(total_value, type = 'buy')) AS buyValue,
  toString(sumIf(total_value, type = 'sell')) AS sellValue`
