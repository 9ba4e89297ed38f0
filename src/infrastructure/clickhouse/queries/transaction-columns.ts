// A Transaction as the contract names it; all three copies of the trades have these columns.
import { Sql } from '../sql.ts'

export const TIMESTAMP = "'%Y-%m-%dT%H:%i:%SZ'"

export const TRANSACTION_COLUMNS = new Sql(`id, ticker, company_name AS companyName, insider_name AS insiderName,
  insider_title AS insiderTitle, type AS transactionType, shares, price AS pricePerShare, total_value AS totalValue,
  formatDateTime(filed_at, ${TIMESTAMP}) AS filingDate, significance, signals`)

export const NEWEST_FIRST = new Sql('filed_at DESC, accession DESC, n DESC')
