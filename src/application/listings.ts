// The SEC's company list in memory, for the one process that projects: issuer to its present symbols.
import type { Cik, Ticker } from '../domain/identifiers.ts'
import type { ListedCompany } from './ports.ts'

export class Listings {
  #tickers = new Map<Cik, Ticker[]>()

  replace(companies: ListedCompany[]): void {
    this.#tickers = tickersByIssuer(companies)
  }

  /** In the list's order; the first is the main one. Empty for an issuer that is not in it. */
  tickersOf(issuer: Cik): Ticker[] {
    return this.#tickers.get(issuer) ?? []
  }
}

/** Issuers whose symbols differ between two lists. */
export function changedIssuers(before: ListedCompany[], after: ListedCompany[]): Cik[] {
  const was = tickersByIssuer(before)
  const is = tickersByIssuer(after)
  return [...new Set([...was.keys(), ...is.keys()])].filter((cik) => String(was.get(cik)) !== String(is.get(cik)))
}

function tickersByIssuer(companies: ListedCompany[]): Map<Cik, Ticker[]> {
  const grouped = Map.groupBy(companies, (company) => company.cik)
  return new Map([...grouped].map(([cik, listed]) => [cik, listed.map((company) => company.ticker)]))
}
