// The stores that answers come from, as those who write to them use them: each write is recorded when it is visible, also
// one that failed, of which some may have got there.
import type { AnalyticsStore, SignalStore } from '../ports/filings.ts'
import type { DataSetStore } from '../ports/data-sets.ts'
import type { SectorStore } from '../ports/sectors.ts'
import { scopeOfFilings, scopeOfMarks, scopeOfSignals } from './change-scope.ts'
import type { ChangeTracker } from './change-tracker.ts'

/** Records which filings were projected, and everything where the company list is replaced. */
export function recordingAnalyticsStore(store: AnalyticsStore, changes: ChangeTracker): AnalyticsStore {
  return {
    ...store,
    write: (change, version) => store.write(change, version).finally(() => changes.record(scopeOfFilings(change))),
    replaceCompanies: (companies) => store.replaceCompanies(companies).finally(() => changes.recordEverything()),
  }
}

/** Records which signals were written, and which trades were marked with them. */
export function recordingSignalStore(store: SignalStore, changes: ChangeTracker): SignalStore {
  return {
    ...store,
    write: (signals, gone, version) =>
      store.write(signals, gone, version).finally(() => changes.record(scopeOfSignals(signals, gone))),
    mark: (trades, version) => store.mark(trades, version).finally(() => changes.record(scopeOfMarks(trades))),
  }
}

/** Records everything as rows of a quarter become visible, part by part. */
export function recordingDataSetStore(store: DataSetStore, changes: ChangeTracker): DataSetStore {
  const recorded = (advance: (rows: number) => void) => (rows: number) => {
    changes.recordEverything()
    advance(rows)
  }
  return {
    ...store,
    write: (version, advance) => store.write(version, recorded(advance)).finally(() => changes.recordEverything()),
  }
}

/** Records everything where sectors are written: they belong to company profiles of any issuer. */
export function recordingSectorStore(store: SectorStore, changes: ChangeTracker): SectorStore {
  return {
    ...store,
    write: (sectors, version) => store.write(sectors, version).finally(() => changes.recordEverything()),
  }
}
