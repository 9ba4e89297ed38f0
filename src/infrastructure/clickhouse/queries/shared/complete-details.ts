// Completes the stored details of transactions with fields that change independently of them: the company's present
// sector, the notices of proposed sales that a sale counts for, and returns by the operator's prices.
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import type { components } from '../../../../contract.ts'
import {
  cikOf,
  type AccessionNumber,
  type Cik,
  type DateText,
  type DecimalText,
} from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { LinksAsOf } from '../notices/known-links.ts'
import { presentSectors, type IssuerSectors } from './issuer-sectors.ts'
import { returnsAfter, type PresentPrices } from './returns.ts'
import { transactionJson, type ListedTransaction } from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']
type Detail = components['schemas']['TransactionDetail']

/** Where the additional fields come from. */
export interface DetailSources {
  sectors: IssuerSectors
  prices: PresentPrices
  linksAsOf: LinksAsOf
}

/**
 * Completes the details of transactions. Returns them as JSON with their further dependencies. `asOf` in seconds since
 * 1970.
 */
export async function completeDetails(
  store: ClickHouse,
  listed: readonly ListedTransaction[],
  { sectors, prices, linksAsOf }: DetailSources,
  asOf?: number,
): Promise<{ transactions: string[]; parts: DataPart[] }> {
  const transactions = listed.map(({ transaction }) => JSON.parse(transaction) as Transaction)
  const issuers = listed.map(({ issuer }) => issuer)
  const isSale = (place: number) => listed[place]!.code === 'S'
  const sales = transactions.flatMap(({ id }, place) => (isSale(place) ? id : []))
  const issuersOfSales = [...new Set(issuers.filter((_, place) => isSale(place)))].map(cikOf)
  const [present, notices, returns] = await Promise.all([
    presentSectors(issuers, sectors),
    asOf === undefined ? storedNotices(store, sales) : noticesAt(linksAsOf, issuersOfSales, asOf),
    returnsAfter(store, prices, transactions, asOf),
  ])
  const complete = listed.map((row, place) => {
    const ofSale = notices.get(transactions[place]!.id)
    return transactionJson(row, {
      sector: present.sectors[place],
      ...(ofSale && noticeFields(ofSale, (JSON.parse(row.detail) as Detail).tradeDate)),
      ...returns[place],
    })
  })
  return { transactions: complete, parts: present.parts }
}

/** A notice that a sale counts for. */
interface SaleNotice {
  accession: AccessionNumber
  units: DecimalText
  /** Days on which the notice says that plans were adopted. */
  adopted: DateText[]
}

type SaleNotices = ReadonlyMap<string, SaleNotice[]>

/** Selects the notices that sales count for. */
export const noticesOfSalesSql = (ids: readonly string[]): Sql => sql`
  SELECT sale_id AS id, accession, toString(units) AS units, arrayMap(day -> toString(day), plan_adopted_on) AS adopted
  FROM notice_sales FINAL
  WHERE sale_id IN ${ids}
  ORDER BY accession`

async function storedNotices(store: ClickHouse, sales: readonly string[]): Promise<SaleNotices> {
  if (sales.length === 0) return new Map()
  const rows = await store.rows<SaleNotice & { id: string }>(noticesOfSalesSql(sales))
  return Map.groupBy(rows, ({ id }) => id)
}

/** Links the notices of these companies to their sales as of an instant. */
async function noticesAt(linksAsOf: LinksAsOf, issuers: Cik[], asOf: number): Promise<SaleNotices> {
  const { notices, links } = await linksAsOf(issuers, asOf)
  const bySale = new Map<string, SaleNotice[]>()
  // In the order of those that are stored.
  const inOrder = notices.toSorted((a, b) => (a.accession < b.accession ? -1 : 1))
  for (const { accession, planAdoptionDates: adopted } of inOrder) {
    for (const { saleId, units } of links.get(accession)?.allocations ?? []) {
      const list = bySale.get(saleId)
      if (list) list.push({ accession, units, adopted })
      else bySale.set(saleId, [{ accession, units, adopted }])
    }
  }
  return bySale
}

/** Returns the fields of a sale's details that come from its notices. */
function noticeFields(
  notices: readonly SaleNotice[],
  tradeDate: DateText,
): Pick<Detail, 'notices' | 'planAdoptedOn' | 'planAdoptedSource'> {
  const adoptions = notices
    .flatMap(({ accession, adopted }) => adopted.map((day) => ({ day, accession })))
    .filter(({ day }) => day <= tradeDate)
    .sort((a, b) => (a.day < b.day ? -1 : 1))
  const last = adoptions.at(-1)
  return {
    notices: notices.map(({ accession, units }) => ({ accessionNumber: accession, units: Number(units) })),
    ...(last && { planAdoptedOn: last.day, planAdoptedSource: last.accession }),
  }
}
