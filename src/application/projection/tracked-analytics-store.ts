// Wraps the analytics store so that the change tracker records the scope of each write.
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { AnalyticsStore } from '../ports/analytics.ts'

export interface TrackedAnalyticsStore extends AnalyticsStore {
  /** Returns how many filings were written or removed since the start. */
  projectedFilings(): number
}

export function makeTrackedAnalyticsStore(
  store: AnalyticsStore,
  changes: Pick<ChangeTracker, 'record' | 'recordExtent'>,
): TrackedAnalyticsStore {
  let projected = 0
  return {
    trades: (issuers, ids) => store.trades(issuers, ids),
    stored: (...asked) => store.stored(...asked),
    newestSymbols: (issuers, except) => store.newestSymbols(issuers, except),
    typedSymbols: (issuers) => store.typedSymbols(issuers),
    lastIssuers: (symbols) => store.lastIssuers(symbols),
    companies: () => store.companies(),
    refreshParties: (refresh) => store.refreshParties(refresh).finally(() => changes.recordExtent('filings')),
    isEmpty: () => store.isEmpty(),
    isCurrent: () => store.isCurrent(),
    isReadable: () => store.isReadable(),
    projectedFilings: () => projected,
    // Every answer may show a company's name or symbol.
    replaceCompanies: (companies, refresh) =>
      store.replaceCompanies(companies, refresh).finally(() => changes.recordExtent('everything')),
    write: async (rows) => {
      const record = () => changes.record(rows.scope)
      try {
        await store.write(rows, record)
      } catch (error) {
        // The change may have been written in part.
        changes.recordExtent('everything')
        throw error
      }
      // Recorded again: an answer that was made during the write may lack the later part of it.
      record()
      projected += rows.filings
    },
  }
}
