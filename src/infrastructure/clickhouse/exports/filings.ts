// The dataset `filings`: filings of all six forms, a file for each month, newest first.
import { Sql, sql } from '../connection/sql.ts'
import {
  column,
  columnsSql,
  filedIn,
  keysOfMonth,
  PARQUET,
  timeInKey,
  urlSql,
  type Column,
  type Month,
} from './columns.ts'

export const FILING_COLUMNS: readonly Column[] = [
  column('accessionNumber', 'string', 'accession', "EDGAR's number, or local-... for a document that has none."),
  column('form', 'string', 'form', '3, 3/A, 4, 4/A, 5 or 5/A.'),
  column('filingDate', 'timestamp(ms, UTC)', timeInKey('key'), 'When EDGAR accepted the filing.'),
  column('issuerCik', 'string', `leftPad(toString(issuer_cik), 10, '0')`, 'Ten digits.'),
  column('companyName', 'string', 'name', 'As in this filing.'),
  column('symbols', 'list<string>', 'typed', 'As typed in this filing, in canonical form.'),
  column('ownerCiks', 'list<string>', 'owners', 'The reporting owners.'),
  column(
    'ownerNames',
    'list<string>',
    'arrayMap(cik -> owner_names[cik], owners)',
    'As in this filing, in their order.',
  ),
  column('transactions', 'int32', 'transactions', 'Transactions of Table I of a Form 4 or 4/A.'),
  column(
    'seenAt',
    'timestamp(ms, UTC)',
    `if(seen = 0, NULL, toDateTime(seen, 'UTC'))`,
    'When this service first had the document; null for data sets.',
  ),
  column('url', 'string', urlSql('accession', 'issuer_cik'), "The filing's index page at the SEC."),
]

/**
 * Selects the months with filings, each with a text that changes with the filings of the month or with the rows that
 * `beside` selects.
 */
export const monthsWithFilingsSql = (beside: Sql): Sql => sql`
  SELECT
    period, max(filled) AS is_filled,
    arrayStringConcat(arraySort(groupArray(concat(of, toString(newest), '-', toString(entries)))), ' ') AS source
  FROM (
    SELECT
      'f' AS of, formatDateTime(${new Sql(timeInKey('key'))}, '%Y-%m') AS period,
      countIf(deleted = 0) > 0 AS filled, max(version) AS newest, count() AS entries
    FROM filing_lists
    WHERE key >= 'f:' AND key < 'f;'
    GROUP BY period
    UNION ALL${beside}
  )
  GROUP BY period
  HAVING is_filled
  ORDER BY period
  SETTINGS max_execution_time = 0`

export const filingMonthsSql = monthsWithFilingsSql(sql`
    SELECT
      't' AS of, formatDateTime(filed_at, '%Y-%m') AS period, false AS filled, max(version) AS newest,
      count() AS entries
    FROM transactions
    GROUP BY period`)

/** `seenAt` in seconds since 1970, by accession number. */
export function filingFileSql(month: Month, seenAt: readonly (readonly [string, number])[]): Sql {
  const filed = filedIn(month)
  const seen =
    seenAt.length === 0
      ? sql`toUInt32(0)`
      : new Sql(`transform(accession, [${seenAt.map(([accession]) => sql`${accession}`.text).join(', ')}],
          [${seenAt.map(([, at]) => sql`${at}`.text).join(', ')}], 0)`)
  return sql`
    SELECT ${columnsSql(FILING_COLUMNS)}
    FROM (
      SELECT
        key, substring(key, 11) AS accession, issuer_cik, form, name, symbols AS typed,
        arrayMap(cik -> leftPad(toString(cik), 10, '0'), owner_ciks) AS owners,
        ${seen} AS seen
      FROM filing_lists FINAL
      WHERE ${keysOfMonth(month)}
    ) AS listed
    LEFT JOIN (
      SELECT accession, CAST((groupArray(key), groupArray(name)) AS Map(String, String)) AS owner_names
      FROM directory FINAL
      WHERE kind = 'owner' AND ${filed}
      GROUP BY accession
    ) AS named USING accession
    LEFT JOIN (
      SELECT accession, count() AS transactions
      FROM transactions FINAL
      WHERE ${filed}
      GROUP BY accession
    ) AS traded USING accession
    ORDER BY key DESC
    ${PARQUET}`
}
