// Wraps the signal store so that the change tracker records the scope of each write.
import { scopeOfMarks, scopeOfSignals } from '../changes/change-scope.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { SignalStore } from '../ports/analytics.ts'

export function makeTrackedSignalStore(store: SignalStore, changes: Pick<ChangeTracker, 'record'>): SignalStore {
  return {
    trades: (issuers) => store.trades(issuers),
    jointFilings: (issuers) => store.jointFilings(issuers),
    signals: (issuers) => store.signals(issuers),
    issuers: () => store.issuers(),
    write: (signals, gone, version, formerStates) =>
      store.write(signals, gone, version, formerStates).finally(() => changes.record(scopeOfSignals(signals, gone))),
    mark: (trades, version) => store.mark(trades, version).finally(() => changes.record(scopeOfMarks(trades))),
  }
}
