// Reads the common part of profiles of companies and insiders: the newest transactions of a list, and its totals.
import type { components } from '../../../../contract.ts'
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { countedAt, EARLIER, formerList, keysUntil, shownAt } from './as-of.ts'
import { completeDetails, type DetailSources } from './complete-details.ts'
import { isTotals, parseTotals, readListTotals, type ListTotals } from './list-totals.ts'
import { BLOCK_ROWS, transactionJson, type TransactionList } from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']

const RECENT = 20

/** Selects the first rows of a list: its totals, if they are stored, and its newest transactions. */
export function profileSql(list: TransactionList, detail: boolean): Sql {
  return sql`
    SELECT key, if(transaction = '', '', ${transactionJson(detail)}) AS json, summed
    FROM transaction_lists FINAL
    WHERE key >= ${`${list}:`} AND key < ${`${list}>`}
    ORDER BY key DESC
    LIMIT ${RECENT + 1}`
}

/** Selects the newest transactions that counted at an instant, with those that were superseded since. */
export function recentAsOfSql(list: TransactionList, detail: boolean, asOf: number): Sql {
  const recent = (each: TransactionList) => sql`
    SELECT key, ${transactionJson(detail)} AS json, ${EARLIER} AS before
    FROM transaction_lists FINAL
    WHERE key >= ${`${each}:`} AND key < ${keysUntil(each, asOf)} AND ${countedAt(each, asOf)}
    ORDER BY key DESC
    LIMIT ${RECENT}`
  return sql`SELECT * FROM (${recent(list)}) UNION ALL SELECT * FROM (${recent(formerList(list))})`
}

interface Profile extends ListTotals {
  recent: JsonText<Transaction[]>
  /** The dependencies of the newest transactions, besides the list. */
  parts: DataPart[]
}

/**
 * Reads a company's or an insider's list: its newest transactions, with details if their sources are given, and its
 * totals; as of an instant, in seconds, if one is given.
 */
export async function readProfile(
  store: ClickHouse,
  list: TransactionList,
  details: DetailSources | null,
  asOf?: number,
): Promise<Profile> {
  const isDetailed = details !== null
  const { texts, totals } =
    asOf === undefined ? await readPresent(store, list, isDetailed) : await readAsOf(store, list, isDetailed, asOf)
  const recent = details ? await completeDetails(store, texts, details, asOf) : { transactions: texts, parts: [] }
  return { ...totals, recent: JsonText.list(recent.transactions), parts: recent.parts }
}

interface ReadProfile {
  /** The newest transactions. */
  texts: string[]
  totals: ListTotals
}

async function readPresent(store: ClickHouse, list: TransactionList, isDetailed: boolean): Promise<ReadProfile> {
  type Row = [key: string, json: string, summed: string]
  const rows = await store.texts<Row>(profileSql(list, isDetailed), 3, BLOCK_ROWS)
  const stored = rows.find(([key]) => isTotals(key))
  return {
    texts: rows
      .filter(([, json]) => json !== '')
      .slice(0, RECENT)
      .map(([, json]) => json),
    totals: stored ? parseTotals(stored[2]) : await readListTotals(store, list),
  }
}

async function readAsOf(
  store: ClickHouse,
  list: TransactionList,
  isDetailed: boolean,
  asOf: number,
): Promise<ReadProfile> {
  const [rows, totals] = await Promise.all([
    store.texts<[key: string, json: string, earlier: string]>(recentAsOfSql(list, isDetailed, asOf), 3, BLOCK_ROWS),
    readListTotals(store, list, asOf),
  ])
  const place = ([key]: [key: string, ...unknown[]]) => key.slice(list.length)
  const newest = rows.toSorted((a, b) => (place(a) < place(b) ? 1 : -1)).slice(0, RECENT)
  return { texts: newest.map(([, json, earlier]) => shownAt(json, earlier, asOf)), totals }
}
