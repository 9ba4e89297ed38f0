// Answers as of an instant: how the tables say what was known then. A question as of T reads, with FINAL,
// 1. of each list the rows filed by T (`keysUntil`), and beside it the list of what was superseded since
//    (`formerList`): a row is in one of the two,
// 2. of both only what counted at T (`countedAt`),
// 3. what was shown of a row then: `significanceAt` for conditions, `EARLIER` and `shownAt` for the JSON text.
// All other columns are as they were when the filing was accepted. Symbols lead to issuers by `issuersByTicker` with T.
// The rows have all of it since generation 5: `EarlierStates` refuses before that, and comes first.
import { ServiceError } from '../../../../application/errors.ts'
import type { EarlierMarks } from '../../../../domain/trades/trade.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import { storedRows } from '../../stores/generation.ts'
import type { TransactionList } from './transaction-list.ts'

/** Returns where the rows say what was shown earlier. Throws `unavailable` while a rebuild is to add that. */
export type EarlierStates = () => Promise<void>

/** How far the rebuild that adds it is; null where none runs or waits. */
export type RebuildProgress = () => Promise<{ done: number; total: number | null } | null>

export function earlierStates(store: ClickHouse, rebuild: RebuildProgress): EarlierStates {
  let isComplete = false
  return async () => {
    isComplete ||= (await storedRows(store)).hasEarlierStates
    if (isComplete) return
    // The reason matters more than the progress.
    const { done, total } = (await rebuild().catch(() => null)) ?? { done: 0, total: null }
    const share = total ? `, of which ${Math.floor((100 * done) / total)} % is done` : ''
    const message = `waits for the rebuild that follows an upgrade${share}: see upgrade in GET /v1/status`
    throw new ServiceError('unavailable', `asOf ${message}`, [{ path: 'query.asOf', message }])
  }
}

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
