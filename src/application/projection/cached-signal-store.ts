// The signal store with the projection's cache, for the live service. The issuers of what was just projected have their
// trades in the cache (cached-analytics-store.ts): they are taken from there instead of being read again, and what
// signals say of them is written as the projection writes, 6 ms, where the statement that reads them again to copy them
// takes 20.
import { withMarks } from '../../domain/trades/reconciliation/reconcile-issuer.ts'
import { isSignalTrade, signalTrade } from '../../domain/signals/signal-trade.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { scopeOfMarks, scopeOfSignals } from '../changes/change-scope.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { CachedAnalyticsStore } from './cached-analytics-store.ts'
import type { MarkedTrade, SignalStore } from '../ports/analytics.ts'

/** `changes` learns what each write touched, when it is visible. */
export function makeCachedSignalStore(
  store: SignalStore,
  analytics: CachedAnalyticsStore,
  changes: ChangeTracker,
): SignalStore {
  return {
    jointFilings: (issuers) => store.jointFilings(issuers),
    signals: (issuers) => store.signals(issuers),
    write: (signals, gone, version, formerStates) =>
      store.write(signals, gone, version, formerStates).finally(() => changes.record(scopeOfSignals(signals, gone))),
    issuers: () => store.issuers(),
    trades: async (issuers) => {
      const known = issuers.flatMap((issuer) => analytics.cached(issuer) ?? []).filter(isSignalTrade)
      const others = issuers.filter((issuer) => analytics.cached(issuer) === undefined)
      return [...known.map(markedTrade), ...(others.length > 0 ? await store.trades(others) : [])]
    },
    mark: async (marked, version) => {
      const [trades, others]: [Trade[], MarkedTrade[]] = [[], []]
      for (const one of marked) {
        const trade = analytics.cachedTrade(one)
        if (trade) trades.push(withMarks(trade, one))
        else others.push(one)
      }
      if (trades.length > 0)
        await analytics.write(
          { trades, goneTrades: [], entries: [], goneEntries: [], goneDetails: [], areMarks: true },
          version,
        )
      await store.mark(others, version).finally(() => {
        analytics.invalidate(others.map(({ issuerCik }) => issuerCik))
        changes.record(scopeOfMarks(others))
      })
    },
  }
}

function markedTrade(trade: Trade): MarkedTrade {
  const { issuerCik, companyName, ticker, signals, signalled, routine, earlier, significance } = trade
  return { ...signalTrade(trade), issuerCik, companyName, ticker, signals, signalled, routine, earlier, significance }
}
