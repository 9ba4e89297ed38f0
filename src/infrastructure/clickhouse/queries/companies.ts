// Companies by symbol or CIK, many at once: who each is, its buys and sells, and when it filed last.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { NamedCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { cikAsSymbol, cikNumber, cikOf } from '../../../domain/shared/identifiers.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import {
  listOfTotals,
  parseFiling,
  parseTotals,
  sumOf,
  totalsKey,
  type ProfileFiling,
} from '../profiles/list-totals.ts'
import { MAX_SORTED, sortKey } from '../sort-key.ts'
import { formerList } from './shared/as-of.ts'
import { describeCompany } from './shared/company-description.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { issuersByTicker, partsOf } from './shared/named-companies.ts'
import { BLOCK_ROWS, listOfCompany, type TransactionList } from './shared/transaction-list.ts'

type CompanySummary = components['schemas']['CompanySummary']

/** Selects the totals of these companies that are ready. */
export function readyTotalsSql(lists: TransactionList[]): Sql {
  return sql`
    SELECT key, summed
    FROM transaction_lists FINAL
    WHERE key IN ${lists.map(totalsKey)}`
}

/**
 * Counts transactions and filings of these companies by what is said of them. Most filings of a company say the same of
 * it, so that it has few rows. The beginnings of keys are for the index alone: evaluated for each row, or written as
 * ranges, 50 of them take twice the time.
 */
export function companiesSql(lists: TransactionList[]): Sql {
  const starts = lists.map((list) => sql`startsWith(key, ${list})`.text).join(' OR ')
  return sql`
    SELECT substring(key, 1, 11) AS list, type, if(substring(key, 12, 1) = '#', summed, '') AS filing,
      count() AS rows, max(key) AS newest
    FROM transaction_lists FINAL
    WHERE indexHint(${new Sql(starts)}) AND list IN ${lists} AND substring(key, 12, 1) != '='
    GROUP BY list, type, filing
    ORDER BY newest DESC`
}

/**
 * Counts the same as of an instant, with what was superseded since. Filings that were not known then stand apart: they
 * say the present sector, and whether the company is known at all.
 */
export function companiesAsOfSql(lists: TransactionList[], asOf: number): Sql {
  const all = [...lists, ...lists.map(formerList)]
  const starts = all.map((list) => sql`startsWith(key, ${list})`.text).join(' OR ')
  const isKnown = sql`
    substring(key, 13, 8) <= ${sortKey(Math.min(asOf, MAX_SORTED))} AND NOT estimated
      AND (toUnixTimestamp(superseded_at) = 0 OR toUnixTimestamp(superseded_at) > ${asOf})`
  return sql`
    SELECT concat('c', substring(key, 2, 10)) AS list, type, if(substring(key, 12, 1) = '#', summed, '') AS filing,
      ${isKnown} AS isKnown, count() AS rows, max(key) AS newest, min(key) AS oldest
    FROM transaction_lists FINAL
    WHERE indexHint(${new Sql(starts)}) AND substring(key, 1, 11) IN ${all}
    GROUP BY list, type, filing, isKnown
    ORDER BY newest DESC`
}

interface CountedRows {
  list: TransactionList
  type: string
  /** What the filings say of the company; empty for transactions. */
  filing: string
  rows: number
  /** The newest key among them. */
  newest: string
  /** The oldest key among them, and whether they were known at the instant asked for; absent without one. */
  oldest?: string
  isKnown?: boolean
}

/** What the list of companies shows of one. */
interface Summary {
  /** What its filings say of it, newest first. */
  filings: ProfileFiling[]
  /** Those that its name and symbol are taken from. */
  naming: ProfileFiling[]
  buys: number
  sells: number
  /** Eight hexadecimal digits of the newest filing's time; empty without filings. */
  newestFiling: string
}

const NOTHING: Summary = { filings: [], naming: [], buys: 0, sells: 0, newestFiling: '' }

export function companies(store: ClickHouse, lists: CompanyLists): Queries['companies'] {
  return async (asked, asOf) => {
    const tickers = asked.flatMap(({ ticker }) => ticker ?? [])
    const [known, byTicker] = await Promise.all([lists(), issuersByTicker(lists, tickers, asOf)])
    const found = asked.map((named): { named: NamedCompany; issuer?: number } => {
      if (named.cik !== null) return { named, issuer: cikNumber(named.cik) }
      const own = byTicker.found.get(named.ticker)
      return own ? { named: { ticker: own.ticker, cik: null }, issuer: own.issuer } : { named }
    })
    const issuers = new Set(found.flatMap(({ issuer }) => issuer ?? []))
    const summaryOf = await readSummaries(store, [...issuers].map(listOfCompany), asOf)
    const summaries: CompanySummary[] = []
    const unknown: string[] = []
    for (const { named, issuer } of found) {
      const own = issuer === undefined ? NOTHING : (summaryOf.get(listOfCompany(issuer)) ?? NOTHING)
      const { filings, naming, buys, sells, newestFiling } = own
      const described = issuer === undefined ? null : describeCompany(known, { issuer, named, filings, naming })
      if (described)
        summaries.push({
          ...{ cik: cikOf(issuer!), ...described },
          ...{ totalBuys: buys, totalSells: sells, netSentiment: buys - sells },
          lastFilingDate: newestFiling === '' ? null : timestampOf(Number.parseInt(newestFiling, 16)),
        })
      else unknown.push(named.ticker ?? cikAsSymbol(named.cik))
    }
    return madeFrom({ companies: summaries, unknown }, { parts: partsOf(issuers, byTicker.tried) })
  }
}

/** Planning takes longer than reading and grows with the companies, so statements side by side are sooner done. */
const COMPANIES_PER_STATEMENT = 25

async function readSummaries(
  store: ClickHouse,
  lists: TransactionList[],
  asOf: number | undefined,
): Promise<Map<TransactionList, Summary>> {
  const ready = asOf === undefined && lists.length > 0 ? await store.texts(readyTotalsSql(lists), BLOCK_ROWS) : []
  const summaries = new Map(ready.map(([key, text]) => [listOfTotals(key!), summaryOfTotals(text!)]))
  const others = lists.filter((list) => !summaries.has(list))
  const statement = (some: TransactionList[]) =>
    asOf === undefined ? companiesSql(some) : companiesAsOfSql(some, asOf)
  const parts = Array.from({ length: Math.ceil(others.length / COMPANIES_PER_STATEMENT) }, (_, place) =>
    others.slice(place * COMPANIES_PER_STATEMENT, (place + 1) * COMPANIES_PER_STATEMENT),
  )
  const rows = await Promise.all(parts.map((some) => store.rows<CountedRows>(statement(some))))
  for (const [list, own] of Map.groupBy(rows.flat(), (row) => row.list)) summaries.set(list, summaryOfRows(own))
  return summaries
}

function summaryOfTotals(text: string): Summary {
  const { sides, filings, newestFiling } = parseTotals(text)
  const { buys, sells } = sumOf(sides)
  return { filings, naming: filings, buys, sells, newestFiling }
}

function summaryOfRows(rows: readonly CountedRows[]): Summary {
  const filings = rows.filter(({ filing }) => filing !== '')
  const filingsThen = filings.filter(({ isKnown }) => isKnown !== false)
  // None was known: the first filing of all names it, whichever others say the same later.
  const byAge = filings.toSorted((a, b) => ((a.oldest ?? a.newest) < (b.oldest ?? b.newest) ? -1 : 1))
  const naming = filingsThen.length > 0 ? filingsThen : byAge.slice(0, 1)
  const count = (type: 'buy' | 'sell') =>
    rows.filter((each) => each.type === type && each.isKnown !== false).reduce((sum, each) => sum + each.rows, 0)
  return {
    filings: filings.map(({ filing }) => parseFiling(filing)),
    naming: naming.map(({ filing }) => parseFiling(filing)),
    buys: count('buy'),
    sells: count('sell'),
    // Behind the list and a character stand eight digits of the filing time.
    newestFiling: filingsThen[0]?.newest.slice(12, 20) ?? '',
  }
}
