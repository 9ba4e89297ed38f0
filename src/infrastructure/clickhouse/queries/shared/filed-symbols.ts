// Symbols that the SEC's list lacks, such as those of delisted companies: each leads to the issuer of the newest filing
// that typed it. All are kept in memory, since looking up six of them takes longer than a page of the feed; those that
// filings have typed since are looked up.
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { Freshness } from './freshness.ts'

/** Returns the issuers that these symbols lead to; those that lead to none are left out. */
export type FiledSymbols = (tickers: readonly Ticker[]) => Promise<Map<Ticker, number>>

/** Finds the issuers of the newest filings with these symbols, or with any; of those filed by an instant in seconds. */
export function issuersOfSql(tickers?: readonly Ticker[], asOf?: number): Sql {
  const known = asOf === undefined ? sql`` : sql` AND toUnixTimestamp(filed_at) <= ${asOf} AND NOT estimated`
  return sql`
    SELECT key AS ticker, argMax(issuer_cik, (filed_at, accession)) AS issuer
    FROM directory FINAL
    WHERE kind = 'symbol' AND ${tickers ? sql`key IN ${tickers}` : sql`1`}${known}
    GROUP BY key`
}

/** All symbols are read this often at most, as after changes of everything. */
const REREAD_MS = 60_000

export function filedSymbols(store: ClickHouse, { changes, isUpToDate }: Freshness): FiledSymbols {
  let known: { issuers: Map<Ticker, number>; version: number } | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const read = async (tickers?: readonly Ticker[]) => {
    const found = await store.rows<{ ticker: Ticker; issuer: number }>(issuersOfSql(tickers))
    return new Map(found.map(({ ticker, issuer }) => [ticker, issuer]))
  }
  const readAll = async () => {
    readAt = performance.now()
    const version = changes.version()
    known = { issuers: await read(), version }
  }
  return async (tickers) => {
    if (tickers.length === 0) return new Map()
    const { issuers, version } = known ?? {}
    const isKnown = (ticker: Ticker) =>
      version !== undefined && isUpToDate() && changes.isCurrent({ parts: [`symbol:${ticker}`] }, version)
    const [current, others] = [tickers.filter(isKnown), tickers.filter((ticker) => !isKnown(ticker))]
    const isStale = version === undefined || !changes.isCurrent({ parts: [] }, version)
    // Not awaited: requests meanwhile look up their own symbols.
    if (isStale && isUpToDate() && performance.now() - readAt > REREAD_MS) void readAll().catch(() => {})
    const looked = others.length === 0 ? [] : await read(others)
    return new Map([
      ...current.flatMap((ticker): [Ticker, number][] => {
        const issuer = issuers!.get(ticker)
        return issuer === undefined ? [] : [[ticker, issuer]]
      }),
      ...looked,
    ])
  }
}
