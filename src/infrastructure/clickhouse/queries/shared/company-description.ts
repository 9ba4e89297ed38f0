// Describes a company by symbol, name, exchange and sector, from the SEC's list and its filings.
import type { NamedCompany } from '../../../../domain/filings/ticker-symbol.ts'
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { Lists } from './company-list.ts'
import type { ProfileFiling } from './list-totals.ts'

interface CompanyDescription {
  ticker: string
  name: string
  exchange: string
  sector: string
}

/**
 * Describes an issuer. `named`: the requested symbol or CIK, since an issuer can have several symbols. `filings`: its
 * filings, newest first; `naming`: those that name and symbol are taken from, if not all. Returns null if the CIK is
 * neither listed nor an issuer's: it can be a person's.
 */
export function describeCompany(
  { byIssuer, sectors }: Lists,
  {
    issuer,
    named,
    filings,
    naming = filings,
  }: {
    issuer: number
    named: NamedCompany
    filings: readonly ProfileFiling[]
    naming?: readonly ProfileFiling[]
  },
): CompanyDescription | null {
  const listings = byIssuer.get(issuer) ?? []
  if (listings.length === 0 && filings.length === 0) return null
  const symbols = naming.find((filing) => filing.symbols.length > 0)?.symbols ?? []
  const withSector = filings.filter(({ sector }) => sector !== 'Unknown')
  const sectorBySic = withSector.find(({ sic }) => sic !== '')?.sector
  const sectorByOffice = withSector[0]?.sector
  const listing = listings.find(({ ticker }) => ticker === named.ticker) ?? listings[0]
  return {
    ticker: listing?.ticker ?? filedSymbol(symbols, named.ticker),
    name: listing?.name ?? naming[0]?.name ?? '',
    exchange: listing?.exchange || 'Unknown',
    sector: sectorBySic ?? sectors.get(issuer) ?? sectorByOffice ?? 'Unknown',
  }
}

/**
 * Returns the symbol of an issuer without one on the SEC's list: the requested one, unless the newest filing with symbols
 * has only others.
 */
function filedSymbol(typed: Ticker[], requested: Ticker | null): Ticker {
  return requested !== null && typed.includes(requested) ? requested : (typed[0] ?? requested ?? '')
}
