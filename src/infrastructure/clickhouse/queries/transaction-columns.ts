// A Transaction as the contract names it, from any copy of the trades.
import { Sql } from '../sql.ts'

export const TIMESTAMP = "'%Y-%m-%dT%H:%i:%SZ'"

export const TRANSACTION_COLUMNS = new Sql(`id, ticker, company_name AS companyName, insider_name AS insiderName,
  insider_title AS insiderTitle, type AS transactionType, shares, price AS pricePerShare, total_value AS totalValue,
  formatDateTime(filed_at, ${TIMESTAMP}) AS filingDate, significance, signals`)

/** What is added to each Transaction where it is asked for: a named tuple comes out as an object. */
const DETAIL = `CAST((accession, code, acquired_disposed, 
  transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown'), trade_date,
  isNull(trade_day) ? 'impossible' : 'plausible', shares_after, toString(price_status), filed_basis, toString(plan),
  toString(plan_source), ambiguous),
  'Tuple(accessionNumber String, transactionCode String, acquiredDisposed String, ownership String, tradeDate String,
  tradeDateStatus String, sharesOwnedAfter Nullable(Decimal(18, 4)), priceStatus String, filingDateBasis String,
  plan10b51 String, planSource String, ambiguousAmendment Bool)') AS detail`

export const transactionColumns = (detail: boolean | undefined): Sql =>
  detail ? new Sql(`${TRANSACTION_COLUMNS.text}, ${DETAIL}`) : TRANSACTION_COLUMNS

/** The key of trades as it is written there, which the engine needs to read in order. */
export const NEWEST_FIRST = new Sql('path, subject, filed_at DESC, accession DESC, n DESC')
