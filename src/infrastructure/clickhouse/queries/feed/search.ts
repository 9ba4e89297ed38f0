// Looks for transactions that meet conditions, however few there are, in one list or several. First places are found
// without FINAL, from the key and the columns that the conditions name: that finds too much, since replaced rows count,
// and never too little, since the row that counts is there and meets them. Then the rows found are read with FINAL
// and the same conditions. Never PREWHERE with FINAL: it would show replaced rows.
import { all, Sql, sql } from '../../connection/sql.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { SessionPool } from '../../connection/session-pool.ts'
import { countedAt, EARLIER, formerList, shownAt } from '../shared/as-of.ts'
import { BLOCK_ROWS, transactionJson, type TransactionList } from '../shared/transaction-list.ts'
import { sortKey } from '../../sort-key.ts'

/** What rows are sorted by before their time: the expression, its decimal places, and the rows that have it. */
const AMOUNTS = {
  value: { amount: sql`total_value`, places: 2, has: sql`credible` },
  holdingChange: {
    amount: sql`assumeNotNull(abs(holding_change))`,
    places: 4,
    has: sql`isNotNull(holding_change)`,
  },
}
type FeedSort = 'newest' | keyof typeof AMOUNTS

const amountOf = (sort: FeedSort) => (sort === 'newest' ? null : AMOUNTS[sort])

/** Where a row stands: a key without its list, and the amount where rows are sorted by one. */
export interface FoundPlace {
  place: string
  value: string
}

/** Which rows. Lists have names of equal length. */
export interface Search {
  lists: readonly TransactionList[]
  conditions: readonly Sql[]
  /** Filing times in seconds: from, and before. */
  from?: number | undefined
  until?: number | undefined
  /** Newest first, or by an amount, the highest first, and then newest. */
  sort: FeedSort
  /** The last row shown. */
  after?: FoundPlace | undefined
  rows: number
  detail: boolean
  /** As of this instant, in seconds; `until` is not later. The lists of what was superseded since are read as well. */
  asOf?: number | undefined
}

export interface FoundRow extends FoundPlace {
  json: string
}

/** Selects the keys of these lists within the bounds, and behind `after` where rows are sorted by time. */
function rangesSql({
  lists,
  from,
  until,
  sort,
  after,
}: Pick<Search, 'lists' | 'from' | 'until' | 'sort' | 'after'>): Sql {
  const first = from === undefined ? '' : sortKey(from)
  const ends = [...(after && sort === 'newest' ? [after.place] : []), ...(until === undefined ? [] : [sortKey(until)])]
  const [end] = ends.sort()
  if (lists.length === 1) {
    const [list] = lists
    return sql`key >= ${`${list}:${first}`} AND key < ${end === undefined ? `${list};` : `${list}:${end}`}`
  }
  // Prefixes are planned in half the time of as many ranges: 18 ms for 50 where ranges took 44.
  const prefixes = new Sql(lists.map((list) => sql`key LIKE ${`${list}:%`}`.text).join(' OR '))
  return all([
    sql`(${prefixes})`,
    first === '' ? null : sql`${placeSql(lists)} >= ${first}`,
    end === undefined ? null : sql`${placeSql(lists)} < ${end}`,
  ])
}

/** The key without its list. */
const placeSql = (lists: readonly TransactionList[]): Sql => sql`substring(key, ${lists[0]!.length + 2})`

/** The conditions on a row. */
const conditionsIn = ({ conditions, asOf, lists }: Search): readonly Sql[] =>
  asOf === undefined ? conditions : [countedAt(lists[0]!, asOf), ...conditions]

/** The JSON text of a row, as of an instant with what was shown before. */
const jsonIn = ({ detail, asOf }: Search): Sql =>
  asOf === undefined
    ? sql`${transactionJson(detail)} AS json`
    : sql`${transactionJson(detail)} AS json, ${EARLIER} AS before`

/** Returns the same search in the lists of what was superseded. */
const former = (search: Search): Search => ({ ...search, lists: search.lists.map(formerList) })

/** Selects the newest rows of a list that count and meet the conditions. */
export function windowSql(search: Search): Sql {
  return sql`
    SELECT key, '' AS value, ${jsonIn(search)}
    FROM transaction_lists FINAL
    WHERE ${all([rangesSql(search), ...conditionsIn(search)])}
    ORDER BY key DESC
    LIMIT ${search.rows}`
}

type ReadRow = [key: string, value: string, json: string, earlier: string]

/** Returns the JSON text of a row as it is to be shown. */
const shownIn = ({ asOf }: Search, [, , json, earlier]: ReadRow): string =>
  asOf === undefined ? json : shownAt(json, earlier, asOf)

/** Reads the first rows of one list with FINAL, which stops where the page is full. */
export async function readWindow(store: ClickHouse, asked: Search, block = BLOCK_ROWS): Promise<FoundRow[]> {
  const read = async (search: Search): Promise<FoundRow[]> => {
    const rows = (await store.texts(windowSql(search), block)) as ReadRow[]
    return rows.map((row) => ({ place: placeIn(row[0]), value: row[1], json: shownIn(search, row) }))
  }
  return asked.asOf === undefined ? read(asked) : ofBoth(asked, read)
}

/** Reads as of an instant: of the lists, and of those of what was superseded since. */
async function ofBoth(asked: Search, read: (search: Search) => Promise<FoundRow[]>): Promise<FoundRow[]> {
  const rows = await Promise.all([read(asked), read(former(asked))])
  return inOrder(rows.flat(), amountOf(asked.sort)?.places ?? 0).slice(0, asked.rows)
}

/** Sorts rows of several lists: by the amount, where they have one, then the newest first. */
function inOrder(rows: FoundRow[], places: number): FoundRow[] {
  const units = new Map(rows.map((row) => [row, unitsOf(row.value, places)]))
  return rows.sort((a, b) => {
    const [first, second] = [units.get(a)!, units.get(b)!]
    if (first !== second) return first < second ? 1 : -1
    return a.place < b.place ? 1 : -1
  })
}

function unitsOf(value: string, places: number): bigint {
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

const textOf = (by: ReturnType<typeof amountOf>): Sql => (by ? sql`toString(${by.amount})` : sql`''`)

/** Finds keys and values, with replaced rows, and in several lists with all rows of the last place. */
export function findSql(search: Search): Sql {
  const { lists, sort, after, rows } = search
  const by = amountOf(sort)
  const place = placeSql(lists)
  const value = by && after && sql`toDecimal128(${after.value}, ${by.places})`
  const later = value ? sql`(${by.amount} < ${value} OR (${by.amount} = ${value} AND ${place} < ${after.place}))` : null
  const isOne = lists.length === 1
  const byTime = isOne ? sql`key DESC` : sql`${place} DESC`
  return sql`
    SELECT key, ${textOf(by)} AS value
    FROM transaction_lists
    WHERE ${all([rangesSql(search), sql`deleted = 0`, by && by.has, ...conditionsIn(search), later])}
    ORDER BY ${by ? sql`${by.amount} DESC, ${place} DESC` : byTime}
    LIMIT ${rows}${isOne ? sql`` : sql` WITH TIES`}`
}

/** Reads the rows that count of these keys, where they meet the conditions. */
export function verifySql(search: Search, keys: readonly string[]): Sql {
  const by = amountOf(search.sort)
  return sql`
    SELECT key, ${textOf(by)} AS value, ${jsonIn(search)}
    FROM transaction_lists FINAL
    WHERE ${all([sql`key IN ${keys}`, by && by.has, ...conditionsIn(search)])}`
}

/**
 * Candidates for each row wanted: few are replaced rows, and each may cost a granule to read. Twice as many each time
 * that too few of them counted, as after history was labelled.
 */
const MORE = 1.25
const MAX_CANDIDATES = 500

/** Rows read at a time while looking. */
const FIND_ROWS = 8_192

/** Searches under way at a time: one for what is rare reads a column of all rows, and must not hold up pages. */
const AT_ONCE = 2

/** How many rows are taken from the store at a time. */
interface Amounts {
  /** Most candidates that are looked for at once. */
  candidates: number
  /** Rows in a block of those that count. */
  block: number
}

const OF_A_PAGE: Amounts = { candidates: MAX_CANDIDATES, block: BLOCK_ROWS }

/** Returns a search, which gives the first rows, fewer only where there are no more. */
export function searching(store: ClickHouse, amounts = OF_A_PAGE): (asked: Search) => Promise<FoundRow[]> {
  const turns = new SessionPool([store], AT_ONCE)
  return async (asked) => {
    const turn = await turns.acquire()
    try {
      const read = (some: Search) => search(turn, some, amounts)
      return await (asked.asOf === undefined ? read(asked) : ofBoth(asked, read))
    } finally {
      turns.release(turn)
    }
  }
}

async function search(store: ClickHouse, asked: Search, amounts: Amounts): Promise<FoundRow[]> {
  const found: FoundRow[] = []
  for (let { after } = asked, more = MORE; ; more *= 2) {
    const rows = Math.min(Math.ceil(more * (asked.rows - found.length)), amounts.candidates)
    const candidates = (await store.texts(findSql({ ...asked, after, rows }), FIND_ROWS)) as [string, string][]
    found.push(...(await verified(store, asked, candidates, amounts.block)))
    if (found.length >= asked.rows || candidates.length < rows) return found.slice(0, asked.rows)
    const [key, value] = candidates.at(-1)!
    after = { place: placeIn(key), value }
  }
}

/** Returns the candidates that count and still have the value they were found by, each place once. */
async function verified(
  store: ClickHouse,
  asked: Search,
  candidates: readonly [key: string, value: string][],
  block: number,
): Promise<FoundRow[]> {
  const keys = [...new Set(candidates.map(([key]) => key))]
  if (keys.length === 0) return []
  const read = (await store.texts(verifySql(asked, keys), block)) as ReadRow[]
  const present = new Map(read.map((row) => [row[0], { value: row[1], json: shownIn(asked, row) }]))
  const rows = new Map<string, FoundRow>()
  for (const [key, value] of candidates) {
    const row = present.get(key)
    const place = placeIn(key)
    if (row?.value === value && !rows.has(place)) rows.set(place, { place, ...row })
  }
  return [...rows.values()]
}

const placeIn = (key: string): string => key.slice(key.indexOf(':') + 1)
