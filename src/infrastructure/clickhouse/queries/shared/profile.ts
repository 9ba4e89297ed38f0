// Reads the common part of profiles of companies and insiders: the newest transactions of a list, and its totals.
import type { components } from '../../../../contract.ts'
import type { DataPart } from '../../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { countedAt, EARLIER, formerList, keysUntil, shownAt } from './as-of.ts'
import { completeDetails, type DetailSources } from './complete-details.ts'
import { isTotals, parseTotals, readListTotals, type ListTotals } from './list-totals.ts'
import {
  BLOCK_ROWS,
  listedColumns,
  listedOf,
  listedWidth,
  type ListedTransaction,
  type TransactionList,
} from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']

const RECENT = 20

/** Selects the first rows of a list: its totals, if they are stored, and its newest transactions. */
export function profileSql(list: TransactionList, detail: boolean): Sql {
  return sql`
    SELECT key, summed, ${listedColumns(detail)}
    FROM transaction_lists FINAL
    WHERE key >= ${`${list}:`} AND key < ${`${list}>`}
    ORDER BY key DESC
    LIMIT ${RECENT + 1}`
}

/** Selects the newest transactions that counted at an instant, with those that were superseded since. */
export function recentAsOfSql(list: TransactionList, detail: boolean, asOf: number): Sql {
  const recent = (each: TransactionList) => sql`
    SELECT key, ${EARLIER}, ${listedColumns(detail)}
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
  const { rows, totals } =
    asOf === undefined ? await readPresent(store, list, isDetailed) : await readAsOf(store, list, isDetailed, asOf)
  const recent = details
    ? await completeDetails(store, rows, details, asOf)
    : { transactions: rows.map(({ transaction }) => transaction), parts: [] }
  return { ...totals, recent: JsonText.list(recent.transactions), parts: recent.parts }
}

interface ReadProfile {
  /** The newest transactions. */
  rows: ListedTransaction[]
  totals: ListTotals
}

async function readPresent(store: ClickHouse, list: TransactionList, isDetailed: boolean): Promise<ReadProfile> {
  type Row = [key: string, summed: string, ...string[]]
  const rows = await store.texts<Row>(profileSql(list, isDetailed), 2 + listedWidth(isDetailed), BLOCK_ROWS)
  const stored = rows.find(([key]) => isTotals(key))
  return {
    rows: rows
      .filter(([key]) => !isTotals(key))
      .slice(0, RECENT)
      .map(([, , ...columns]) => listedOf(columns as [string])),
    totals: stored ? parseTotals(stored[1]) : await readListTotals(store, list),
  }
}

async function readAsOf(
  store: ClickHouse,
  list: TransactionList,
  isDetailed: boolean,
  asOf: number,
): Promise<ReadProfile> {
  type Row = [key: string, earlier: string, ...string[]]
  const [rows, totals] = await Promise.all([
    store.texts<Row>(recentAsOfSql(list, isDetailed, asOf), 2 + listedWidth(isDetailed), BLOCK_ROWS),
    readListTotals(store, list, asOf),
  ])
  const place = ([key]: [key: string, ...unknown[]]) => key.slice(list.length)
  const newest = rows.toSorted((a, b) => (place(a) < place(b) ? 1 : -1)).slice(0, RECENT)
  const shown = newest.map(([, earlier, ...columns]) => shownAt(listedOf(columns as [string]), earlier, asOf))
  return { rows: shown, totals }
}
