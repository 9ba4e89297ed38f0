// The dataset `transactions`: the transactions that the feed lists; a file for each month of filing, in the feed's order.
import { FILE_COLUMNS } from '../../../application/queries/transactions/transaction-fields.ts'
import type { Sector } from '../../../domain/filings/sector.ts'
import { Sql, sql } from '../connection/sql.ts'
import { column, columnsSql, filedIn, PARQUET, type Column, type Month } from './columns.ts'

/** The columns of the table `transactions`, and the present sector. */
export const TRANSACTION_COLUMNS: readonly Column[] = FILE_COLUMNS.map(({ name, type, description, isOptional }) => ({
  ...column(name, type, name, description),
  isOptional,
}))

/** Returns the sector of each issuer as an expression on `issuer_cik`. */
export function sectorSql(sectors: ReadonlyMap<number, string>): Sql {
  const known = [...sectors].filter(([, sector]) => sector !== 'Unknown').sort(([a], [b]) => a - b)
  if (known.length === 0) return sql`'Unknown'`
  const names = [...new Set(known.map(([, sector]) => sector as Sector))].sort()
  const texts = names.map((name) => sql`${name}`.text).join(', ')
  const places = known.map(([, sector]) => names.indexOf(sector as Sector) + 2)
  return new Sql(`arrayElement(['Unknown', ${texts}], transform(
    issuer_cik, [${known.map(([issuer]) => issuer).join(', ')}], [${places.join(', ')}], 1))`)
}

/** Selects the months of the table, each with a text that changes with its rows and with the sectors of its issuers. */
export const transactionMonthsSql = (sectors: ReadonlyMap<number, string>): Sql => sql`
  SELECT
    formatDateTime(filed_at, '%Y-%m') AS period,
    countIf(deleted = 0) > 0 AS filled,
    concat(
      toString(max(version)), '-', toString(count()), '-',
      toString(sum(cityHash64(issuer_cik, ${sectorSql(sectors)})))
    ) AS source
  FROM transactions
  GROUP BY period
  ORDER BY period
  SETTINGS max_execution_time = 0`

export const transactionFileSql = (month: Month, sectors: ReadonlyMap<number, string>): Sql => sql`
  SELECT ${columnsSql(TRANSACTION_COLUMNS)}
  FROM (
    SELECT *, ${sectorSql(sectors)} AS sector
    FROM transactions FINAL
    WHERE ${filedIn(month)} AND listed
  )
  ORDER BY filed_at DESC, accession DESC, n DESC
  ${PARQUET}`
