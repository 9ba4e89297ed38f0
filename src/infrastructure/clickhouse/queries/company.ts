// The query of a company's profile by symbol or CIK: name and symbol, transactions, and the insiders who traded most.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { cikNumber, type Ticker } from '../../../domain/shared/identifiers.ts'
import { parseCompany, type NamedCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { describeCompany } from './shared/company-description.ts'
import { lateFilings, type SideTotals } from './shared/list-totals.ts'
import { issuersByTicker, partsOf, type NamedIssuer } from './shared/named-companies.ts'
import type { IssuerSectors } from './shared/issuer-sectors.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { readProfile } from './shared/profile.ts'
import { NO_PRICES } from './shared/returns.ts'
import { listOfCompany } from './shared/transaction-list.ts'

type Profile = components['schemas']['CompanyProfile']
type TopInsider = components['schemas']['TopInsider']

/** Finds the issuer of the newest filing with the symbol. */
export function issuerOfSql(ticker: string): Sql {
  return sql`
    SELECT issuer_cik AS issuer
    FROM directory FINAL
    WHERE kind = 'symbol' AND key = ${ticker}
    ORDER BY kind, key, filed_at DESC, accession DESC
    LIMIT 1`
}

const TOP_INSIDERS = 10

export function company(
  store: ClickHouse,
  lists: CompanyLists,
  issuerSectors: IssuerSectors,
  prices = NO_PRICES,
): Queries['company'] {
  const newestIssuerOf = async (ticker: Ticker): Promise<number | undefined> =>
    (await store.rows<{ issuer: number }>(issuerOfSql(ticker)))[0]?.issuer
  const issuerOf = async (ticker: Ticker, asOf?: number): Promise<NamedIssuer | undefined> => {
    if (asOf === undefined) {
      const issuer = (await lists()).byTicker.get(ticker)?.issuer ?? (await newestIssuerOf(ticker))
      if (issuer !== undefined) return { issuer, ticker }
    }
    return (await issuersByTicker(lists, [ticker], asOf)).found.get(ticker)
  }
  /** Returns the issuer, and the name that leads to it: `INV-A` if `INVA` is requested and no company has it. */
  const resolve = async (company: NamedCompany, asOf?: number): Promise<[number, NamedCompany] | undefined> => {
    if (company.cik !== null) return [cikNumber(company.cik), company]
    const match = await issuerOf(company.ticker, asOf)
    return match && [match.issuer, { ticker: match.ticker, cik: null }]
  }
  return async (name, detail = false, asOf?: number) => {
    const company = parseCompany(name)
    if (company === null) return null
    const companyLists = await lists()
    const match = await resolve(company, asOf)
    if (match === undefined) return null
    const [issuer, named] = match
    const sources = detail ? { sectors: issuerSectors, prices } : null
    const profiled = await readProfile(store, listOfCompany(issuer), sources, asOf)
    const { recent, buys, sells, sides, filings, named: naming } = profiled
    const described = describeCompany(companyLists, { issuer, named, filings, naming })
    if (described === null) return null
    const profile = JsonText.object<Profile>({
      ...described,
      totalBuys: buys,
      totalSells: sells,
      netSentiment: buys - sells,
      recentTransactions: recent,
      topInsiders: topInsiders(sides),
      ...(detail && { lateFilings: lateFilings(sides) }),
    })
    const symbols = company.cik === null ? [...new Set([company.ticker, named.ticker!])] : []
    return withDependencies(profile, { parts: partsOf([issuer], symbols) })
  }
}

/**
 * Returns the insiders with the greatest value of buys and sells, without prices that can't be trusted. A joint filing
 * counts for one person, the acting owner.
 */
function topInsiders(sides: readonly SideTotals[]): TopInsider[] {
  const day = ({ lastDay }: SideTotals) => lastDay ?? ''
  return sides
    .toSorted((a, b) => compare(b.cents, a.cents) || compare(day(b), day(a)) || compare(a.cik, b.cik))
    .slice(0, TOP_INSIDERS)
    .map(({ cik, name, title, buys, sells, cents, lastDay }) => ({
      cik,
      name,
      title,
      totalBuys: buys,
      totalSells: sells,
      totalValue: Number(cents) / 100,
      lastTransactionDate: lastDay,
    }))
}

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
