// Parties are companies and insiders. This file writes the totals of their lists of transactions, and the names, symbols
// and counts by which the search finds and ranks them. Each change renews those of its parties; all are renewed after a
// load of history and when the SEC's company list has changed.
import type { AnalyticsChange, PartyRefresh } from '../../../application/ports/analytics.ts'
import type { ListedCompany } from '../../../application/ports/filings.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import { searchTerms, searchWords } from '../../../domain/wording/search-words.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import {
  countedTotalsSql,
  NO_TOTALS_TEXT,
  parseSummary,
  rowsOfLists,
  totalsKey,
} from '../queries/shared/list-totals.ts'

const RECENT_SECONDS = 3 * 365.25 * 86_400
/** Words by which the search finds a party, joined ones among them; a party with more is found by the first ones. */
const MAX_WORDS = 100
/** Lists of one statement that names them: planning grows with the lists. */
const LISTS_PER_STATEMENT = 50
/**
 * Lists of one statement that reads all rows between the first and the last: few enough for their parties to be made in
 * a turn of the event loop.
 */
const LISTS_PER_RANGE = 250

const totalsRowKey = (list: string, version: number): InsertRow => ({
  key: totalsKey(list),
  issuer_cik: cikNumber(list.slice(1)),
  version,
  trader: 0,
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

/** Renews the parties of these lists. Their rows have to be written under `version` before. `now` in milliseconds. */
export async function refreshParties(
  store: ClickHouse,
  lists: ReadonlySet<string>,
  { version, now }: { version: number; now: number },
): Promise<void> {
  const shown = new Map<number, SearchedCompany>()
  // Companies before insiders, who are shown with the company of their newest filing.
  const sorted = [...lists].toSorted()
  for (let from = 0; from < sorted.length; from += LISTS_PER_STATEMENT) {
    const batch = sorted.slice(from, from + LISTS_PER_STATEMENT)
    const ciks = batch.filter((list) => list.startsWith('c')).map((list) => Number(list.slice(1)))
    const [rows, listed] = await Promise.all([
      store.rows<CountedList>(countedTotalsSql(rowsOfLists(batch), recentSince(now))),
      ciks.length > 0 ? store.rows<ListedCompany>(listedSql(ciks)) : [],
    ])
    const unknown = new Set(rows.flatMap(({ list, issuer }) => (list.startsWith('i') ? issuer : [])))
    for (const cik of [...ciks, ...shown.keys()]) unknown.delete(cik)
    if (unknown.size > 0)
      for (const { cik, company } of await store.rows<{ cik: number; company: string }>(shownSql([...unknown])))
        shown.set(cik, JSON.parse(company) as SearchedCompany)
    await writeParties(store, { lists: batch, rows, listings: byIssuer(listed), shown, version })
  }
}

/** Renews all parties; `companies` is the SEC's list. `now` in milliseconds since 1970. */
export async function refreshAllParties(
  store: ClickHouse,
  companies: readonly ListedCompany[],
  { nextVersion, between, advance, now }: PartyRefresh & { now: number },
): Promise<void> {
  const bulk = store.forBulk
  const ranges = await rangesOfParties(bulk)
  const listings = byIssuer(companies)
  const shown = new Map<number, SearchedCompany>()
  for (const [done, range] of ranges.entries()) {
    advance?.(done, ranges.length)
    await between?.()
    const version = await nextVersion()
    const { kind, from, to } = range
    const inRange = sql`
      key >= ${listOf(kind, from)} AND key < ${listOf(kind, to)} AND substring(key, 12, 1) != '='`
    const rows = await bulk.rows<CountedList>(sql`
      ${countedTotalsSql(inRange, recentSince(now))}
      SETTINGS max_execution_time = 0`)
    const known = await bulk.rows<{ cik: number }>(knownPartiesSql(range))
    const listed = kind === 'company' ? listings.keys().filter((cik) => cik >= from && cik < to) : []
    const ciks = [...known.map(({ cik }) => cik), ...listed]
    const lists = [...new Set([...rows.map(({ list }) => list), ...ciks.map((cik) => listOf(kind, cik))])].toSorted()
    await writeParties(bulk, { lists, rows, listings, shown, version })
  }
}

const recentSince = (now: number): number => Math.max(0, Math.floor(now / 1000 - RECENT_SECONDS))

/** Parties of one kind by CIK; `from` is inclusive, `to` exclusive. */
interface PartyRange {
  kind: 'company' | 'insider'
  from: number
  to: number
}

/** Above all CIKs, of ten digits as well. */
const END_OF_CIKS = 9_999_999_999

const listOf = (kind: PartyRange['kind'], cik: number): string => `${kind.slice(0, 1)}${String(cik).padStart(10, '0')}`

/** Returns ranges that cover all parties, companies first, each with `LISTS_PER_RANGE` lists that have rows. */
async function rangesOfParties(store: ClickHouse): Promise<PartyRange[]> {
  const starts = await store.rows<{ list: string }>(sql`
    SELECT list
    FROM (
      SELECT list, row_number() OVER (PARTITION BY substring(list, 1, 1) ORDER BY list) AS place
      FROM (
        SELECT DISTINCT substring(key, 1, 11) AS list
        FROM transaction_lists
        WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
      )
    )
    WHERE place > 1 AND place % ${LISTS_PER_RANGE} = 1
    ORDER BY list
    SETTINGS max_execution_time = 0`)
  return (['company', 'insider'] as const).flatMap((kind) => {
    const own = starts.filter(({ list }) => list.startsWith(kind.slice(0, 1)))
    const bounds = [0, ...own.map(({ list }) => Number(list.slice(1))), END_OF_CIKS]
    return bounds.slice(1).map((to, index) => ({ kind, from: bounds[index]!, to }))
  })
}

/** Selects the parties in this range that the search has. */
const knownPartiesSql = ({ kind, from, to }: PartyRange): Sql => sql`
  SELECT cik
  FROM parties FINAL
  WHERE kind = ${kind} AND cik >= ${from} AND cik < ${to}
  SETTINGS max_execution_time = 0`

/** The totals of a list, with the counts by which the search ranks its party. */
interface CountedList {
  list: string
  totals: string
  recent: number
  transactions: number
  /** The issuer of the newest filing. */
  issuer: number
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

/** A company as the search shows it, without `matched`. */
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
  /** The companies with which insiders are shown; the companies of these lists are added. */
  shown: Map<number, SearchedCompany>
  version: number
}

/** Writes the totals of these lists and their parties. Removes a party without filings and listings. */
async function writeParties(store: ClickHouse, { lists, rows, listings, shown, version }: Refreshed): Promise<void> {
  const rowOf = new Map(rows.map((row) => [row.list, row]))
  const parties: InsertRow[] = []
  for (const list of lists) {
    const cik = Number(list.slice(1))
    const { totals, recent, transactions, issuer } = rowOf.get(list) ?? EMPTY
    const { filings, title } = parseSummary(totals)
    const common = { cik, recent, transactions, filed: filings.length > 0, version }
    if (list.startsWith('i')) {
      const company = shown.get(issuer)
      const insider = {
        kind: 'insider',
        cik: cikOf(cik),
        name: filings[0]?.name ?? '',
        title,
        ticker: company?.ticker ?? '',
        companyName: company?.name ?? '',
      }
      parties.push({ ...common, ...searched(insider, filings, []), deleted: common.filed ? 0 : 1 })
      continue
    }
    const listed = listings.get(cik) ?? []
    const symbols = [...listed.map(({ ticker }) => ticker), ...filings.flatMap((filing) => filing.symbols)]
    const named = [...listed, ...filings]
    const company = {
      kind: 'company' as const,
      cik: cikOf(cik),
      ticker: symbols[0] ?? '',
      name: named[0]?.name ?? '',
      exchange: listed[0]?.exchange || 'Unknown',
    }
    shown.set(cik, company)
    const sectors = filings.filter(({ sector }) => sector !== 'Unknown' && sector !== '')
    parties.push({
      ...common,
      ...searched(company, named, symbols),
      sector_by_sic: sectors.find(({ sic }) => sic !== '')?.sector ?? '',
      sector_by_office: sectors[0]?.sector ?? '',
      deleted: named.length > 0 ? 0 : 1,
    })
  }
  const totals = rows.map((row) => ({ ...totalsRowKey(row.list, version), summed: row.totals, deleted: 0 }))
  await Promise.all([store.insert('transaction_lists', totals), store.insert('parties', parties)])
}

const EMPTY = { totals: NO_TOTALS_TEXT, recent: 0, transactions: 0, issuer: 0 }

/** Returns the columns of the search: the words of names and symbols, each symbol for comparison, and the result. */
function searched(
  shown: { kind: string; ticker: string },
  named: readonly { name: string }[],
  symbols: readonly string[],
): InsertRow {
  const words = [...new Set([...symbols, ...named.map(({ name }) => name)].flatMap(searchTerms))].slice(0, MAX_WORDS)
  const typed = [...new Set(symbols)].map((symbol) => searchWords(symbol).join(' '))
  const compared = typed.length > 0 ? `=${typed.join('=')}=` : ''
  return {
    kind: shown.kind,
    words: ` ${words.join(' ')}${compared}`,
    shown: JSON.stringify(shown),
    ticker: shown.ticker,
  }
}
