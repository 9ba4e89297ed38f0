// Parts of queries that answer as of an instant T. Such a query reads, with FINAL,
// 1. the rows of a list that were filed by T (`keysUntil`), and those of the list of superseded rows (`formerList`):
//    each row is in one of the two,
// 2. of both only the rows that counted at T (`countedAt`),
// 3. the marks that a row had at T: `significanceAt`, `credibleAt` and `tradedAt` for conditions, `EARLIER` and
//    `shownAt` for what is shown.
// All other columns are as they were when the filing was accepted. `issuersByTicker` resolves symbols as of T.
import type { EarlierMarks } from '../../../../domain/trades/trade.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import type { ListedTransaction, TransactionList } from './transaction-list.ts'

/** Returns the list that has the superseded rows of this one. */
export const formerList = (list: TransactionList): TransactionList =>
  `${list.charAt(0).toUpperCase()}${list.slice(1)}` as TransactionList

const isFormer = (list: TransactionList): boolean => list.startsWith(list.charAt(0).toUpperCase())

/** Returns an upper bound on the keys of rows that were filed by an instant, in seconds since 1970. */
export const keysUntil = (list: TransactionList, asOf: number): string =>
  asOf < MAX_SORTED ? `${list}:${sortKey(asOf + 1)}` : `${list};`

/** The condition that a row filed by an instant was shown then. Rows with an estimated filing day are left out. */
export const countedAt = (list: TransactionList, asOf: number): Sql =>
  isFormer(list) ? sql`NOT estimated AND superseded_at > ${new Date(asOf * 1000)}` : sql`NOT estimated`

/** The significance of a row at an instant, or at present, of the column's type. */
export const significanceAt = (asOf?: number): Sql =>
  asOf === undefined
    ? sql`significance`
    : sql`
  if(
    arrayExists(each -> each.until > ${asOf}, earlier),
    arrayFirst(each -> each.until > ${asOf}, earlier).significance,
    significance
  )`

const isExplainedAt = (asOf: number): Sql => sql`suspect_until <= ${new Date(asOf * 1000)}`

/** Whether the numbers of a row were credible at an instant, or are at present. */
export const credibleAt = (asOf?: number): Sql =>
  asOf === undefined ? sql`credible` : sql`(credible AND ${isExplainedAt(asOf)})`

/** The condition that a row counted as an open-market trade at an instant, or does at present. */
export const tradedAt = (asOf?: number): Sql =>
  asOf === undefined ? sql`trader != 0` : sql`trader != 0 AND ${isExplainedAt(asOf)}`

/** The column that `shownAt` needs. */
export const EARLIER = sql`toJSONString((earlier, toUnixTimestamp(suspect_until)))`
/** The same of a row that was always shown as it is. */
const NONE_EARLIER = '[[],0]'

/** Returns a transaction as it was at an instant. `earlier`: the value of `EARLIER`. */
export function shownAt(listed: ListedTransaction, earlier: string, asOf: number): ListedTransaction {
  if (earlier === NONE_EARLIER) return listed
  const [marks, suspectUntil] = JSON.parse(earlier) as [EarlierMarks[], number]
  const then = marks.find(({ until }) => until > asOf)
  return {
    ...listed,
    ...(then && {
      transaction: changed(listed.transaction, { significance: then.significance, signals: then.signals }),
    }),
    ...(suspectUntil > asOf && listed.detail !== '' && { detail: changed(listed.detail, { priceStatus: 'suspect' }) }),
  }
}

const changed = (json: string, fields: object): string => JSON.stringify({ ...(JSON.parse(json) as object), ...fields })
