// The datasets `derivatives`, `holdings` and `balances`: transactions of Table II, holdings of either table, and all
// balances that positions are made from; a file for each month, the newest filing first. ClickHouse has no table of
// these rows: they are read from the filings (month-filings.ts) and staged as JSON.
import type { ExportedBalance } from '../../../application/exports/balance-rows.ts'
import type { ExportedDerivative, ExportedHolding } from '../../../application/exports/filing-rows.ts'
import { Sql, sql } from '../connection/sql.ts'
import { PARQUET, columnsSql, type Column } from './columns.ts'
import { monthsWithFilingsSql } from './filings.ts'

const staged = (name: string, type: Column['type'], description: string): Column => ({
  name,
  type,
  description,
  from: new Sql(`r.${name}`),
  ...(type === 'int32' || type === 'boolean' ? { isOptional: true } : {}),
})
type Staged<Name> = (name: Name, type: Column['type'], description: string) => Column
const derivative: Staged<keyof ExportedDerivative> = staged
const holding: Staged<keyof ExportedHolding> = staged
const both: Staged<keyof ExportedDerivative & keyof ExportedHolding> = staged
const balance: Staged<keyof ExportedBalance> = staged

const UNKNOWN_DAY = 'Null if missing, or not of the years 1900 to 2299.'

const FILING: readonly Column[] = [
  both('accessionNumber', 'string', "EDGAR's number, or local-... for a document that has none."),
  both('form', 'string', '3, 3/A, 4, 4/A, 5 or 5/A.'),
  both('source', 'string', "document, or data_set: the SEC's data sets round amounts to 2 places."),
  { ...staged('filingDate', 'timestamp(ms, UTC)', 'When EDGAR accepted the filing.'), from: sql`filed_at` },
  both('filingDateBasis', 'string', 'What filingDate is based on.'),
  both('issuerCik', 'string', 'Ten digits.'),
  both('companyName', 'string', 'As in this filing.'),
  both('symbols', 'list<string>', 'As typed in this filing, in canonical form.'),
  both('ownerCiks', 'list<string>', 'The reporting owners.'),
  both('ownerNames', 'list<string>', 'As in this filing, in their order.'),
]
const OPTION: readonly Column[] = [
  both('conversionPrice', 'decimal(18,4)', 'Conversion or exercise price, as filed; null if missing.'),
  both('exerciseDate', 'date', UNKNOWN_DAY),
  both('exerciseDateAsFiled', 'string', 'As typed, with errors.'),
  both('expirationDate', 'date', UNKNOWN_DAY),
  both('expirationDateAsFiled', 'string', 'As typed, with errors.'),
  both('underlyingTitle', 'string', 'Title of the underlying security, as filed.'),
  both('underlyingShares', 'decimal(18,4)', 'Of the underlying security; null if missing.'),
  both('underlyingValue', 'decimal(18,4)', 'Of the underlying security in dollars; null if missing.'),
]
const HELD: readonly Column[] = [
  both('sharesOwnedAfter', 'decimal(18,4)', 'What is owned of this security; null if missing.'),
  both('valueOwnedAfter', 'decimal(18,4)', 'The same in dollars, for what has no shares; null if missing.'),
  both('ownership', 'string', 'direct or indirect; null if missing.'),
  both('natureOfOwnership', 'string', 'Of indirect ownership, as filed.'),
  both('footnoted', 'list<string>', 'Cells with a footnote, by their names in the API, where the texts are.'),
  both('url', 'string', "The filing's index page at the SEC."),
]
const SECURITY = both('securityTitle', 'string', 'As filed; empty where a footnote stands in its place.')
const FORM_TYPE = both('transactionFormType', 'string', 'The form that the row belongs on.')

export const DERIVATIVE_COLUMNS: readonly Column[] = [
  ...FILING,
  derivative('place', 'int32', 'Among the transactions of Table II; null for data sets, which have no order.'),
  SECURITY,
  derivative('tradeDate', 'date', 'Null if missing, after the day of filing, or before 1900.'),
  derivative('tradeDateAsFiled', 'string', 'As typed, with errors.'),
  derivative('deemedExecutionDate', 'date', UNKNOWN_DAY),
  derivative('deemedExecutionDateAsFiled', 'string', 'As typed, with errors.'),
  FORM_TYPE,
  derivative('transactionCode', 'string', "The SEC's code; null if missing."),
  derivative('equitySwap', 'boolean', 'Null if missing.'),
  derivative('timeliness', 'string', 'E early, L late; null on time.'),
  derivative('acquiredDisposed', 'string', 'A or D; null if missing.'),
  derivative('shares', 'decimal(18,4)', 'Of the derivative security, as filed; null if missing.'),
  derivative('pricePerShare', 'decimal(18,4)', 'Of the derivative security, in dollars; null if missing.'),
  derivative('totalValue', 'decimal(18,4)', 'As filed in dollars, never computed; null if missing.'),
  ...OPTION,
  ...HELD,
]

export const HOLDING_COLUMNS: readonly Column[] = [
  ...FILING,
  holding('table', 'string', 'non-derivative (Table I) or derivative (Table II).'),
  holding('place', 'int32', 'Among the holdings of this table; null for data sets, which have no order.'),
  SECURITY,
  FORM_TYPE,
  ...OPTION,
  ...HELD,
]

export const BALANCE_COLUMNS: readonly Column[] = [
  ...FILING,
  balance('table', 'string', 'non-derivative (Table I) or derivative (Table II).'),
  balance('kind', 'string', 'transaction or holding.'),
  balance('place', 'int32', 'In the filing, transactions before holdings; null for data sets, which have no order.'),
  balance('balanceDate', 'date', 'The day of the balance: of the transaction, else the period of report.'),
  SECURITY,
  balance('securityClass', 'string', 'The same text for all spellings of the title of one class.'),
  balance('transactionCode', 'string', "The SEC's code; null of holdings."),
  balance('acquiredDisposed', 'string', 'A or D; null of holdings.'),
  balance('shares', 'decimal(18,4)', 'What was acquired or disposed of; null of holdings.'),
  balance('sharesStatus', 'string', 'as_filed, or suspect where the balances contradict shares.'),
  balance('sharesOwnedAfter', 'decimal(18,4)', 'The balance; null if missing.'),
  balance('valueOwnedAfter', 'decimal(18,4)', 'The same in dollars, for what has no shares; null if missing.'),
  balance('ownership', 'string', 'direct or indirect.'),
  balance('natureOfOwnership', 'string', 'Of indirect ownership, as filed.'),
  balance(
    'heldBy',
    'string',
    'The same text for spellings of one nature; of the footnote where it only points to one.',
  ),
  balance('conversionPrice', 'decimal(18,4)', 'Conversion or exercise price, as filed; null if missing.'),
  balance('expirationDate', 'date', UNKNOWN_DAY),
  balance('underlyingTitle', 'string', 'Title of the underlying security, as filed.'),
  balance('underlyingShares', 'decimal(18,4)', 'Of what was traded, or of the holding; null if missing.'),
  balance('disclaimed', 'boolean', 'A footnote disclaims beneficial ownership.'),
  balance('overlapping', 'boolean', 'A footnote says that another row includes these.'),
  balance('exit', 'boolean', 'The filing says that its owners need not report any more.'),
  both('url', 'string', "The filing's index page at the SEC."),
]

/** Selects a text that changes with the rows of a month, and whenever a rebuild writes all filings again. */
export const filingRowMonthsSql = monthsWithFilingsSql(sql`
    SELECT
      'd' AS of, formatDateTime(filed_at, '%Y-%m') AS period, false AS filled, max(version) AS newest,
      count() AS entries
    FROM filing_details
    GROUP BY period`)

/** Types of the staged JSON; amounts and dates are texts, from which they are cast. */
const STAGED: Partial<Record<Column['type'], string>> = {
  'list<string>': 'Array(String)',
  boolean: 'Nullable(Bool)',
  int32: 'Nullable(Int32)',
}

/** Selects the staged rows of a dataset. */
export function filingRowFileSql(dataset: string, columns: readonly Column[]): Sql {
  const read = columns.filter(({ from, name }) => from.text === `r.${name}`)
  const types = read.map(({ name, type }) => `${name} ${STAGED[type] ?? 'Nullable(String)'}`).join(', ')
  return sql`
    SELECT ${columnsSql(columns)}
    FROM (
      SELECT filed_at, accession, n, JSONExtract(content, ${`Tuple(${types})`}) AS r
      FROM staged_export_rows
      WHERE dataset = ${dataset}
    )
    ORDER BY filed_at DESC, accession DESC, n
    ${PARQUET}`
}
