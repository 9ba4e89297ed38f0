// The query of an insider's record: counts, medians and shares over all their open-market trades, and their signals.
import type { Computations, Compute } from '../../../../application/ports/computations.ts'
import type { components } from '../../../../contract.ts'
import { daysBetween } from '../../../../domain/shared/calendar.ts'
import type { Cik, DateText } from '../../../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../../../domain/shared/new-york-time.ts'
import type { Signal } from '../../../../domain/signals/signal.ts'
import { deadlineSignal } from '../../../deadline.ts'
import { parseRows } from '../../connection/answer-shape.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { returnsOfInsider, type PresentPrices } from '../shared/returns.ts'
import { placeOf, withinList, type TransactionList } from '../shared/transaction-list.ts'
import { unitsOf } from '../shared/decimal-units.ts'

type InsiderRecord = components['schemas']['InsiderRecord']

export const tradesSql = (list: TransactionList): Sql => sql`
  SELECT key, toString(type) AS type, toString(total_value) AS value, plan = 'yes' AS planned, routine AS habitual,
    nullIf(toString(trade_day), '1970-01-01') AS day
  FROM transaction_lists FINAL
  WHERE ${withinList(list)} AND trader != 0`

/** The signals that hold of companies that the insider traded. */
export const signalsOfRecordSql = (list: TransactionList): Sql => sql`
  SELECT whole
  FROM signals FINAL
  WHERE path = 'issuer' AND toUnixTimestamp(ended_at) = 0
    AND subject IN (SELECT issuer_cik FROM transaction_lists FINAL WHERE ${withinList(list)} AND trader != 0)`

type TradeColumns = [
  key: string,
  type: 'buy' | 'sell',
  value: string,
  planned: 0 | 1,
  habitual: boolean,
  day: DateText | null,
]

/** What the record is made from. */
interface RecordSources {
  store: ClickHouse
  prices: PresentPrices
  compute: Compute
}

export async function insiderRecord(
  { store, prices, compute }: RecordSources,
  cik: Cik,
  list: TransactionList,
): Promise<InsiderRecord> {
  const [trades, signals, returns] = await Promise.all([
    store.lines(tradesSql(list)),
    store.lines(signalsOfRecordSql(list)),
    returnsOfInsider(store, prices, list),
  ])
  const record = await compute('caller', 'insiderRecord', { cik, trades, signals }, deadlineSignal())
  return { ...record, ...(returns && { returns }) }
}

/** Computes the record from what the statements returned, in a worker thread: some insiders trade each day. */
export const recordOfRows: Computations['insiderRecord'] = ({ cik, ...rows }) => {
  const trades = parseRows<TradeColumns>(rows.trades).map(toTradeRow)
  const signals = parseRows<[whole: string]>(rows.signals)
    .map(([whole]) => (JSON.parse(whole) as { signal: Signal }).signal)
    .filter(({ persons }) => persons.some((person) => person.cik === cik))
  const count = (severity: Signal['severity']) => signals.filter((signal) => signal.severity === severity).length
  const buys = trades.filter(({ type }) => type === 'buy')
  const sells = trades.filter(({ type }) => type === 'sell')
  const valuesOf = (rows: TradeRow[]) => rows.map(({ value }) => unitsOf(value, 2))
  const days = trades.flatMap(({ day }) => day ?? [])
  const delays = trades.flatMap(({ key, day }) => (day === null ? [] : daysToFile(key, day)))
  return {
    firstTradeDate: days.length > 0 ? days.reduce((a, b) => (a < b ? a : b)) : null,
    buys: buys.length,
    sells: sells.length,
    medianBuyValue: medianOf(valuesOf(buys), 100),
    medianSellValue: medianOf(valuesOf(sells), 100),
    planShare: shareOf(trades, ({ planned }) => planned),
    routineShare: shareOf(trades, ({ habitual }) => habitual),
    medianDaysToFile: medianOf(delays, 1),
    signals: { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') },
  }
}

const toTradeRow = ([key, type, value, planned, habitual, day]: TradeColumns) => ({
  ...{ key, type, value, habitual, day },
  planned: planned === 1,
})
type TradeRow = ReturnType<typeof toTradeRow>

/** Days from the trade to its filing, in New York. */
const daysToFile = (key: string, day: DateText): bigint =>
  BigInt(Math.max(0, daysBetween(day, newYorkDay(placeOf(key).filedAt))))

/** Returns the median of values in units, of which `unitsPerOne` make one. Half a cent is rounded up. */
function medianOf(values: readonly bigint[], unitsPerOne: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!]
  if (unitsPerOne === 1) return Number(low + high) / 2
  return Number((low + high + 1n) / 2n) / unitsPerOne
}

/** Returns the share of trades, to 4 places; null for none. */
function shareOf(trades: readonly TradeRow[], is: (trade: TradeRow) => boolean): number | null {
  if (trades.length === 0) return null
  return Math.round((trades.filter(is).length / trades.length) * 10_000) / 10_000
}
