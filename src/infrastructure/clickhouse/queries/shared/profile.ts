// What profiles of companies and insiders have in common: the newest transactions of a list, and totals of all of it.
import type { components } from '../../../../contract.ts'
import type { DataPart } from '../../../../application/changes/dependence.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import {
  isFiling,
  isTotals,
  parseFiling,
  parseTotals,
  PROFILE_ROWS,
  totalsOfRows,
  type ListedRow,
  type ListTotals,
  type ProfileFiling,
} from '../../profiles/list-totals.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import { EARLIER, formerList, keysUntil, shownAt } from './as-of.ts'
import { withSectors, type IssuerSectors } from './issuer-sectors.ts'
import { BLOCK_ROWS, transactionJson, type TransactionList } from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']

/**
 * Selects the newest rows of a profile: keys, JSON, and what the profile sums up. The totals of the list come first if
 * they are ready, then transactions before filings.
 */
export function profileSql(list: TransactionList, detail: boolean, rows = PROFILE_ROWS): Sql {
  return sql`
    SELECT key, if(transaction = '', '', ${transactionJson(detail)}) AS json, summed
    FROM transaction_lists FINAL
    WHERE ${ofProfile(list, `${list}>`)}
    ORDER BY key DESC
    LIMIT ${rows}`
}

/**
 * Selects the same as of an instant: also what was superseded, and all filings, also later ones, which say whether the
 * company or insider is known, and the present sector. What counted then is decided by the caller.
 */
export function profileAsOfSql(list: TransactionList, detail: boolean, asOf: number): Sql {
  const former = formerList(list)
  return sql`
    SELECT key, if(transaction = '', '', ${transactionJson(detail)}) AS json, summed, ${STATES}
    FROM transaction_lists FINAL
    WHERE (${ofProfile(list, keysUntil(list, asOf))}) OR (${ofProfile(former, keysUntil(former, asOf))})
    ORDER BY key DESC
    LIMIT ${UNTOTALLED_ROWS}`
}

/** Selects what comes before `before`. What was superseded comes last, whenever it was filed, and so with its JSON. */
function olderAsOfSql(list: TransactionList, detail: boolean, asOf: number, before: string): Sql {
  const former = formerList(list)
  return sql`
    SELECT key, if(startsWith(key, ${list}), '', ${transactionJson(detail)}) AS json, summed, ${STATES}
    FROM transaction_lists FINAL
    WHERE ((${ofProfile(list, keysUntil(list, asOf))}) OR (${ofProfile(former, keysUntil(former, asOf))}))
      AND key < ${before}
    ORDER BY key DESC`
}

/** What was shown before, whether the day of filing is only estimated, and when it was superseded. */
const STATES = sql`${EARLIER} AS before, estimated, toUnixTimestamp(superseded_at) AS superseded`

/** Selects what the profile sums up of the rows before `before`. */
export function summedSql(list: TransactionList, before: string): Sql {
  return sql`
    SELECT key, summed
    FROM transaction_lists FINAL
    WHERE ${ofProfile(list, before)}
    ORDER BY key DESC`
}

const ofProfile = (list: TransactionList, before?: string): Sql =>
  sql`key >= ${`${list}#`} AND key < ${before ?? `${list};`}`

/**
 * Rows read with their JSON where no totals are ready: as of an instant, and after a load. A second statement costs
 * more.
 */
const UNTOTALLED_ROWS = 1_000
const RECENT = 20
const OLDER_ROWS = 8_192

interface Profile extends Omit<ListTotals, 'newestFiling'> {
  /** The filings by the instant asked for, newest first; if there are none, the first one. */
  named: ProfileFiling[]
  recent: JsonText<Transaction[]>
  /** What the newest depend on besides the list. */
  parts: DataPart[]
}

/**
 * Returns what reads a company's or an insider's list: its newest transactions, with details and these sectors if they
 * are given, and the totals of all; as of an instant, in seconds, if one is given.
 */
export function profileReader(
  store: ClickHouse,
): (list: TransactionList, sectors: IssuerSectors | null, asOf?: number) => Promise<Profile> {
  const readPresent = presentReader(store)
  return async (list, sectors, asOf) => {
    const { texts, totals, named } =
      asOf === undefined
        ? await readPresent(list, sectors !== null)
        : await readAsOf(store, list, sectors !== null, asOf)
    const recent = sectors ? await withSectors(texts, sectors) : { transactions: texts, parts: [] }
    const { sides, titles, filings } = totals
    return { ...{ sides, titles, filings, named }, recent: JsonText.list(recent.transactions), parts: recent.parts }
  }
}

interface ReadProfile {
  /** The newest transactions. */
  texts: string[]
  totals: ListTotals
  named: ProfileFiling[]
}

/** Reads more at once while totals are missing, as the list read before it shows: all of them, or hardly any. */
function presentReader(store: ClickHouse): (list: TransactionList, isDetailed: boolean) => Promise<ReadProfile> {
  let usual = PROFILE_ROWS
  return async (list, isDetailed) => {
    const rows = usual
    const found = (await store.texts(profileSql(list, isDetailed, rows), BLOCK_ROWS)) as [string, string, string][]
    const newest = found.map(([key, json, summed]) => ({ key, json, summed }))
    const texts = recentOf(newest)
    const [first] = newest
    const hasTotals = first !== undefined && isTotals(first.key)
    if (newest.length >= PROFILE_ROWS) usual = hasTotals ? PROFILE_ROWS : UNTOTALLED_ROWS
    if (hasTotals) return presentOf(texts, parseTotals(first.summed))
    if (newest.length < rows) return presentOf(texts, totalsOfRows(newest))
    const older = (await store.texts(summedSql(list, newest.at(-1)!.key), OLDER_ROWS)) as [string, string][]
    return presentOf(texts, totalsOfRows([...newest, ...older.map(([key, summed]) => ({ key, summed }))]))
  }
}

const recentOf = (rows: readonly { json: string }[]): string[] =>
  rows
    .filter(({ json }) => json !== '')
    .slice(0, RECENT)
    .map(({ json }) => json)

const presentOf = (texts: string[], totals: ListTotals): ReadProfile => ({ texts, totals, named: totals.filings })

async function readAsOf(
  store: ClickHouse,
  list: TransactionList,
  isDetailed: boolean,
  asOf: number,
): Promise<ReadProfile> {
  const rows = await readRowsAsOf(store, list, isDetailed, asOf)
  const filings = rows.filter(({ key }) => isFiling(key))
  const known = filings.filter(({ isKnown }) => isKnown)
  return {
    texts: recentOf(rows),
    totals: totalsOfRows(rows),
    named: (known.length > 0 ? known : filings.slice(-1)).map(({ summed }) => parseFiling(summed)),
  }
}

interface RowThen extends ListedRow {
  /** Empty where it is not shown. */
  json: string
  /** A filing by the instant asked for, or a transaction. */
  isKnown: boolean
}

/** Reads all filings, and the transactions that counted at the instant. */
async function readRowsAsOf(
  store: ClickHouse,
  list: TransactionList,
  isDetailed: boolean,
  asOf: number,
): Promise<RowThen[]> {
  const newest = (await store.texts(profileAsOfSql(list, isDetailed, asOf), BLOCK_ROWS)) as StateRow[]
  const last = newest.length === UNTOTALLED_ROWS ? newest.at(-1)![0] : undefined
  const older =
    last === undefined
      ? []
      : ((await store.texts(olderAsOfSql(list, isDetailed, asOf, last), OLDER_ROWS)) as StateRow[])
  const latest = sortKey(Math.min(asOf, MAX_SORTED))
  return [...newest, ...older]
    .map(([key, json, summed, earlier, estimated, superseded]) => ({
      key: key.slice(list.length),
      json: shownAt(json, earlier, asOf),
      summed,
      isKnown:
        estimated !== 'true' &&
        key.slice(list.length + 1, list.length + 9) <= latest &&
        (superseded === '0' || Number(superseded) > asOf),
    }))
    .filter((row) => isFiling(row.key) || row.isKnown)
    .sort((a, b) => (a.key < b.key ? 1 : -1))
}

type StateRow = [key: string, json: string, summed: string, earlier: string, estimated: string, superseded: string]
