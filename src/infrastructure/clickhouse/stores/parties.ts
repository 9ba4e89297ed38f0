// What is kept of companies and insiders in sum, made from their lists of transactions: the totals of each list, and
// the names, symbols and counts by which the search finds and ranks it. Renewed for the parties of each change, and for
// all after a load of history and with a new list of the SEC's.
import type { AnalyticsChange } from '../../../application/ports/analytics.ts'
import type { ListedCompany } from '../../../application/ports/filings.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import { searchTerms, searchWords } from '../../../domain/wording/search-words.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { parseTotals, rowsOfLists, startsWithAny, sumUpSql, totalsKey } from '../queries/shared/list-totals.ts'
import { sortKey } from '../sort-key.ts'

const RECENT_SECONDS = 3 * 365.25 * 86_400
/** A party with more words, joined ones among them, is found by its first ones. */
const MAX_WORDS = 100
/** Lists of one statement that names them: planning grows with them. */
const LISTS_PER_STATEMENT = 50
/** Lists of one statement that reads all rows between the first and the last. */
const LISTS_PER_RANGE = 2_000
const ALL_LISTS = sql`((key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j'))`

/** Returns the row that removes the totals of a list whose rows change under this version. */
export const goneTotalsRow = (list: string, version: number): InsertRow => ({
  ...{ key: totalsKey(list), issuer_cik: cikNumber(list.slice(1)), version, trader: 0, deleted: 1 },
})

/** Returns the lists of companies and insiders that have rows of this change. */
export function listsOfChange({
  trades,
  goneTrades,
  entries,
  goneEntries,
}: Pick<AnalyticsChange, 'trades' | 'goneTrades' | 'entries' | 'goneEntries'>): Set<string> {
  const lists = new Set<string>()
  const add = (issuer: Cik, owners: readonly Cik[]) => {
    lists.add(`c${issuer}`)
    for (const owner of owners) lists.add(`i${owner}`)
  }
  for (const { issuerCik, ownerCiks } of [...trades, ...goneTrades, ...goneEntries]) add(issuerCik, ownerCiks)
  for (const { issuerCik, owners } of entries)
    add(
      issuerCik,
      owners.map(({ cik }) => cik),
    )
  return lists
}

/** Renews what is kept of these lists, after their rows were written under this version. `now` in milliseconds. */
export async function refreshParties(
  store: ClickHouse,
  lists: ReadonlySet<string>,
  { version, now }: { version: number; now: number },
): Promise<void> {
  const shown = new Map<number, SearchedCompany>()
  const sorted = [...lists].toSorted()
  for (let from = 0; from < sorted.length; from += LISTS_PER_STATEMENT) {
    const some = sorted.slice(from, from + LISTS_PER_STATEMENT)
    await store.command(insertTotalsSql(rowsOfLists(some), version))
    const ciks = some.filter((list) => list.startsWith('c')).map((list) => Number(list.slice(1)))
    const [rows, listed] = await Promise.all([
      store.rows<CountedList>(countedSql(sql`indexHint(${startsWithAny(some)}) AND list IN ${some}`, now)),
      ciks.length > 0 ? store.rows<ListedCompany & { cik: Cik }>(listedSql(ciks)) : [],
    ])
    const unknown = new Set(
      rows.flatMap(({ list, issuer }) => (list.startsWith('i') && !shown.has(issuer) ? issuer : [])),
    )
    for (const cik of ciks) unknown.delete(cik)
    if (unknown.size > 0)
      for (const { cik, company } of await store.rows<{ cik: number; company: string }>(shownSql([...unknown])))
        shown.set(cik, JSON.parse(company) as SearchedCompany)
    await insertParties(store, { lists: some, rows, listings: byIssuer(listed), shown, version })
  }
}

/** Makes the totals that are missing, under this version. Never while rows of lists are being written. */
export const makeMissingTotals = (store: ClickHouse, version: number): Promise<void> =>
  store.forBulk.command(sql`
    ${insertTotalsSql(MISSING, version)}
    SETTINGS max_execution_time = 0, max_bytes_before_external_group_by = 300000000`)

/**
 * Renews what the search has of all parties, with this list of the SEC's. Never while rows of lists are being written.
 * `now` in milliseconds.
 */
export async function refreshSearch(
  store: ClickHouse,
  companies: readonly ListedCompany[],
  now: number,
): Promise<void> {
  const bulk = store.forBulk
  const known = await bulk.rows<{ list: string }>(KNOWN_SQL)
  // Companies before insiders, who are shown with the company of their newest filing.
  const sorted = [...new Set([...known.map(({ list }) => list), ...companies.map(({ cik }) => `c${cik}`)])].toSorted()
  const [listings, shown] = [byIssuer(companies), new Map<number, SearchedCompany>()]
  for (let from = 0; from < sorted.length; from += LISTS_PER_RANGE) {
    const lists = sorted.slice(from, from + LISTS_PER_RANGE)
    const range = sql`key >= ${lists[0]!} AND key < ${`${lists.at(-1)!}>`} AND ${ALL_LISTS}`
    const rows = await bulk.rows<CountedList>(sql`${countedSql(range, now)} SETTINGS max_execution_time = 0`)
    await insertParties(bulk, { lists, rows, listings, shown, version: 0 })
  }
}

const MISSING = sql`
  ${ALL_LISTS} AND substring(key, 1, 11) GLOBAL NOT IN (
    SELECT substring(key, 1, 11)
    FROM transaction_lists FINAL
    WHERE ${ALL_LISTS} AND endsWith(key, '=')
  )`

const insertTotalsSql = (rows: Sql, version: number): Sql => sql`
  INSERT INTO transaction_lists (key, issuer_cik, trader, summed, version, deleted)
  SELECT concat(list, '='), toUInt64(substring(list, 2)), 0, totals, ${version}, 0
  FROM (${sumUpSql(rows)})`

/** Lists that have totals, and those of parties that the search has. */
const KNOWN_SQL = sql`
  SELECT substring(key, 1, 11) AS list
  FROM transaction_lists FINAL
  WHERE ${ALL_LISTS} AND endsWith(key, '=')
  UNION ALL
  SELECT concat(if(kind = 'company', 'c', 'i'), leftPad(toString(cik), 10, '0'))
  FROM parties FINAL
  SETTINGS max_execution_time = 0`

/** What the rows of a list say. */
interface CountedList {
  list: string
  recent: number
  transactions: number
  totals: string
  /** The issuer of the newest filing. */
  issuer: number
  /** That of the totals. */
  version: number
}

function countedSql(rows: Sql, now: number): Sql {
  const after = sortKey(Math.max(0, Math.floor(now / 1000 - RECENT_SECONDS)))
  return sql`
    SELECT
      substring(key, 1, 11) AS list,
      countIf(type IN ('buy', 'sell') AND substring(key, 13, 8) >= ${after}) AS recent,
      countIf(substring(key, 12, 1) = ':') AS transactions,
      anyIf(summed, substring(key, 12, 1) = '=') AS totals,
      argMaxIf(issuer_cik, key, substring(key, 12, 1) = '#') AS issuer,
      anyIf(transaction_lists.version, substring(key, 12, 1) = '=') AS version
    FROM transaction_lists FINAL
    WHERE ${rows}
    GROUP BY list`
}

const listedSql = (issuers: readonly number[]): Sql => sql`
  SELECT ticker, leftPad(toString(issuer_cik), 10, '0') AS cik, name, nullIf(exchange, '') AS exchange
  FROM company_list
  WHERE issuer_cik IN ${issuers}
  ORDER BY place`

const shownSql = (issuers: readonly number[]): Sql => sql`
  SELECT cik, shown AS company
  FROM parties FINAL
  WHERE kind = 'company' AND cik IN ${issuers}`

const byIssuer = (companies: readonly ListedCompany[]) => Map.groupBy(companies, ({ cik }) => cikNumber(cik))

/** How the search shows a company, without `matched`. */
interface SearchedCompany {
  kind: 'company'
  cik: Cik
  ticker: string
  name: string
  exchange: string
}

interface Refreshed {
  /** In their order. */
  lists: readonly string[]
  rows: readonly CountedList[]
  /** The SEC's entries of each company, in its order. */
  listings: ReadonlyMap<number, ListedCompany[]>
  /** Companies of insiders; those of these lists are added. */
  shown: Map<number, SearchedCompany>
  /** Of lists without totals. */
  version: number
}

/** Writes what the search has of these lists. A party of which nothing is left is removed. */
async function insertParties(store: ClickHouse, refreshed: Refreshed): Promise<void> {
  const { lists, rows, listings, shown, version } = refreshed
  const rowOf = new Map(rows.map((row) => [row.list, row]))
  const parties: InsertRow[] = []
  for await (const list of inSlices(lists)) {
    const cik = Number(list.slice(1))
    const row = rowOf.get(list)
    const counted = { recent: row?.recent ?? 0, transactions: row?.transactions ?? 0, version: row?.version || version }
    const { filings, sides } = parseTotals(row?.totals || '[[],[],[],""]')
    const common = { ...counted, cik, filed: filings.length > 0 }
    if (list.startsWith('i')) {
      const company = shown.get(row?.issuer ?? 0)
      const insider = {
        ...{ kind: 'insider', cik: cikOf(cik), name: filings[0]?.name ?? '', title: sides[0]?.title ?? '' },
        ...{ ticker: company?.ticker ?? '', companyName: company?.name ?? '' },
      }
      const words = wordsOf(
        filings.map(({ name }) => name),
        [],
      )
      parties.push({
        ...common,
        kind: 'insider',
        words,
        shown: JSON.stringify(insider),
        deleted: Number(!common.filed),
      })
      continue
    }
    const listed = listings.get(cik) ?? []
    const symbols = [...listed.map(({ ticker }) => ticker), ...filings.flatMap((filing) => filing.symbols)]
    const names = [...listed, ...filings].map(({ name }) => name)
    const exchange = listed[0]?.exchange || 'Unknown'
    const company = {
      kind: 'company' as const,
      cik: cikOf(cik),
      ticker: symbols[0] ?? '',
      name: names[0] ?? '',
      exchange,
    }
    shown.set(cik, company)
    const sectors = filings.filter(({ sector }) => sector !== 'Unknown' && sector !== '')
    parties.push({
      ...{ ...common, kind: 'company', words: wordsOf(names, symbols), shown: JSON.stringify(company) },
      sector_by_sic: sectors.find(({ sic }) => sic !== '')?.sector ?? '',
      sector_by_office: sectors[0]?.sector ?? '',
      deleted: Number(!common.filed && listed.length === 0),
    })
  }
  await store.insert('parties', parties)
}

/** Returns the words of symbols and names, and each symbol as it is compared with what is typed. */
function wordsOf(names: readonly string[], symbols: readonly string[]): string {
  const words = [...new Set([...symbols, ...names].flatMap(searchTerms))].slice(0, MAX_WORDS)
  const typed = [...new Set(symbols)].map((symbol) => searchWords(symbol).join(' '))
  return ` ${words.join(' ')}${typed.length > 0 ? `=${typed.join('=')}=` : ''}`
}
