// Finds transactions that meet conditions, however rare they are, in one list or several. The first statement selects
// candidates without FINAL, reading only the key and the columns of the conditions; some candidates are replaced rows.
// The second reads the candidates with FINAL and the same conditions. PREWHERE must not be used with FINAL: it would
// show replaced rows.
import { all, any, sql, type Sql } from '../../connection/sql.ts'
import type { ClickHouse } from '../../connection/client.ts'
import type { Limit } from '../../connection/session-pool.ts'
import { countedAt, credibleAt, EARLIER, formerList, shownAt } from '../shared/as-of.ts'
import { unitsOf } from '../shared/decimal-units.ts'
import {
  BLOCK_ROWS,
  listedColumns,
  listedOf,
  listedWidth,
  type ListedTransaction,
  type TransactionList,
} from '../shared/transaction-list.ts'
import { sortKey } from '../../sort-key.ts'

/** The amounts that rows can be sorted by: the expression, its decimal places, and when a row has it. */
const AMOUNTS = {
  value: { amount: sql`total_value`, places: 2, has: credibleAt },
  holdingChange: {
    amount: sql`assumeNotNull(abs(holding_change))`,
    places: 4,
    has: () => sql`isNotNull(holding_change)`,
  },
}
type FeedSort = 'newest' | keyof typeof AMOUNTS

const amountOf = (sort: FeedSort) => (sort === 'newest' ? null : AMOUNTS[sort])

/** The position of a row: its key without the list, and the amount if rows are sorted by one, else ''. */
export interface RowPlace {
  place: string
  value: string
}

/** The rows to find. Lists have names of equal length. */
export interface RowCriteria {
  lists: readonly TransactionList[]
  conditions: readonly Sql[]
  /** Filing times in seconds: from, and before. */
  from?: number | undefined
  until?: number | undefined
  /** Newest first, or by an amount, the highest first, and then newest. */
  sort: FeedSort
  /** The last row shown. */
  after?: RowPlace | undefined
  rows: number
  detail: boolean
  /** The rows as of this instant, in seconds; `until` is not later. Lists of rows superseded since are read as well. */
  asOf?: number | undefined
}

export interface FilteredRow extends RowPlace, ListedTransaction {}

/** Selects the keys of these lists within the bounds, and behind `after` if rows are sorted by time. */
function rangesSql({
  lists,
  from,
  until,
  sort,
  after,
}: Pick<RowCriteria, 'lists' | 'from' | 'until' | 'sort' | 'after'>): Sql {
  const first = from === undefined ? '' : sortKey(from)
  const ends = [...(after && sort === 'newest' ? [after.place] : []), ...(until === undefined ? [] : [sortKey(until)])]
  const [end] = ends.sort()
  if (lists.length === 1) {
    const [list] = lists
    return sql`key >= ${`${list}:${first}`} AND key < ${end === undefined ? `${list};` : `${list}:${end}`}`
  }
  // ClickHouse plans prefixes faster than ranges.
  return all([
    any(lists.map((list) => sql`key LIKE ${`${list}:%`}`)),
    first === '' ? null : sql`${placeSql(lists)} >= ${first}`,
    end === undefined ? null : sql`${placeSql(lists)} < ${end}`,
  ])
}

/** The key without its list. */
const placeSql = (lists: readonly TransactionList[]): Sql => sql`substring(key, ${lists[0]!.length + 2})`

/** The conditions on a row. */
const conditionsIn = ({ conditions, asOf, lists }: RowCriteria): readonly Sql[] =>
  asOf === undefined ? conditions : [countedAt(lists[0]!, asOf), ...conditions]

/** Selects the columns of a row; as of an instant also its earlier marks. */
const columnsIn = ({ detail, asOf }: RowCriteria): Sql =>
  asOf === undefined ? listedColumns(detail) : sql`${listedColumns(detail)}, ${EARLIER}`

/** Returns the number of these columns. */
const widthIn = ({ detail, asOf }: RowCriteria): number => listedWidth(detail) + (asOf === undefined ? 0 : 1)

/** Returns a row of these columns, as of an instant if the criteria have one. */
function rowIn({ asOf }: RowCriteria, columns: readonly string[]): ListedTransaction {
  if (asOf === undefined) return listedOf(columns as [string])
  return shownAt(listedOf(columns.slice(0, -1) as unknown as [string]), columns.at(-1)!, asOf)
}

/** Returns the same criteria for the lists of superseded rows. */
const former = (criteria: RowCriteria): RowCriteria => ({ ...criteria, lists: criteria.lists.map(formerList) })

/** Selects the newest rows of a list that count and meet the conditions. */
export function windowSql(criteria: RowCriteria): Sql {
  return sql`
    SELECT key, ${columnsIn(criteria)}
    FROM transaction_lists FINAL
    WHERE ${all([rangesSql(criteria), ...conditionsIn(criteria)])}
    ORDER BY key DESC
    LIMIT ${criteria.rows}`
}

/** Reads the first rows of one list with FINAL. Reading stops when the page is full. */
export async function readWindow(store: ClickHouse, criteria: RowCriteria, block = BLOCK_ROWS): Promise<FilteredRow[]> {
  const read = async (criteria: RowCriteria): Promise<FilteredRow[]> => {
    const rows = await store.texts<[key: string, ...string[]]>(windowSql(criteria), 1 + widthIn(criteria), block)
    return rows.map(([key, ...columns]) => ({ place: placeIn(key), value: '', ...rowIn(criteria, columns) }))
  }
  if (criteria.asOf === undefined) return read(criteria)
  return merged(criteria, await Promise.all([read(criteria), read(former(criteria))]))
}

/** Returns the first of the rows as of an instant: those of the lists, and those that were superseded since. */
const merged = (criteria: RowCriteria, rows: FilteredRow[][]): FilteredRow[] =>
  inOrder(rows.flat(), amountOf(criteria.sort)?.places ?? 0).slice(0, criteria.rows)

/** Sorts rows of several lists: by amount if they have one, then newest first. */
function inOrder(rows: FilteredRow[], places: number): FilteredRow[] {
  const units = new Map(rows.map((row) => [row, unitsOf(row.value, places)]))
  return rows.sort((a, b) => {
    const [first, second] = [units.get(a)!, units.get(b)!]
    if (first !== second) return first < second ? 1 : -1
    return a.place < b.place ? 1 : -1
  })
}

const textOf = (by: ReturnType<typeof amountOf>): Sql => (by ? sql`toString(${by.amount})` : sql`''`)

/** Selects keys and amounts of candidates; of several lists, all rows of the last place. */
export function findSql(criteria: RowCriteria): Sql {
  const { lists, sort, after, rows } = criteria
  const by = amountOf(sort)
  const place = placeSql(lists)
  const value = by && after && sql`toDecimal128(${after.value}, ${by.places})`
  const later = value ? sql`(${by.amount} < ${value} OR (${by.amount} = ${value} AND ${place} < ${after.place}))` : null
  const isOne = lists.length === 1
  const byTime = isOne ? sql`key DESC` : sql`${place} DESC`
  return sql`
    SELECT key, ${textOf(by)} AS value
    FROM transaction_lists
    WHERE ${all([rangesSql(criteria), sql`deleted = 0`, by && by.has(criteria.asOf), ...conditionsIn(criteria), later])}
    ORDER BY ${by ? sql`${by.amount} DESC, ${place} DESC` : byTime}
    LIMIT ${rows}${isOne ? sql`` : sql` WITH TIES`}`
}

/** Selects those rows of these keys that count and meet the conditions. */
export function verifySql(criteria: RowCriteria, keys: readonly string[]): Sql {
  const by = amountOf(criteria.sort)
  return sql`
    SELECT key, ${textOf(by)} AS value, ${columnsIn(criteria)}
    FROM transaction_lists FINAL
    WHERE ${all([sql`key IN ${keys}`, by && by.has(criteria.asOf), ...conditionsIn(criteria)])}`
}

/**
 * Candidates per row of the page. Few candidates are replaced rows, and each may cost a granule to read. The number is
 * doubled whenever too many were replaced, as after a load that changed labels of history.
 */
const CANDIDATES_PER_ROW = 1.25
const MAX_CANDIDATES = 500

/** Rows in a block while candidates are searched. */
const FIND_ROWS = 8_192

/** How many rows are read at once. */
interface BatchSizes {
  /** The most candidates of one statement. */
  candidates: number
  /** Rows in a block when candidates are verified. */
  block: number
}

const PAGE_BATCHES: BatchSizes = { candidates: MAX_CANDIDATES, block: BLOCK_ROWS }

/**
 * Makes a search that returns the first rows; it returns fewer than requested only if there are no more. One for rare
 * rows reads a column of the whole table, so searches are under a limit.
 */
export function makeRowSearch(
  store: ClickHouse,
  limit: Limit,
  sizes = PAGE_BATCHES,
): (criteria: RowCriteria) => Promise<FilteredRow[]> {
  const read = (each: RowCriteria) => search(store, each, sizes)
  return limit(async (criteria) => {
    if (criteria.asOf === undefined) return read(criteria)
    // One after the other, since each may read a column of the whole table.
    return merged(criteria, [await read(criteria), await read(former(criteria))])
  })
}

async function search(store: ClickHouse, criteria: RowCriteria, sizes: BatchSizes): Promise<FilteredRow[]> {
  const found: FilteredRow[] = []
  for (let { after } = criteria, more = CANDIDATES_PER_ROW; ; more *= 2) {
    const rows = Math.min(Math.ceil(more * (criteria.rows - found.length)), sizes.candidates)
    const candidates = await store.texts<[key: string, value: string]>(
      findSql({ ...criteria, after, rows }),
      2,
      FIND_ROWS,
    )
    found.push(...(await verified(store, criteria, candidates, sizes.block)))
    if (found.length >= criteria.rows || candidates.length < rows) return found.slice(0, criteria.rows)
    const [key, value] = candidates.at(-1)!
    after = { place: placeIn(key), value }
  }
}

/** Returns the candidates that count and still have the amount that they were found by, each place once. */
async function verified(
  store: ClickHouse,
  criteria: RowCriteria,
  candidates: readonly [key: string, value: string][],
  block: number,
): Promise<FilteredRow[]> {
  const keys = [...new Set(candidates.map(([key]) => key))]
  if (keys.length === 0) return []
  type Row = [key: string, value: string, ...string[]]
  const read = await store.texts<Row>(verifySql(criteria, keys), 2 + widthIn(criteria), block)
  const present = new Map(read.map(([key, value, ...columns]) => [key, { value, ...rowIn(criteria, columns) }]))
  const rows = new Map<string, FilteredRow>()
  for (const [key, value] of candidates) {
    const row = present.get(key)
    const place = placeIn(key)
    if (row?.value === value && !rows.has(place)) rows.set(place, { place, ...row })
  }
  return [...rows.values()]
}

const placeIn = (key: string): string => key.slice(key.indexOf(':') + 1)
