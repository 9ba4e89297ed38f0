// What profiles of companies and insiders have in common: the newest transactions of a list, and sums over all of it.
import type { components } from '../../../../contract.ts'
import type { DataPart } from '../../../../application/changes/dependence.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { Cik, Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import { EARLIER, formerList, keysUntil, shownAt } from './as-of.ts'
import { withSectors, type IssuerSectors } from './issuer-sectors.ts'
import { BLOCK_ROWS, transactionJson, type TransactionList } from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']

/** Selects the newest rows of a profile, transactions before filings: keys, JSON, and what the profile sums up. */
export function profileSql(list: TransactionList, detail: boolean): Sql {
  return sql`
    SELECT key, if(transaction = '', '', ${transactionJson(detail)}) AS json, summed
    FROM transaction_lists FINAL
    WHERE ${ofProfile(list)}
    ORDER BY key DESC
    LIMIT ${PROFILE_ROWS}`
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
    LIMIT ${PROFILE_ROWS}`
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

/** A `#` in place of the colon marks a filing. */
const ofProfile = (list: TransactionList, before?: string): Sql =>
  sql`key >= ${`${list}#`} AND key < ${before ?? `${list};`}`

/** Rows of a profile that are read with their JSON, of which few are shown: a second statement costs more. */
const PROFILE_ROWS = 1_000
const RECENT = 20
const OLDER_ROWS = 8_192

/** A filing of a company or an insider, and what it says of them. */
export interface ProfileFiling {
  name: string
  symbols: Ticker[]
  sector: string
  sic: string
}

interface Profile {
  /** The filings by the instant asked for, newest first; if there are none, the first one. */
  named: ProfileFiling[]
  recent: JsonText<Transaction[]>
  /** What the newest depend on besides the list. */
  parts: DataPart[]
  /** Newest first, as are the filings. */
  transactions: Summed[]
  filings: ProfileFiling[]
}

/**
 * Reads a company's or an insider's list: its newest transactions, with details and these sectors if they are given,
 * what all of them sum up to, and the filings; as of an instant, in seconds, if one is given.
 */
export async function readProfile(
  store: ClickHouse,
  list: TransactionList,
  sectors: IssuerSectors | null,
  asOf?: number,
): Promise<Profile> {
  const rows =
    asOf === undefined
      ? await readRows(store, list, sectors !== null)
      : await readRowsAsOf(store, list, sectors !== null, asOf)
  const texts = rows
    .filter(({ json }) => json !== '')
    .slice(0, RECENT)
    .map(({ json }) => json)
  const recent = sectors ? await withSectors(texts, sectors) : { transactions: texts, parts: [] }
  const filings = rows.filter(isFiling)
  const known = filings.filter(({ isKnown }) => isKnown)
  return {
    recent: JsonText.list(recent.transactions),
    parts: recent.parts,
    transactions: rows.filter((row) => !isFiling(row)).map(({ summed }) => parseSummed(summed)),
    filings: filings.map(({ summed }) => parseFiling(summed)),
    named: (known.length > 0 ? known : filings.slice(-1)).map(({ summed }) => parseFiling(summed)),
  }
}

interface ProfileRow {
  key: string
  /** Empty where it is not shown. */
  json: string
  summed: string
  /** A filing by the instant asked for, or a transaction. */
  isKnown: boolean
}

const isFiling = ({ key }: ProfileRow) => key.includes('#')

async function readRows(store: ClickHouse, list: TransactionList, isDetailed: boolean): Promise<ProfileRow[]> {
  const newest = (await store.texts(profileSql(list, isDetailed), BLOCK_ROWS)) as [string, string, string][]
  const last = newest.length === PROFILE_ROWS ? newest.at(-1)![0] : undefined
  const older = last === undefined ? [] : ((await store.texts(summedSql(list, last), OLDER_ROWS)) as [string, string][])
  return [
    ...newest.map(([key, json, summed]) => ({ key, json, summed, isKnown: true })),
    ...older.map(([key, summed]) => ({ key, json: '', summed, isKnown: true })),
  ]
}

/** Reads the same as of an instant. */
async function readRowsAsOf(
  store: ClickHouse,
  list: TransactionList,
  isDetailed: boolean,
  asOf: number,
): Promise<ProfileRow[]> {
  const newest = (await store.texts(profileAsOfSql(list, isDetailed, asOf), BLOCK_ROWS)) as StateRow[]
  const last = newest.length === PROFILE_ROWS ? newest.at(-1)![0] : undefined
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
    .filter((row) => isFiling(row) || row.isKnown)
    .sort((a, b) => (a.key < b.key ? 1 : -1))
}

type StateRow = [key: string, json: string, summed: string, earlier: string, estimated: string, superseded: string]

/** Reads what the list says of a filing. */
export function parseFiling(text: string): ProfileFiling {
  const [name, symbols, sector, sic] = JSON.parse(text) as [string, Ticker[], string, string]
  return { name, symbols, sector, sic }
}

/** One transaction of a profile. */
export interface Summed {
  /** The other side: the insider of a company's transaction, the company of an insider's. */
  cik: Cik
  name: string
  title: string
  ticker: string
  type: string
  /** In cents; 0 where it does not count. */
  cents: bigint
  day: string | null
}

function parseSummed(text: string): Summed {
  const [cik, name, title, ticker, type, value, day] = JSON.parse(text) as [Cik, ...string[]]
  return { cik, name: name!, title: title!, ticker: ticker!, type: type!, cents: toCents(value!), day: day ?? null }
}

function toCents(value: string): bigint {
  const [dollars = '0', cents = ''] = value.split('.')
  return BigInt(dollars || '0') * 100n + BigInt(cents.padEnd(2, '0'))
}

/** Returns how many are buys and sells, and the newest day. */
export function totalsOf(transactions: readonly Summed[]) {
  const count = (type: string) => transactions.filter((each) => each.type === type).length
  const days = transactions.map(({ day }) => day).filter((day) => day !== null)
  return {
    totalBuys: count('buy'),
    totalSells: count('sell'),
    lastTransactionDate: days.length === 0 ? null : days.reduce((a, b) => (a > b ? a : b)),
  }
}

/** Groups transactions by the other side, in the order in which each first occurs. */
export function byOtherSide(transactions: readonly Summed[]): [Cik, Summed[]][] {
  return [...Map.groupBy(transactions, ({ cik }) => cik)]
}
