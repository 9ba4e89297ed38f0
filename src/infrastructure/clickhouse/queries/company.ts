// The query of a company's profile by symbol or CIK: name and symbol, transactions, and the insiders who traded most.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { ClickHouse } from '../connection/client.ts'
import { describeCompany } from './shared/company-description.ts'
import type { DetailSources } from './shared/complete-details.ts'
import { lateFilings, type SideTotals } from './shared/list-totals.ts'
import { issuerOf, partsOf } from './shared/named-companies.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { readProfile } from './shared/profile.ts'
import { listOfCompany } from './shared/transaction-list.ts'

type Profile = components['schemas']['CompanyProfile']
type TopInsider = components['schemas']['TopInsider']

const TOP_INSIDERS = 10

export function company(store: ClickHouse, lists: CompanyLists, details: DetailSources): Queries['company'] {
  return async (name, detail = false, asOf?: number) => {
    const company = parseCompany(name)
    if (company === null) return null
    const companyLists = await lists()
    const match = await issuerOf(lists, company, asOf)
    if (match === null) return null
    const { issuer, named, tried } = match
    const profiled = await readProfile(store, listOfCompany(issuer), detail ? details : null, asOf)
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
    return withDependencies(profile, { parts: partsOf([issuer], tried) })
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
