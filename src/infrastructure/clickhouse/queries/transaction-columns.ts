// The columns of a Transaction under the contract's names, from any copy of the trades.
import { toCik } from '../connection/domain-sql.ts'
import { Sql } from '../connection/sql.ts'

export const TIMESTAMP = "'%Y-%m-%dT%H:%i:%SZ'"

export const TRANSACTION_COLUMNS = new Sql(`
  id, ticker, company_name AS companyName, insider_name AS insiderName, insider_title AS insiderTitle,
  type AS transactionType, shares, price AS pricePerShare, total_value AS totalValue,
  formatDateTime(filed_at, ${TIMESTAMP}) AS filingDate,
  significance, signals`)

/** What `detail` adds to each Transaction: nothing, the fields that rows of every generation have, or all. */
export type Detail = 'none' | 'of-every-generation' | 'full'

/** [name, type, expression], in the order of the answer. */
const DETAIL: readonly (readonly [string, string, string])[] = [
  ['accessionNumber', 'String', 'accession'],
  ['transactionCode', 'String', 'code'],
  ['acquiredDisposed', 'String', 'acquired_disposed'],
  ['ownership', 'String', `transform(direct_indirect, ['D', 'I'], ['direct', 'indirect'], 'unknown')`],
  ['tradeDate', 'String', 'trade_date'],
  ['tradeDateStatus', 'String', `isNull(trade_day) ? 'impossible' : 'plausible'`],
  ['sharesOwnedAfter', 'Nullable(Decimal(18, 4))', 'shares_after'],
  ['priceStatus', 'String', 'toString(price_status)'],
  ['filingDateBasis', 'String', 'filed_basis'],
  ['plan10b51', 'String', 'toString(plan)'],
  ['planSource', 'String', 'toString(plan_source)'],
  ['ambiguousAmendment', 'Bool', 'ambiguous'],
]

/** Fields that rows of the first generation have in the issuer's copy alone, and those derived from them. */
const ADDED: typeof DETAIL = [
  ['issuerCik', 'String', toCik('issuer_cik').text],
  ['insiderCik', 'String', toCik('insider_cik').text],
  ['form', 'String', `if(amendment, '4/A', '4')`],
  ['securityTitle', 'String', 'security_title'],
  [
    'url',
    'Nullable(String)',
    `if(startsWith(accession, 'local-'), NULL, concat(
    'https://www.sec.gov/Archives/edgar/data/', toString(issuer_cik), '/', replaceAll(accession, '-', ''), '/',
    accession, '-index.htm'))`,
  ],
]

/** Returns a named tuple, which is output as an object. */
function tupleOf(fields: typeof DETAIL): string {
  const types = fields.map(([name, type]) => `${name} ${type}`).join(', ')
  return `CAST((${fields.map(([, , value]) => value).join(', ')}), 'Tuple(${types})') AS detail`
}

const COLUMNS: Record<Detail, Sql> = {
  none: TRANSACTION_COLUMNS,
  'of-every-generation': new Sql(`${TRANSACTION_COLUMNS.text}, ${tupleOf(DETAIL)}`),
  full: new Sql(`${TRANSACTION_COLUMNS.text}, ${tupleOf([...DETAIL, ...ADDED])}`),
}

export const transactionColumns = (detail: Detail = 'none'): Sql => COLUMNS[detail]

/** Returns the detail to show, depending on whether the caller requested it. */
export type DetailFor = (asked: boolean | undefined) => Promise<Detail>

export function detailOf(isCurrent: () => Promise<boolean>): DetailFor {
  return async (asked) => {
    if (!asked) return 'none'
    return (await isCurrent()) ? 'full' : 'of-every-generation'
  }
}

/** The key of trades as the table declares it, which the engine needs to read in order. */
export const NEWEST_FIRST = new Sql('path, subject, filed_at DESC, accession DESC, n DESC')
