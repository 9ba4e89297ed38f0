// The dataset `notices`: every notice of a proposed sale, how it was judged, and the sales that count for it; a file for
// each month of filing, the newest first.
import { all, sql, type Sql } from '../connection/sql.ts'
import { keysWithin } from '../sort-key.ts'
import { NOTICE_FIELDS } from '../stores/notice-columns.ts'
import {
  column,
  columnsSql,
  monthsOfListSql,
  PARQUET,
  TIME_IN_KEY,
  urlSql,
  type Column,
  type Month,
} from './columns.ts'

const ACCESSION = 'substring(key, 10)'
/** Returns a column of the table, as it is declared. */
const field = (name: keyof typeof NOTICE_FIELDS): Column => {
  const { type, description, isOptional } = NOTICE_FIELDS[name]
  return { ...column(name, type, `\`${name}\``, description), isOptional }
}

export const NOTICE_COLUMNS: readonly Column[] = [
  column('accessionNumber', 'string', ACCESSION, "EDGAR's number of the notice."),
  column('form', 'string', 'toString(form)', '144 or 144/A.'),
  column('filingDate', 'timestamp(ms, UTC)', TIME_IN_KEY, 'Acceptance; see filingDateBasis.'),
  field('filingDateBasis'),
  column('issuerCik', 'string', `leftPad(toString(issuer_cik), 10, '0')`, 'Ten digits.'),
  field('companyName'),
  column('sellerCik', 'string', `leftPad(toString(seller_cik), 10, '0')`, 'Ten digits, of the person who files.'),
  ...(['sellerName', 'relationships', 'securityTitles', 'units'] as const).map(field),
  column('plausibleValue', 'decimal(38,2)', 'value', 'Dollars, of all lines; null where one is suspect or unreadable.'),
  field('saleDate'),
  column('plan10b51', 'string', `if(plan, 'yes', 'not_stated')`, 'Whether the notice names a Rule 10b5-1 plan.'),
  ...(['planAdoptionDates', 'reportedUnits', 'linkedBy', 'windowEnd', 'firstSale', 'lastSale'] as const).map(field),
  column('finalState', 'string', 'toString(final_state)', 'The state after windowEnd if nothing more is reported.'),
  ...(['sales', 'group', 'replacedBy'] as const).map(field),
  column('url', 'string', urlSql(ACCESSION, 'issuer_cik'), "The notice's index page at the SEC."),
]

export const noticeMonthsSql = monthsOfListSql('notices')

export function noticeFileSql({ from, until }: Month): Sql {
  return sql`
    SELECT ${columnsSql(NOTICE_COLUMNS)}
    FROM notices FINAL
    WHERE ${all(keysWithin({ from, before: until }))}
    ORDER BY key
    ${PARQUET}`
}
