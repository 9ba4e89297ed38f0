// The SEC's company list in memory, for the process that projects: from issuer to its present symbols.
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { ListedCompany } from '../ports/filings.ts'
import type { TypedSymbols } from '../ports/analytics.ts'

export class CompanyListings {
  #tickers = new Map<Cik, Ticker[]>()
  #listed = new Set<Ticker>()

  replace(companies: ListedCompany[]): void {
    this.#tickers = tickersByIssuer(companies)
    this.#listed = new Set(companies.map((company) => company.ticker))
  }

  /** Returns whether the list has the symbol. */
  has(ticker: Ticker): boolean {
    return this.#listed.has(ticker)
  }

  /** Returns them in the list's order; the first is the main one. Empty for an issuer that is not in it. */
  tickersOf(issuer: Cik): Ticker[] {
    return this.#tickers.get(issuer) ?? []
  }
}

/** Returns the newest of what an issuer's filings typed; undefined for none. */
export function newestTyped(typed: TypedSymbols[]): TypedSymbols | undefined {
  const later = (a: TypedSymbols, b: TypedSymbols) =>
    a.filedAt > b.filedAt || (a.filedAt === b.filedAt && a.accession > b.accession) ? a : b
  return typed.length > 0 ? typed.reduce(later) : undefined
}

/** Returns issuers whose symbols differ between two lists. */
export function changedIssuers(before: ListedCompany[], after: ListedCompany[]): Cik[] {
  const was = tickersByIssuer(before)
  const is = tickersByIssuer(after)
  return [...new Set([...was.keys(), ...is.keys()])].filter((cik) => String(was.get(cik)) !== String(is.get(cik)))
}

function tickersByIssuer(companies: ListedCompany[]): Map<Cik, Ticker[]> {
  const grouped = Map.groupBy(companies, (company) => company.cik)
  return new Map([...grouped].map(([cik, listed]) => [cik, listed.map((company) => company.ticker)]))
}
