// Brings ClickHouse to the company list that the ledger's store holds. The list there is swapped last, so that a run cut
// short finds the same issuers changed again.
import { changedIssuers, type Listings } from './listings.ts'
import type { Analytics, CompanyList, Progress } from './ports.ts'
import type { Projector } from './project-filings.ts'

const ISSUERS_AT_ONCE = 500

export type RefreshCompanies = (progress: Progress) => Promise<{ companies: number; issuersChanged: number }>

export function refreshCompanies(
  list: CompanyList, analytics: Analytics, projector: Projector, listings: Listings,
): RefreshCompanies {
  return async (progress) => {
    const [before, after] = await Promise.all([analytics.companies(), list.all()])
    const changed = changedIssuers(before, after)
    listings.replace(after)
    for (let from = 0; from < changed.length; from += ISSUERS_AT_ONCE) {
      await projector.judgeAgain(changed.slice(from, from + ISSUERS_AT_ONCE))
      progress(Math.min(from + ISSUERS_AT_ONCE, changed.length), changed.length)
    }
    if (JSON.stringify(before) !== JSON.stringify(after)) await analytics.replaceCompanies(after)
    return { companies: after.length, issuersChanged: changed.length }
  }
}
