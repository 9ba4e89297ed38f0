// The dataset `transactions`: the transactions that the feed lists; a file for each month of filing, in the feed's order.
import type { Sector } from '../../../domain/filings/sector.ts'
import { OWNER_ROLES } from '../../../domain/trades/transaction-filter.ts'
import { Sql, sql } from '../connection/sql.ts'
import { roleBits } from '../stores/roles.ts'
import { column, columnsSql, keysOfMonth, PARQUET, timeInKey, type Column, type Month } from './columns.ts'

const ofDetail = (name: string, description: string): Column => column(name, 'string', `d.${name}`, description)
const ofTransaction = (name: string, description: string): Column => column(name, 'string', `t.${name}`, description)

/** The price is missing in the filing, which the API gives as 0. */
const UNPRICED = `d.priceStatus = 'footnote_only'`
const ROLES = OWNER_ROLES.map((role) => `if(bitAnd(roles, ${roleBits([role])}) != 0, '${role}', '')`).join(', ')
const exact = (number: string) => `CAST(toString(${number}) AS Nullable(Decimal(18, 4)))`

export const TRANSACTION_COLUMNS: readonly Column[] = [
  ofTransaction('id', 'As in the API.'),
  ofTransaction('ticker', 'The present one of the company; empty if none is known.'),
  ofTransaction('companyName', 'As in this filing.'),
  ofTransaction('insiderName', 'As filed.'),
  ofTransaction('insiderTitle', 'All roles that apply.'),
  ofTransaction('transactionType', 'As in the API.'),
  column('shares', 'decimal(18,4)', 'shares', 'As filed.'),
  column(
    'pricePerShare',
    'decimal(18,4)',
    `if(${UNPRICED}, NULL, ${exact('t.pricePerShare')})`,
    'Dollars, as filed; null if the filing gives none, where the API has 0.',
  ),
  column(
    'totalValue',
    'decimal(38,2)',
    `if(${UNPRICED}, NULL, total_value)`,
    'Dollars; null if the filing gives no price, where the API has 0.',
  ),
  column('filingDate', 'timestamp(ms, UTC)', timeInKey('key'), 'When EDGAR accepted the filing.'),
  ofTransaction('significance', 'low, medium, high or critical.'),
  column('signals', 'list<string>', 't.signals', 'Labels of the signals that this transaction is part of.'),
  ofDetail('accessionNumber', 'Of the filing.'),
  ofDetail('transactionCode', "The SEC's code; empty if the filing has none."),
  ofDetail('acquiredDisposed', 'A or D; empty if the filing has neither.'),
  ofDetail('ownership', 'direct, indirect or unknown.'),
  column(
    'tradeDate',
    'date',
    `if(d.tradeDateStatus = 'plausible', trade_day, NULL)`,
    'Null where it is impossible or doubtful.',
  ),
  column('tradeDateAsFiled', 'string', 'd.tradeDate', 'As typed, with errors; the tradeDate of the API.'),
  ofDetail('tradeDateStatus', 'plausible, doubtful or impossible.'),
  column('sharesOwnedAfter', 'decimal(18,4)', exact('d.sharesOwnedAfter'), 'Null if the filing does not say.'),
  ofDetail('sharesStatus', 'as_filed, or suspect where the holdings contradict shares.'),
  ofDetail('priceStatus', 'as_filed, zero, footnote_only, suspect, foreign or other_unit.'),
  ofDetail('filingDateBasis', 'What filingDate is based on.'),
  ofDetail('plan10b51', 'yes, no or unknown.'),
  ofDetail('planSource', 'box, footnote or none.'),
  column('ambiguousAmendment', 'boolean', 'd.ambiguousAmendment', 'In a 4/A that fits several originals.'),
  ofDetail('issuerCik', 'Ten digits.'),
  ofDetail('insiderCik', 'Ten digits.'),
  ofDetail('form', '4 or 4/A.'),
  ofDetail('securityTitle', 'As filed.'),
  column('sector', 'string', 'sector', "The company's present sector."),
  column('routine', 'boolean', 'd.routine', 'Traded in this month of the year in each of the three years before.'),
  column('holdingChange', 'double', 'd.holdingChange', 'Change of the holding as a fraction of what was held.'),
  ofDetail('holdingChangeKind', 'changed, new (nothing was held), closed (nothing is left) or unknown.'),
  {
    ...column('businessDaysToFile', 'int32', 'd.businessDaysToFile', 'Business days from the trade to its filing.'),
    isOptional: true,
  },
  {
    ...column('late', 'boolean', 'd.late', 'Filed after it was due; null where it was not due within two days.'),
    isOptional: true,
  },
  column('isWeightedAverage', 'boolean', 'd.isWeightedAverage', 'The price is an average of several trades.'),
  column('lowPrice', 'decimal(18,4)', exact('d.lowPrice'), 'The lowest price of these trades, from a footnote.'),
  column('highPrice', 'decimal(18,4)', exact('d.highPrice'), 'The highest price of these trades, from a footnote.'),
  column(
    'coOwners',
    'list<string>',
    `arrayMap(
      owner -> concat(owner.cik, ' ', owner.name, if(owner.title = '', '', concat(', ', owner.title))), d.coOwners)`,
    'The other reporting owners of the filing: CIK, name and roles.',
  ),
  {
    ...column('firstBuyInYears', 'int32', 'd.firstBuyInYears', 'Of a purchase: years without a known one before.'),
    isOptional: true,
  },
  column('previousBuyDate', 'date', 'd.previousBuyDate', 'The newest purchase of its owners known before; else null.'),
  column('url', 'string', 'd.url', "The filing's index page at the SEC."),
  column(
    'ownerCiks',
    'list<string>',
    `arrayMap(cik -> leftPad(toString(cik), 10, '0'), owner_ciks)`,
    'All reporting owners of the filing.',
  ),
  column('roles', 'list<string>', `arrayFilter(role -> role != '', [${ROLES}])`, 'Roles that an owner has.'),
]

/** The parts of the JSON text of a Transaction that columns are made from, as a type. */
export const TRANSACTION = `Tuple(id String, ticker String, companyName String, insiderName String, insiderTitle String,
  transactionType String, pricePerShare Float64, significance String, signals Array(String))`
/** The same of its details. */
export const DETAIL = `Tuple(accessionNumber String, transactionCode String, acquiredDisposed String, ownership String,
  tradeDate String, tradeDateStatus String, sharesOwnedAfter Nullable(Float64), sharesStatus String,
  priceStatus String, filingDateBasis String, plan10b51 String, planSource String, ambiguousAmendment Bool,
  issuerCik String, insiderCik String, form String, securityTitle String, routine Bool, holdingChange Nullable(Float64),
  holdingChangeKind String,
  businessDaysToFile Nullable(Int32), late Nullable(Bool), isWeightedAverage Bool, lowPrice Nullable(Float64),
  highPrice Nullable(Float64), coOwners Array(Tuple(cik String, name String, title String)),
  firstBuyInYears Nullable(Int32), previousBuyDate Nullable(Date32), url Nullable(String))`

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

/** Selects the months of a table with the time of its rows, each with a text that changes with its rows and sectors. */
export const tradeMonthsSql = (time: Sql, from: Sql, sectors: ReadonlyMap<number, string>): Sql => sql`
  SELECT
    formatDateTime(${time}, '%Y-%m') AS period,
    countIf(deleted = 0) > 0 AS filled,
    concat(
      toString(max(version)), '-', toString(count()), '-',
      toString(sum(cityHash64(issuer_cik, ${sectorSql(sectors)})))
    ) AS source
  FROM ${from}
  GROUP BY period
  ORDER BY period
  SETTINGS max_execution_time = 0`

export const transactionMonthsSql = (sectors: ReadonlyMap<number, string>): Sql =>
  tradeMonthsSql(new Sql(timeInKey('key')), sql`transaction_lists WHERE key >= 'f:' AND key < 'f;'`, sectors)

export function transactionFileSql(month: Month, sectors: ReadonlyMap<number, string>): Sql {
  const range = keysOfMonth(month)
  return sql`
    SELECT ${columnsSql(TRANSACTION_COLUMNS)}
    FROM (
      SELECT
        key, shares, total_value, trade_day, roles, issuer_cik, substring(key, 11, length(key) - 19) AS accession,
        JSONExtract(transaction, ${TRANSACTION}) AS t, JSONExtract(detail, ${DETAIL}) AS d,
        ${sectorSql(sectors)} AS sector
      FROM transaction_lists FINAL
      WHERE ${range}
    ) AS listed
    LEFT JOIN (
      SELECT substring(key, 11) AS accession, any(owner_ciks) AS owner_ciks
      FROM filing_lists FINAL
      WHERE ${range}
      GROUP BY accession
    ) AS filing USING accession
    ORDER BY key DESC
    ${PARQUET}`
}
