// Totals over all transactions and filings of a company or an insider, for profiles. The totals of a list are stored in
// a row of the list itself, which comes first: its key is the list and `=`. Each insert that adds, changes or removes
// rows of a list removes this row too, so that it is never out of date (stores/parties.ts). If it is missing, and as of
// an instant, the query sums up the rows.
import type { Cik, Ticker } from '../../../../domain/shared/identifiers.ts'
import type { components } from '../../../../contract.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { any, sql, toCik, type Sql } from '../../connection/sql.ts'
import { MAX_SORTED, sortKey } from '../../sort-key.ts'
import { credibleAt, formerList } from './as-of.ts'
import { unitsOf } from './decimal-units.ts'
import { BLOCK_ROWS, type KeyedText, type TransactionList } from './transaction-list.ts'

/** The name, symbols and sector in a filing. */
export interface ProfileFiling {
  name: string
  symbols: Ticker[]
  sector: string
  sic: string
}

/** The part of a company's totals that is of one insider, or of an insider's totals that is of one company. */
export interface SideTotals {
  cik: Cik
  /** Name, title and symbol are those of the newest transaction. */
  name: string
  title: string
  ticker: string
  buys: number
  sells: number
  /** In cents, of buys and sells at credible prices. */
  cents: bigint
  /** The newest possible day of a transaction. */
  lastDay: string | null
  /** How many filings had a late transaction, and how many one with a known deadline. */
  late: number
  due: number
}

/** Totals without those of each side, which take most of the time to parse. */
export interface ListSummary {
  buys: number
  sells: number
  /** The insider's title in the newest transaction; empty without transactions. */
  title: string
  /** Newest first, without repetitions. */
  filings: ProfileFiling[]
  /** The filings by `asOf`, newest first; if there were none, the first filing of all. */
  named: ProfileFiling[]
  /** Eight hexadecimal digits of the newest filing's time; empty without filings. */
  newestFiling: string
}

export interface ListTotals extends ListSummary {
  /** The sides with the newest transactions first. */
  sides: SideTotals[]
  /** The insider's titles, newest first, each once. */
  titles: string[]
}

/** The totals of a list without rows, as the engine writes them. */
export const NO_TOTALS_TEXT = '[[],[],[],""]'

/** Returns the key of the row that has the totals of a list. */
export const totalsKey = (list: string): string => `${list}=`

export const isTotals = (key: string): boolean => key.endsWith('=')

const listOfTotals = (key: string): TransactionList => key.slice(0, -1) as TransactionList

/**
 * Selects the rows of these lists, without their totals. The `startsWith` conditions are for the index only, since they
 * are slow to evaluate for each row.
 */
export function rowsOfLists(lists: readonly string[]): Sql {
  const startsWithAny = any(lists.map((list) => sql`startsWith(key, ${list})`))
  return sql`
    indexHint(${startsWithAny}) AND substring(key, 1, 11) IN ${lists} AND substring(key, 12, 1) != '='`
}

/**
 * Sums up the rows of lists that `rows` selects, with the number of transactions, of buys and sells filed since an
 * instant in seconds, and the issuer of the newest filing.
 */
export const countedTotalsSql = (rows: Sql, since: number): Sql =>
  groupedSql(rows, PRESENT, {
    ofGroup: sql`,
      toUInt32(count()) AS rows,
      toUInt32(countIf(type IN ('buy', 'sell') AND substring(key, 13, 8) >= ${sortKey(since)})) AS recent,
      argMax(issuer_cik, substring(key, 12)) AS issuer`,
    ofList: sql`,
    sum(recent) AS recent, sumIf(rows, NOT filing) AS transactions, argMaxIf(issuer, newest, filing) AS issuer`,
  })

/** Sums up these lists; as of an instant, in seconds, with the rows that were superseded since. */
export function totalsSql(lists: readonly TransactionList[], asOf?: number): Sql {
  if (asOf === undefined) return groupedSql(rowsOfLists(lists), PRESENT)
  const isKnown = sql`
    substring(key, 13, 8) <= ${sortKey(Math.min(asOf, MAX_SORTED))} AND NOT estimated
      AND (toUnixTimestamp(superseded_at) = 0 OR toUnixTimestamp(superseded_at) > ${asOf})`
  const known = namesSql(sql`filing AND known`)
  const named = sql`if(countIf(filing AND known) > 0, ${known}, [argMinIf(said, oldest, filing)])`
  return groupedSql(rowsOfLists([...lists, ...lists.map(formerList)]), { isKnown, named, credible: credibleAt(asOf) })
}

/** The distinct names, symbols and sectors that these rows state, newest first. */
const namesSql = (condition: Sql): Sql => sql`
  arrayDistinct(arrayMap(each -> each.2, arrayReverseSort(groupArrayIf((newest, said), ${condition}))))`

/** The accession number in the key of a transaction. */
const ACCESSION = sql`substring(key, 21, length(key) - 29)`

const PRESENT = { isKnown: sql`true`, named: sql`[] :: Array(String)`, credible: credibleAt() }
const NO_COUNTS = { ofGroup: sql``, ofList: sql`` }

/**
 * Groups the transactions of a company by insider, those of an insider by company and title, and filings by name,
 * symbols and sector. Most filings agree in these, so there are few groups.
 */
const groupedSql = (rows: Sql, { isKnown, named, credible }: typeof PRESENT, counts = NO_COUNTS): Sql => sql`
  SELECT
    list,
    toJSONString((
      arrayMap(
        side -> (
          ${toCik('tupleElement(side.2, 1)')}, tupleElement(side.2, 2), tupleElement(side.2, 3),
          tupleElement(side.2, 4), side.3, side.4, toString(side.5),
          nullIf(toString(side.6), '1970-01-01'), side.7, side.8
        ),
        arrayReverseSort(groupArrayIf((newest, last, buys, sells, value, day, late_filings, due_filings), NOT filing AND known))
      ),
      ${namesSql(sql`filing`)},
      ${named},
      maxIf(substring(newest, 2, 8), filing AND known)
    )) AS totals${counts.ofList}
  FROM (
    SELECT
      concat(lower(substring(key, 1, 1)), substring(key, 2, 10)) AS list,
      substring(key, 12, 1) = '#' AS filing,
      ${isKnown} AS known,
      if(filing, summed, '') AS said,
      side_cik AS other,
      if(startsWith(list, 'i'), side_title, '') AS as_title,
      toUInt32(countIf(type = 'buy')) AS buys,
      toUInt32(countIf(type = 'sell')) AS sells,
      sumIf(total_value, ${credible} AND type IN ('buy', 'sell')) AS value,
      max(trade_day) AS day,
      toUInt32(uniqExactIf(${ACCESSION}, ifNull(late, false))) AS late_filings,
      toUInt32(uniqExactIf(${ACCESSION}, isNotNull(late))) AS due_filings,
      max(substring(key, 12)) AS newest,
      min(substring(key, 12)) AS oldest,
      argMax((side_cik, side_name, side_title, ticker), substring(key, 12)) AS last${counts.ofGroup}
    FROM transaction_lists FINAL
    WHERE ${rows}
    GROUP BY list, filing, known, said, other, as_title
  )
  GROUP BY list`

/** Selects the stored totals of these lists. */
export function storedTotalsSql(lists: readonly string[]): Sql {
  return sql`
    SELECT key, summed
    FROM transaction_lists FINAL
    WHERE key IN ${lists.map(totalsKey)}`
}

/** Planning takes longer than reading, and grows with the lists, so several statements run at the same time. */
const LISTS_PER_STATEMENT = 25

/** Reads what lists are in sum, without lists that have no rows. As of an instant, in seconds, if one is given. */
export async function readSummaries(
  store: ClickHouse,
  lists: readonly TransactionList[],
  asOf?: number,
): Promise<Map<TransactionList, ListSummary>> {
  if (lists.length === 0) return new Map()
  const stored = asOf === undefined ? await store.texts<KeyedText>(storedTotalsSql(lists), 2, BLOCK_ROWS) : []
  const summaries = new Map(stored.map(([key, text]) => [listOfTotals(key), parseSummary(text)]))
  const missing = lists.filter((list) => !summaries.has(list))
  const batches = Array.from({ length: Math.ceil(missing.length / LISTS_PER_STATEMENT) }, (_, place) =>
    missing.slice(place * LISTS_PER_STATEMENT, (place + 1) * LISTS_PER_STATEMENT),
  )
  const summed = await Promise.all(
    batches.map((batch) => store.texts<KeyedText>(totalsSql(batch, asOf), 2, BLOCK_ROWS)),
  )
  for (const [list, text] of summed.flat()) summaries.set(list as TransactionList, parseSummary(text))
  return summaries
}

/** Sums up one list. */
export const readListTotals = async (store: ClickHouse, list: TransactionList, asOf?: number): Promise<ListTotals> => {
  const [row] = await store.texts<KeyedText>(totalsSql([list], asOf), 2, BLOCK_ROWS)
  return parseTotals(row ? row[1] : NO_TOTALS_TEXT)
}

type GroupTexts = [
  ...[cik: Cik, name: string, title: string, ticker: string],
  ...[buys: number, sells: number, value: string, lastDay: string | null],
  // Totals that an earlier version stored lack these.
  ...[late?: number, due?: number],
]
type TotalsTexts = [groups: GroupTexts[], filings: string[], named: string[], newestFiling: string]

const NO_TRADES = { buys: 0, sells: 0, cents: 0n, lastDay: null, late: 0, due: 0 }

/** Parses totals as the engine writes them. */
export function parseTotals(text: string): ListTotals {
  const texts = JSON.parse(text) as TotalsTexts
  const [groups] = texts
  const sides = new Map<Cik, SideTotals>()
  for (const [cik, name, title, ticker, buys, sells, value, lastDay, late = 0, due = 0] of groups) {
    const side = sides.get(cik) ?? { cik, name, title, ticker, ...NO_TRADES }
    sides.set(cik, side)
    side.buys += buys
    side.sells += sells
    side.cents += unitsOf(value, 2)
    side.late += late
    side.due += due
    if (lastDay !== null && (side.lastDay === null || lastDay > side.lastDay)) side.lastDay = lastDay
  }
  const titles = [...new Set(groups.map(([, , title]) => title))]
  return { ...summaryOf(texts), sides: [...sides.values()], titles }
}

/** Parses totals without those of each side. */
export const parseSummary = (text: string): ListSummary => summaryOf(JSON.parse(text) as TotalsTexts)

function summaryOf([groups, said, names, newestFiling]: TotalsTexts): ListSummary {
  const filings = said.map(parseFiling)
  return {
    buys: groups.reduce((sum, [, , , , buys]) => sum + buys, 0),
    sells: groups.reduce((sum, [, , , , , sells]) => sum + sells, 0),
    title: groups[0]?.[2] ?? '',
    filings,
    named: names.length > 0 ? names.filter((each) => each !== '').map(parseFiling) : filings,
    newestFiling,
  }
}

function parseFiling(text: string): ProfileFiling {
  const [name, symbols, sector, sic] = JSON.parse(text) as [
    name: string,
    symbols: Ticker[],
    sector: string,
    sic: string,
  ]
  return { name, symbols, sector, sic }
}

/** Returns how many filings of these sides were late. */
export function lateFilings(sides: readonly SideTotals[]): components['schemas']['LateFilings'] {
  const count = sides.reduce((all, { late }) => all + late, 0)
  const of = sides.reduce((all, { due }) => all + due, 0)
  return { count, of, share: of === 0 ? null : Math.round((count / of) * 10_000) / 10_000 }
}
