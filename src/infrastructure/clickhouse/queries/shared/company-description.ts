// Who a company is: what the SEC's list and its filings say of its symbol, name, exchange and sector.
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
 * Describes the issuer to those who named it so. `filings`: what its filings say, newest first; `naming`: those that
 * its name and symbol are taken from, if not all. Returns null for what is neither listed nor an issuer, since a CIK
 * can belong to a person.
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
  const known = filings.filter(({ sector }) => sector !== 'Unknown')
  const [sectorBySic, sectorByOffice] = [known.find(({ sic }) => sic !== '')?.sector, known[0]?.sector]
  const listing = listings.find(({ ticker }) => ticker === named.ticker) ?? listings[0]
  return {
    ticker: listing?.ticker ?? filedSymbol(symbols, named.ticker),
    name: listing?.name ?? naming[0]?.name ?? '',
    exchange: listing?.exchange || 'Unknown',
    sector: sectorBySic ?? sectors.get(issuer) ?? sectorByOffice ?? 'Unknown',
  }
}

/**
 * Returns the symbol if the SEC's list has none: the requested one, unless the newest filing with symbols has only
 * others.
 */
function filedSymbol(typed: Ticker[], asked: Ticker | null): Ticker {
  return asked !== null && typed.includes(asked) ? asked : (typed[0] ?? asked ?? '')
}
