// Completes the stored details of transactions with fields that change independently of them: the company's present
// sector, the notices of proposed sales that a sale counts for, and returns by the operator's prices.
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import type { components } from '../../../../contract.ts'
import type { AccessionNumber, DateText, DecimalText } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { linksAsOf, linksOfRows } from '../notices/known-links.ts'
import { withSectors, type IssuerSectors } from './issuer-sectors.ts'
import { withReturns, type PresentPrices } from './returns.ts'

type Detail = components['schemas']['TransactionDetail']

/** Where the additional fields come from. */
export interface DetailSources {
  sectors: IssuerSectors
  prices: PresentPrices
}

/**
 * Completes the details of transactions. Returns them with their further dependencies. `asOf` in seconds since 1970.
 */
export async function completeDetails(
  store: ClickHouse,
  transactions: readonly string[],
  { sectors, prices }: DetailSources,
  asOf?: number,
): Promise<{ transactions: string[]; parts: DataPart[] }> {
  const [complete, notices, addReturns] = await Promise.all([
    withSectors(transactions, sectors),
    asOf === undefined ? storedNotices(store, transactions) : noticesAt(store, transactions, asOf),
    withReturns(store, prices, transactions, asOf),
  ])
  const linked = complete.transactions.map((json) => withNotices(json, notices))
  return { ...complete, transactions: linked.map(addReturns) }
}

/** A notice that a sale counts for. */
interface SaleNotice {
  accession: AccessionNumber
  units: DecimalText
  /** Days on which the notice says that plans were adopted. */
  adopted: DateText[]
}

type SaleNotices = ReadonlyMap<string, SaleNotice[]>

/** Fields of a transaction and its details. Texts in them can't match, since their quotes are escaped. */
const ID = /^\{"id":"([^"]+)"/
const SALE = /"transactionCode":"S"/
const ISSUER = /"issuerCik":"(\d{10})"/
const TRADE_DATE = /"tradeDate":"(\d{4}-\d\d-\d\d)"/

const isSale = (json: string): boolean => SALE.test(json)

/** Selects the notices that sales count for. */
export const noticesOfSalesSql = (ids: readonly string[]): Sql => sql`
  SELECT sale_id AS id, accession, toString(units) AS units, arrayMap(day -> toString(day), plan_adopted_on) AS adopted
  FROM notice_sales FINAL
  WHERE sale_id IN ${ids}
  ORDER BY accession`

async function storedNotices(store: ClickHouse, transactions: readonly string[]): Promise<SaleNotices> {
  const ids = transactions.filter(isSale).flatMap((json) => ID.exec(json)?.[1] ?? [])
  if (ids.length === 0) return new Map()
  const rows = await store.rows<SaleNotice & { id: string }>(noticesOfSalesSql(ids))
  return Map.groupBy(rows, ({ id }) => id)
}

/** Links the notices of these companies to their sales as of an instant. */
async function noticesAt(store: ClickHouse, transactions: readonly string[], asOf: number): Promise<SaleNotices> {
  const sales = transactions.filter(isSale)
  const named = [...new Set(sales.flatMap((json) => ISSUER.exec(json)?.[1] ?? []))]
  const { notices, links } = await linksAsOf(store, (async (
    _: never,
    __: never,
    asked: Parameters<typeof linksOfRows>[0],
  ) => linksOfRows(asked)) as never)(named, asOf)
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

function withNotices(json: string, notices: SaleNotices): string {
  const ofSale = notices.get(ID.exec(json)?.[1] ?? '')
  if (!ofSale || !json.endsWith('}}')) return json
  return `${json.slice(0, -2)},${JSON.stringify(noticeFields(ofSale, TRADE_DATE.exec(json)?.[1] ?? '')).slice(1)}}`
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
