// Computes the filing delay of a data set's rows in SQL, by the same rules and tables of days as the domain
// (domain/trades/filing-delay.ts).
import { filingDays, FIRST_YEAR } from '../../../domain/shared/filing-days.ts'
import { DELAY_RULES } from '../../../domain/trades/filing-delay.ts'
import { isEstimatedSql } from '../connection/domain-sql.ts'
import { Sql, sql } from '../connection/sql.ts'

/** The trade date of a row if it is possible, else NULL. */
export const TRADE_DAY = new Sql(`
  if(
    toString(toDate32OrNull(trade_date)) = trade_date AND toDate32OrNull(trade_date) <= filed_day
      AND toDate32OrNull(trade_date) >= addYears(filed_day, -3),
    toDate32OrNull(trade_date), NULL
  )`)

/** Returns the WITH aliases that the other expressions use. */
export function delayAliases(): Sql {
  const { before, bits } = filingDays()
  return new Sql(`[${before.join(',')}] AS days_before, [${bits.join(',')}] AS day_bits`)
}

/** The number of filing days up to a date; NULL for NULL. Meaningless for dates outside the years of the tables. */
const daysUntil = (date: string): string => `
  (
    days_before[(toYear(${date}) - ${FIRST_YEAR}) * 12 + toMonth(${date})]
    + bitCount(bitAnd(
      toUInt64(day_bits[(toYear(${date}) - ${FIRST_YEAR}) * 12 + toMonth(${date})]),
      bitShiftLeft(toUInt64(2), toDayOfMonth(${date})) - 1
    ))
  )`

const KNOWN = `(NOT ${isEstimatedSql.text} AND isNotNull(traded_on))`
const DEEMED = 'toDate32OrNull(deemed_date)'
const IS_DEEMED = `(
  toString(${DEEMED}) = deemed_date AND ${DEEMED} > traded_on AND ${DEEMED} <= filed_day
  AND ${daysUntil(DEEMED)} - ${daysUntil('traded_on')} <= ${DELAY_RULES.deemed}
)`

/** Business days from `traded_on` to the filing. */
export const businessDaysSql = new Sql(
  `if(${KNOWN}, toUInt16OrNull(toString(${daysUntil('filed_day')} - ${daysUntil('traded_on')})), NULL)`,
)

/** Whether the row was filed after it was due. */
export const lateSql = sql`
  if(
    ${new Sql(KNOWN)} AND form != '4/A' AND form_type != '5' AND timeliness != 'E' AND trade_date >= ${DELAY_RULES.since}
      AND (
        code IN ${DELAY_RULES.codes}
        OR (code = 'G' AND acquired_disposed = 'D' AND trade_date >= ${DELAY_RULES.giftsSince})
      ),
    (${new Sql(daysUntil('filed_day'))}
      - if(ifNull(${new Sql(IS_DEEMED)}, false), ${new Sql(daysUntil(DEEMED))}, ${new Sql(daysUntil('traded_on'))})
    ) > ${DELAY_RULES.due},
    NULL
  )`
