// The dataset `notices`: every notice of a proposed sale, how it was judged, and the sales that count for it; a file for
// each month of filing, the newest first.
import { all, sql, type Sql } from '../connection/sql.ts'
import { keysWithin } from '../sort-key.ts'
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
const LINES = `JSONExtractArrayRaw(whole, 'notice', 'lines')`

/** Returns a column of a text in `whole`; null where it is. */
const text = (name: string, path: string, description: string): Column =>
  column(name, 'string', `JSONExtract(whole, ${path}, 'Nullable(String)')`, description)
const day = (name: string, path: string, description: string): Column =>
  column(name, 'date', `toDate32OrNull(JSONExtractString(whole, ${path}))`, description)
/** Returns the expression for a list with one element for each line. */
const ofLines = (field: string): string => `arrayMap(line -> JSONExtractString(line, '${field}'), ${LINES})`

export const NOTICE_COLUMNS: readonly Column[] = [
  column('accessionNumber', 'string', ACCESSION, "EDGAR's number of the notice."),
  column('form', 'string', 'toString(form)', '144 or 144/A.'),
  column('filingDate', 'timestamp(ms, UTC)', TIME_IN_KEY, 'Acceptance; see filingDateBasis.'),
  text('filingDateBasis', `'notice', 'filedBasis'`, 'accepted, filed-date, signature or unknown.'),
  column('issuerCik', 'string', `leftPad(toString(issuer_cik), 10, '0')`, 'Ten digits.'),
  text('companyName', `'notice', 'issuer', 'name'`, 'As typed.'),
  column('sellerCik', 'string', `leftPad(toString(seller_cik), 10, '0')`, 'Ten digits, of the person who files.'),
  text('sellerName', `'notice', 'seller', 'name'`, 'As typed.'),
  column(
    'relationships',
    'list<string>',
    `arrayMap(each -> JSONExtractString(each, 'text'), JSONExtractArrayRaw(whole, 'notice', 'seller', 'relationships'))`,
    'Of the seller to the issuer, as typed.',
  ),
  column(
    'securityTitles',
    'list<string>',
    `arrayDistinct(${ofLines('classTitle')})`,
    'Classes of the lines, as typed.',
  ),
  {
    ...column(
      'units',
      'double',
      `if(arrayExists(line -> JSONExtractRaw(line, 'units') = 'null', ${LINES}), NULL,
        arraySum(line -> JSONExtractFloat(line, 'units'), ${LINES}))`,
      'Units to be sold, of all lines; null if a line gives none.',
    ),
  },
  column('plausibleValue', 'decimal(38,2)', 'value', 'Dollars, of all lines; null where one is suspect or unreadable.'),
  day('saleDate', `'notice', 'lines', 1, 'saleDate'`, 'The approximate day of the sale, of the first line.'),
  column('plan10b51', 'string', `if(plan, 'yes', 'not_stated')`, 'Whether the notice names a Rule 10b5-1 plan.'),
  column(
    'planAdoptionDates',
    'list<string>',
    `JSONExtract(whole, 'notice', 'planAdoptionDates', 'Array(String)')`,
    'Days on which plans were adopted or instructions given.',
  ),
  column(
    'reportedUnits',
    'double',
    `toFloat64(JSONExtractString(whole, 'link', 'reportedUnits'))`,
    'Units of sales that count for it.',
  ),
  text('linkedBy', `'link', 'linkedBy'`, 'How the seller was found: cik, holder or name; null where no sale counts.'),
  day('windowEnd', `'link', 'windowEnd'`, 'The last day whose sales count.'),
  day('firstSale', `'link', 'firstSale'`, 'Trade date of the first sale that counts.'),
  day('lastSale', `'link', 'lastSale'`, 'Trade date of the last sale that counts.'),
  column('finalState', 'string', 'toString(final_state)', 'The state after windowEnd if nothing more is reported.'),
  column(
    'sales',
    'list<string>',
    `arrayMap(each -> JSONExtractString(each, 'saleId'), JSONExtractArrayRaw(whole, 'link', 'allocations'))`,
    'Ids of the transactions that count for it.',
  ),
  text(
    'group',
    `'link', 'group'`,
    'The oldest of several notices for the same shares, which count once; null for others.',
  ),
  text('replacedBy', `'link', 'replacedBy'`, 'The 144/A that took its place.'),
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
