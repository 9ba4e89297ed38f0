// The SEC's company list and the sectors from EDGAR, in memory, since every answer about a company needs a few of their
// rows. They are read again after a change, and when this process may not know the changes of others.
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql } from '../../connection/sql.ts'
import { issuersOfSymbols } from './filed-symbols.ts'
import { keepCurrent, type Freshness } from './freshness.ts'

interface Listing {
  ticker: Ticker
  issuer: number
  name: string
  exchange: string
}

export interface Lists {
  /** The SEC's entry of a symbol. */
  byTicker: Map<Ticker, Listing>
  /** An issuer's entries, in the SEC's order. */
  byIssuer: Map<number, Listing[]>
  sectors: Map<number, string>
  /** Looks up the issuers of the newest filings with these symbols, by an instant in seconds if one is given. */
  filed: (tickers: readonly Ticker[], asOf?: number) => Promise<Map<Ticker, number>>
}

/** Reads the lists as they are now. */
export type CompanyLists = () => Promise<Lists>

export const LISTINGS_SQL = sql`SELECT ticker, issuer_cik AS issuer, name, exchange FROM company_list ORDER BY place`
export const SECTORS_SQL = sql`
  SELECT issuer_cik AS issuer, sector
  FROM issuer_sectors FINAL
  WHERE sector != 'Unknown'`

export function companyLists(store: ClickHouse, freshness: Freshness): CompanyLists {
  const { changes } = freshness
  return keepCurrent(
    () => readLists(store),
    freshness,
    (version) => changes.areListsCurrent(version),
  )
}

async function readLists(store: ClickHouse): Promise<Lists> {
  const [listings, sectors] = await Promise.all([
    store.rows<Listing>(LISTINGS_SQL),
    store.rows<{ issuer: number; sector: string }>(SECTORS_SQL),
  ])
  return {
    byTicker: new Map(listings.map((listing) => [listing.ticker, listing])),
    byIssuer: Map.groupBy(listings, ({ issuer }) => issuer),
    sectors: new Map(sectors.map(({ issuer, sector }) => [issuer, sector])),
    filed: (tickers, asOf) => issuersOfSymbols(store, tickers, asOf),
  }
}
