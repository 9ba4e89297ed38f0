// Wraps the signal store so that the change tracker records the scope of each write.
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { SignalStore } from '../ports/analytics.ts'

export function makeTrackedSignalStore(store: SignalStore, changes: Pick<ChangeTracker, 'record'>): SignalStore {
  return {
    trades: (issuers) => store.trades(issuers),
    stored: (issuers) => store.stored(issuers),
    signals: (issuers) => store.signals(issuers),
    write: (rows) => store.write(rows).finally(() => changes.record(rows.scope)),
  }
}
