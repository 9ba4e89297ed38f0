// Projects history into the store: issuers with all that documents or data sets say of them, and their signals.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { AnalyticsStore, SignalStore } from '../ports/analytics.ts'
import type { Compute } from '../ports/computations.ts'
import type { HistoryProjected, HistoryToProject } from '../ports/projection.ts'
import type { CompanyListings } from '../shared/company-listings.ts'
import type { PartyLocks } from '../shared/locks.ts'

export interface HistoryContext {
  /** Renews no parties: all are renewed when everything is loaded. */
  analytics: Pick<AnalyticsStore, 'stored' | 'write'>
  signals: Pick<SignalStore, 'stored' | 'write'>
  listings: CompanyListings
  rules: SignalRules
  compute: Compute
  alerts: Pick<RaiseEvents, 'since'>
  locks: PartyLocks
  nextVersion: () => Promise<number>
  /** Absent for tables that no page is made from yet. */
  changes?: Pick<ChangeTracker, 'recordExtent'>
}

type HistoryOfIssuers = Pick<HistoryToProject, 'derived' | 'staged' | 'quarters' | 'removed' | 'detected'>

/** Writes what these filings change of issuers, which must be locked. */
export async function projectHistory(
  { analytics, signals, listings, rules, compute, alerts, locks, nextVersion, changes }: HistoryContext,
  issuers: Cik[],
  filings: HistoryOfIssuers,
  withdrawn: WithdrawnFilings,
): Promise<HistoryProjected> {
  const tickers = new Map(issuers.map((issuer) => [issuer, listings.tickersOf(issuer)]))
  const unlisted = issuers.filter((issuer) => tickers.get(issuer)!.length === 0)
  const again = [...filings.quarters.keys(), ...filings.removed.map(({ accession }) => accession)]
  const [stored, storedSignals, version] = await Promise.all([
    analytics.stored(issuers, unlisted, again),
    signals.stored(issuers),
    nextVersion(),
  ])
  const projected = await compute('history', 'projectHistory', {
    ...filings,
    ...{ issuers, stored, tickers, withdrawn, rules, version },
    signals: storedSignals,
    recentSince: alerts.since(),
  })
  await locks
    .ofLists(projected.rows.lists, async () => {
      // The trades last: one that is marked shows that its signals are stored.
      await signals.write(projected.signals)
      await analytics.write(projected.rows)
    })
    .finally(() => changes?.recordExtent('filings'))
  return projected
}
