// Computes the trade day and the filing delay of a data set's rows in SQL, by the same rules and tables of days as the
// domain (domain/trades/trade-date.ts, domain/trades/filing-delay.ts).
import { filingDays, FIRST_YEAR } from '../../../domain/shared/filing-days.ts'
import { DELAY_RULES } from '../../../domain/trades/filing-delay.ts'
import { DAYS_BEFORE_PERIOD } from '../../../domain/trades/trade-date.ts'
import { isEstimatedSql } from '../connection/domain-sql.ts'
import { Sql, sql } from '../connection/sql.ts'

/** A text as a date if it is one, else NULL. */
const realDate = (column: string): string =>
  `if(toString(toDate32OrNull(${column})) = ${column}, toDate32OrNull(${column}), NULL)`

/**
 * Returns the WITH aliases that the other expressions use. `traded_on` is the trade date of a row if it is plausible,
 * else NULL.
 */
export function delayAliases(): Sql {
  const { before, bits } = filingDays()
  return sql`
    ${new Sql(`[${before.join(',')}] AS days_before, [${bits.join(',')}] AS day_bits`)},
    ${new Sql(`${realDate('trade_date')} AS filed_trade_date, ${realDate('period')} AS reported_on`)},
    ${new Sql(`${realDate('original_date')} AS original_on, ${realDate('deemed_date')} AS deemed_on`)},
    if(filed_trade_date <= filed_day AND filed_trade_date >= addYears(filed_day, -3), filed_trade_date, NULL)
      AS possible_on,
    if(ifNull(original_on >= reported_on AND original_on < filed_day, false), original_on, filed_day) AS submitted_on,
    if(ifNull(${contradictedSql}, false), NULL, possible_on) AS traded_on`
}

/** The number of filing days up to a date; NULL for NULL. Meaningless for dates outside the years of the tables. */
const daysUntil = (date: string): Sql =>
  new Sql(`
  (
    days_before[(toYear(${date}) - ${FIRST_YEAR}) * 12 + toMonth(${date})]
    + bitCount(bitAnd(
      toUInt64(day_bits[(toYear(${date}) - ${FIRST_YEAR}) * 12 + toMonth(${date})]),
      bitShiftLeft(toUInt64(2), toDayOfMonth(${date})) - 1
    ))
  )`)

const daysAfter = (from: string, to: string): Sql => sql`(${daysUntil(to)} - ${daysUntil(from)})`

/** Days from a trade to its filing, which begin with the day of deemed execution where that is possible. */
const countedDays = (from: string, to: string): Sql => sql`
  if(
    ifNull(
      deemed_on > ${new Sql(from)} AND deemed_on <= ${new Sql(to)}
        AND ${daysAfter(from, 'deemed_on')} <= ${DELAY_RULES.deemed},
      false
    ),
    ${daysAfter('deemed_on', to)}, ${daysAfter(from, to)}
  )`

/** Whether a row was due in two business days, if it was of that day. */
const dueSql = (day: string): Sql => sql`(
  form_type != '5' AND timeliness != 'E' AND ${new Sql(day)} >= toDate32(${DELAY_RULES.since})
  AND (
    code IN ${DELAY_RULES.codes}
    OR (code = 'G' AND acquired_disposed = 'D' AND ${new Sql(day)} >= toDate32(${DELAY_RULES.giftsSince}))
  )
)`

const contradictedSql = sql`
  possible_on < reported_on AND reported_on <= submitted_on AND ${dueSql('reported_on')}
    AND ${daysAfter('possible_on', 'reported_on')} > ${DAYS_BEFORE_PERIOD}
    AND ${daysAfter('reported_on', 'submitted_on')} <= ${DELAY_RULES.due}
    AND ${countedDays('possible_on', 'submitted_on')} > ${DELAY_RULES.due}`

const knownSql = sql`(NOT ${isEstimatedSql} AND isNotNull(traded_on))`

/** Business days from `traded_on` to the filing. */
export const businessDaysSql = sql`
  if(${knownSql}, toUInt16OrNull(toString(${daysAfter('traded_on', 'filed_day')})), NULL)`

/** Whether the row was filed after it was due. */
export const lateSql = sql`
  if(
    ${knownSql} AND form != '4/A' AND ${dueSql('traded_on')},
    ${countedDays('traded_on', 'filed_day')} > ${DELAY_RULES.due}, NULL
  )`
