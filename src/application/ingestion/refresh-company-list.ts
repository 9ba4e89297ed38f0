// The refresher of ClickHouse's company list from the one in PostgreSQL. The list in ClickHouse is swapped last, so
// that an interrupted run finds the same issuers changed again.
import { reporting, reportedIssuers } from '../changes/reported-extents.ts'
import { changedIssuers, type CompanyListings } from '../shared/company-listings.ts'
import type { ChangeLog } from '../ports/changes.ts'
import type { CompanyList, FilingLedger } from '../ports/filings.ts'
import type { Projector } from '../projection/project-filings.ts'
import type { AnalyticsStore, SignalQueue } from '../ports/analytics.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Progress } from '../ports/system.ts'

// With all their trades in memory: the largest have several thousand of 1 kB each, and a list begins with the largest.
const ISSUERS_BATCH = 50

export type RefreshCompanies = (progress: Progress) => Promise<{ companies: number; issuersChanged: number }>

interface RefreshCompaniesDependencies {
  list: CompanyList
  analytics: AnalyticsStore
  projector: Projector
  listings: CompanyListings
  queue: SignalQueue
  nextVersion: FilingLedger['nextVersion']
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>
}

export function makeRefreshCompanies({
  list,
  analytics,
  projector,
  listings,
  queue,
  nextVersion,
  log,
}: RefreshCompaniesDependencies): RefreshCompanies {
  const reconcile = async (changed: Cik[], progress: Progress) => {
    for (let from = 0; from < changed.length; from += ISSUERS_BATCH) {
      const some = changed.slice(from, from + ISSUERS_BATCH)
      await projector.reconcileIssuers(some)
      // Their signals have the symbol too.
      await queue.requeueQuietly(some, await nextVersion())
      progress(Math.min(from + ISSUERS_BATCH, changed.length), changed.length)
    }
  }
  return async (progress) => {
    const [before, after] = await Promise.all([analytics.companies(), list.all()])
    const changed = changedIssuers(before, after)
    listings.replace(after)
    if (changed.length > 0)
      await reporting(log, reportedIssuers('company_list', changed), () => reconcile(changed, progress))
    const between = () => projector.projectPending()
    if (JSON.stringify(before) !== JSON.stringify(after))
      await analytics.replaceCompanies(after, { nextVersion, between })
    return { companies: after.length, issuersChanged: changed.length }
  }
}
