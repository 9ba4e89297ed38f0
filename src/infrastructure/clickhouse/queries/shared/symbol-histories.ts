// Which issuer a symbol led to at an instant, by the filings alone: that of the newest filing by then that typed it.
// For all symbols it is kept in memory since when each of its issuers had it, as the statement that looks one up takes
// as long as half a company's page. Symbols that filings have typed since are read again, each once.
import { LRUCache } from 'lru-cache'
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { issuersOfSql } from './filed-symbols.ts'
import type { Freshness } from './freshness.ts'

/** Returns the issuers that these symbols led to at an instant, in seconds; those that led to none are left out. */
export type SymbolsAsOf = (tickers: readonly Ticker[], asOf: number) => Promise<Map<Ticker, number>>

/** A filing's time in seconds and its accession number. */
type Place = [filedAt: number, accession: string]

interface Holding {
  ticker: Ticker
  issuer: number
  first: Place
  last: Place
}

/**
 * Issuers by the time of their first filing with the symbol, the newest first. Filings of several alternate where one
 * mistypes the symbol of another; such a symbol is looked up each time.
 */
type History = { since: number; issuer: number }[] | 'alternating'

/** Finds the first and the last filing of each issuer with these symbols, or with any. */
export function holdingsSql(tickers?: readonly Ticker[]): Sql {
  return sql`
    SELECT key AS ticker, issuer_cik AS issuer, min((toUnixTimestamp(filed_at), accession)) AS first,
      max((toUnixTimestamp(filed_at), accession)) AS last
    FROM directory FINAL
    WHERE kind = 'symbol' AND ${tickers ? sql`key IN ${tickers}` : sql`1`} AND NOT estimated
    GROUP BY key, issuer_cik`
}

/** All symbols are read this often at most, as after changes of everything. */
const REREAD_MS = 60_000
/** Symbols that are kept beside all of them, since filings typed them later. */
const MAX_LATER = 20_000

export function symbolsAsOf(store: Pick<ClickHouse, 'rows'>, { changes, isUpToDate }: Freshness): SymbolsAsOf {
  let all: { histories: Map<Ticker, History>; version: number } | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const later = new LRUCache<Ticker, { history: History; version: number }>({ max: MAX_LATER })

  const read = async (tickers?: readonly Ticker[]): Promise<Map<Ticker, History>> => {
    const holdings = await store.rows<Holding>(holdingsSql(tickers))
    return new Map([...Map.groupBy(holdings, ({ ticker }) => ticker)].map(([ticker, own]) => [ticker, historyOf(own)]))
  }
  const readAll = async () => {
    readAt = performance.now()
    const version = changes.version()
    all = { histories: await read(), version }
  }
  const lookedUp = async (tickers: readonly Ticker[], asOf: number): Promise<[Ticker, number][]> => {
    if (tickers.length === 0) return []
    const found = await store.rows<{ ticker: Ticker; issuer: number }>(issuersOfSql(tickers, asOf))
    return found.map(({ ticker, issuer }) => [ticker, issuer])
  }
  /** Returns the history of a symbol where it is known; none for a symbol that no filing has typed. */
  const knownOf = (ticker: Ticker): History | undefined => {
    const isCurrent = (version: number) => changes.isCurrent({ parts: [`symbol:${ticker}`] }, version)
    if (all && isCurrent(all.version)) return all.histories.get(ticker) ?? []
    const own = later.get(ticker)
    return own && isCurrent(own.version) ? own.history : undefined
  }
  /** Reads the histories that are not known. */
  const historiesOf = async (tickers: readonly Ticker[]): Promise<Map<Ticker, History>> => {
    const histories = new Map<Ticker, History>()
    for (const ticker of tickers) {
      const known = knownOf(ticker)
      if (known) histories.set(ticker, known)
    }
    const unknown = tickers.filter((ticker) => !histories.has(ticker))
    if (unknown.length === 0) return histories
    const version = changes.version()
    const found = await read(unknown)
    for (const ticker of unknown) {
      const history = found.get(ticker) ?? []
      later.set(ticker, { history, version })
      histories.set(ticker, history)
    }
    return histories
  }

  return async (tickers, asOf) => {
    if (tickers.length === 0) return new Map()
    if (!isUpToDate()) return new Map(await lookedUp(tickers, asOf))
    // No request waits for it: those that come meanwhile read the symbols that they need.
    if ((!all || !changes.isCurrent({ parts: [] }, all.version)) && performance.now() - readAt > REREAD_MS)
      void readAll().catch(() => {})
    const histories = await historiesOf(tickers)
    const then = [...histories].flatMap(([ticker, history]): [Ticker, number][] => {
      const step = history === 'alternating' ? undefined : history.find(({ since }) => since <= asOf)
      return step ? [[ticker, step.issuer]] : []
    })
    const alternating = tickers.filter((ticker) => histories.get(ticker) === 'alternating')
    return new Map([...then, ...(await lookedUp(alternating, asOf))])
  }
}

function historyOf(holdings: readonly Holding[]): History {
  const ordered = holdings.toSorted((a, b) => compare(b.first, a.first))
  const isAlternating = ordered.slice(1).some(({ last }, index) => compare(last, ordered[index]!.first) > 0)
  return isAlternating ? 'alternating' : ordered.map(({ issuer, first: [since] }) => ({ since, issuer }))
}

const compare = ([time, accession]: Place, [otherTime, other]: Place): number =>
  time - otherTime || (accession < other ? -1 : accession > other ? 1 : 0)
