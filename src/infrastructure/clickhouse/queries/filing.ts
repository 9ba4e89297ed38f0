// Queries about one filing: the decisions about its transactions, its details from a data set, and the names in it.
import type { FilingAnalytics, KnownFiling } from '../../../application/queries/filings/filing-analytics.ts'
import type { DecidedTrade } from '../../../application/queries/filings/filing-answer.ts'
import type { components } from '../../../contract.ts'
import { cikNumber, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { toFilingDetails } from '../data-sets/read-details.ts'
import { readTrades } from '../stores/trade-rows.ts'
import { filings } from './filings.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { keyAt, listOfCompany, placeOf } from './shared/transaction-list.ts'

type Transaction = components['schemas']['Transaction']
type LinkedNotice = components['schemas']['LinkedNotice']
type TransactionDetail = components['schemas']['TransactionDetail']

type FilingKey = Pick<KnownFiling, 'accession' | 'issuerCik' | 'filedAt'>

const within = ({ issuerCik, filedAt, accession }: FilingKey): Sql => sql`
  issuer_cik = ${cikNumber(issuerCik)} AND filed_at = ${new Date(filedAt * 1000)}
  AND accession = ${accession}`

/** Reads the rows of a filing that its company's list shows, as the contract has them. */
export function listedTradesSql({ issuerCik, filedAt, accession }: FilingKey): Sql {
  const key = `${keyAt(listOfCompany(cikNumber(issuerCik)), filedAt)}${accession}`
  return sql`
    SELECT key, transaction, detail
    FROM transaction_lists FINAL
    WHERE key >= ${`${key} `} AND key < ${`${key}!`}`
}

/** Selects the filings of which this one superseded rows. */
export function amendedFilingsSql({ issuerCik, accession }: FilingKey): Sql {
  return sql`
    SELECT DISTINCT accession
    FROM trades FINAL
    WHERE issuer_cik = ${cikNumber(issuerCik)}
      AND superseded_by = ${accession} AND accession != ${accession}`
}

/** Reads the names of issuer and owners as in this filing. */
export function filingNamesSql({ issuerCik, filedAt, accession, ownerCiks }: FilingKey & { ownerCiks: Cik[] }): Sql {
  return sql`
    SELECT directory.kind = 'issuer' AS isIssuer, key, directory.name AS name
    FROM directory FINAL
    WHERE kind IN ('issuer', 'owner') AND key IN ${[issuerCik, ...ownerCiks]}
      AND filed_at = ${new Date(filedAt * 1000)} AND accession = ${accession}`
}

/** Reads the notices of proposed sales that its transactions count for. */
export const noticesOfFilingSql = (accession: AccessionNumber): Sql => sql`
  SELECT sale_id AS id, accession, toString(units) AS units
  FROM notice_sales FINAL
  WHERE sale_id >= ${`${accession}-`} AND sale_id < ${`${accession}.`}
  ORDER BY sale_id, accession`

/** Reads the filing's details from a data set. */
export function filingDetailsSql({ filedAt, accession }: Omit<FilingKey, 'issuerCik'>): Sql {
  return sql`
    SELECT content
    FROM filing_details FINAL
    WHERE filed_at = ${new Date(filedAt * 1000)} AND accession = ${accession}`
}

export function filingAnalytics(store: ClickHouse, lists: CompanyLists): FilingAnalytics {
  return {
    filings: filings(store, lists),
    decisions: async (filing) => {
      const isForm4 = filing.form === '4' || filing.form === '4/A'
      const [listed, amends, sales, { byIssuer }] = await Promise.all([
        isForm4 ? store.rows<ListedRow>(listedTradesSql(filing)) : [],
        filing.form === '4/A' ? store.rows<{ accession: AccessionNumber }>(amendedFilingsSql(filing)) : [],
        isForm4 ? store.rows<SaleRow>(noticesOfFilingSql(filing.accession)) : [],
        lists(),
      ])
      const present = (byIssuer.get(cikNumber(filing.issuerCik)) ?? []).map(({ ticker }) => ticker)
      const notices = new Map<string, LinkedNotice[]>()
      for (const { id, accession, units } of sales)
        notices.set(id, [...(notices.get(id) ?? []), { accessionNumber: accession, units: Number(units) }])
      return { present, notices, trades: listed.map(listedTrade), amends: amends.map(({ accession }) => accession) }
    },
    trades: (filing) => readTrades(store, within(filing)),
    details: async (filing) => {
      const [row] = await store.rows<{ content: string }>(filingDetailsSql(filing))
      return row ? toFilingDetails(filing, row.content) : null
    },
    names: async (filing) => {
      const rows = await store.rows<{ isIssuer: 0 | 1; key: Cik; name: string }>(filingNamesSql(filing))
      const names = new Map(rows.filter(({ isIssuer }) => !isIssuer).map(({ key, name }) => [key, name]))
      return {
        companyName: rows.find(({ isIssuer }) => isIssuer)?.name ?? '',
        owners: filing.ownerCiks.map((cik) => ({ cik, name: names.get(cik) ?? '' })),
      }
    },
  }
}

interface SaleRow {
  id: string
  accession: AccessionNumber
  units: string
}

interface ListedRow {
  key: string
  transaction: string
  detail: string
}

function listedTrade({ key, transaction, detail }: ListedRow): DecidedTrade {
  const { id, ticker, transactionType, totalValue, significance, signals } = JSON.parse(transaction) as Transaction
  const { priceStatus } = JSON.parse(detail) as TransactionDetail
  return {
    id,
    ticker,
    significance,
    signals,
    priceStatus,
    place: placeOf(key).place,
    type: transactionType,
    totalValue: String(totalValue),
    listed: true,
    duplicateOf: '',
    supersededBy: '',
    supersededAt: 0,
  }
}
