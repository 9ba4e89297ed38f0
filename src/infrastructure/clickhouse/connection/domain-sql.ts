// Domain rules as SQL, for rows of data sets, which ClickHouse writes without this process reading them. The SQL is
// generated from the tables and limits of the domain; integration tests compare its results with the domain's.
import { ESTIMATED_BASES } from '../../../domain/filings/acceptance-time.ts'
import { PRICE_LIMITS } from '../../../domain/trades/price-status.ts'
import { SEVERITIES, SIGNIFICANCE_STEPS, type SignificanceFloors } from '../../../domain/trades/significance.ts'
import { TRANSACTION_CODES } from '../../../domain/trades/transaction-codes.ts'
import { Sql, sql } from './sql.ts'

/** Returns a CIK column as its ten digits. */
export const toCik = (column: string): Sql => new Sql(`leftPad(toString(${column}), 10, '0')`)

/** Whether the time of a filing is only estimated, as `isEstimated` decides. */
export const isEstimatedSql = sql`filed_basis IN ${ESTIMATED_BASES}`

/** The value of a trade: shares times price, to the cent. */
export const totalValueSql = new Sql('round(toDecimal128(shares, 4) * ifNull(price, 0), 2)')

/** Returns SQL for the type: `buy` for P with A and so on; P and S whose direction contradicts them are `other`. */
export function typeSql(): Sql {
  const codes = Object.entries(TRANSACTION_CODES)
  const wrong = codes
    .filter(([, { direction }]) => direction)
    .map(([code, { direction }]) => sql`code = ${code} AND acquired_disposed != ${direction!}`.text)
    .join(' OR ')
  return sql`
    if(
      ${new Sql(wrong)},
      'other',
      transform(code, ${arrayOf(codes.map(([code]) => code))}, ${arrayOf(codes.map(([, { type }]) => type))}, 'other')
    )`
}

/** Returns SQL for the price status, as far as the row alone shows it; the data sets have no foreign symbols. */
export function priceStatusSql(): Sql {
  return sql`
    multiIf(
      isNull(price), 'footnote_only', price = 0, 'zero', other_unit, 'other_unit', ${priceTooHighSql()}, 'suspect',
      'as_filed'
    )`
}

/** Returns SQL for whether a price is too high regardless of the issuer's other prices. */
function priceTooHighSql(): Sql {
  const { price, value } = PRICE_LIMITS
  return sql`price > ${Number(price.units)} OR toDecimal128(shares, 4) * price > ${Number(value.units)}`
}

const standingSql = sql`
  multiIf(
    arrayExists(role -> bitAnd(role, 3) != 0, owner_roles), 'officer_or_director',
    arrayExists(role -> bitAnd(role, 4) != 0, owner_roles), 'ten_percent_owner',
    'other'
  )`

const isCounted = sql`
  type IN ('buy', 'sell') AND listed AND price_status = 'as_filed' AND shares_status = 'as_filed'
  AND NOT has(owner_ciks, issuer_cik)`

/**
 * Returns SQL for the significance, for rows that include all those of their filings. Without signals and routine,
 * which are decided later.
 */
export function significanceSql(floors: SignificanceFloors): Sql {
  const sum = sql`sum(if(${isCounted}, total_value, 0)) OVER (PARTITION BY accession, type)`
  const steps = (['buy', 'sell'] as const).flatMap((type) =>
    SIGNIFICANCE_STEPS[type].map(
      ([floor, severity]) => sql`type = ${type} AND ${sum} >= ${floors[floor]}, ${SEVERITIES.indexOf(severity)}`.text,
    ),
  )
  const lower = sql`if(${standingSql} = 'ten_percent_owner', 1, 0)`
  return sql`
    if(
      ${isCounted} AND plan != 'yes' AND ${standingSql} != 'other',
      ${arrayOf([...SEVERITIES])}[1 + greatest(0, multiIf(${new Sql(steps.join(', '))}, 0) - ${lower})],
      'low'
    )`
}

const arrayOf = (texts: string[]): Sql => new Sql(`[${texts.map((text) => sql`${text}`.text).join(', ')}]`)
