// Answers as of an instant: how the tables say what was known then. A question as of T reads, with FINAL,
// 1. of each list the rows filed by T (`keysUntil`), and beside it the list of what was superseded since
//    (`formerList`): a row is in one of the two,
// 2. of both only what counted at T (`countedAt`),
// 3. what was shown of a row then: `significanceAt` for conditions, `EARLIER` and `shownAt` for the JSON text.
// All other columns are as they were when the filing was accepted. Symbols lead to issuers by `issuersByTicker` with T.
import type { EarlierMarks } from '../../../../domain/trades/trade.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import type { TransactionList } from './transaction-list.ts'

/** Returns the list of what was superseded in this one. */
export const formerList = (list: TransactionList): TransactionList =>
  `${list.charAt(0).toUpperCase()}${list.slice(1)}` as TransactionList

const isFormer = (list: TransactionList): boolean => list.startsWith(list.charAt(0).toUpperCase())

/** Returns what all keys of this list filed by an instant are below; times in seconds since 1970. */
export const keysUntil = (list: TransactionList, asOf: number): string =>
  asOf < MAX_SORTED ? `${list}:${sortKey(asOf + 1)}` : `${list};`

/** The condition on rows of such a list that were filed by an instant: shown then, with a day of filing on record. */
export const countedAt = (list: TransactionList, asOf: number): Sql =>
  isFormer(list) ? sql`NOT estimated AND superseded_at > ${new Date(asOf * 1000)}` : sql`NOT estimated`

/** The significance of a row at an instant, of the column's type. */
export const significanceAt = (asOf: number): Sql => sql`
  if(
    arrayExists(each -> each.until > ${asOf}, earlier),
    arrayFirst(each -> each.until > ${asOf}, earlier).significance,
    significance
  )`

/** What was shown of a row before, for `shownAt`. As expressions on the text, planning took as long as the page. */
export const EARLIER = sql`toJSONString(earlier)`

/** The two fields that change; texts before them can't contain this, since their quotes are escaped. */
const MARKS = /,"significance":"[a-z]+","signals":\[[^\]]*\]/

/** Returns the JSON text of a Transaction as it was at an instant. `earlier`: what `EARLIER` selects. */
export function shownAt(json: string, earlier: string, asOf: number): string {
  if (earlier === '[]' || json === '') return json
  const then = (JSON.parse(earlier) as EarlierMarks[]).find(({ until }) => until > asOf)
  if (!then) return json
  const { significance, signals } = then
  return json.replace(MARKS, () => `,"significance":"${significance}","signals":${JSON.stringify(signals)}`)
}
