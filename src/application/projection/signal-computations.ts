// The detection of signals as a computation: a pure function of what the store gave, which returns rows for the store.
import type { Cik } from '../../domain/shared/identifiers.ts'
import { signalTrade } from '../../domain/signals/signal-trade.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { MAX_TRADES } from '../changes/reported-signals.ts'
import { reportedTrades } from '../changes/reported-filings.ts'
import type { MarkedTrade, RowFormat, ShownSignal } from '../ports/analytics.ts'
import type { ReportedChange } from '../ports/changes.ts'
import type { SignalsDetected, SignalsToDetect } from '../ports/projection.ts'
import { signalChanges, type SignalChanges } from './signal-changes.ts'

export function detectSignals(rows: RowFormat, asked: SignalsToDetect): SignalsDetected {
  const { issuers, rules, version, recentSince } = asked
  const trades = rows.trades(asked.trades)
  const stored = rows.signals(asked.stored.signals)
  const joint = rows.jointFilings(asked.stored.joint)
  const change = signalChanges(issuers, { trades: trades.map(markedTrade), joint, stored }, rules)
  const marked = markedTrades(trades, change)
  const historical = new Set(asked.historical)
  const isFollowed = (issuer: Cik) => !historical.has(issuer)
  const gone = new Set(change.gone.map(({ id }) => id))
  return {
    rows: isNothing(change) ? null : rows.signalInserts({ ...writtenSignals(change), marked }, version),
    trades: trades.length,
    recent: change.all.filter((shown) => isRecent(shown, recentSince)),
    touched: touchedIssuers(change),
    changes: {
      signals: change.signals.filter(({ signal }) => isFollowed(signal.issuerCik)),
      gone: stored.filter(({ signal }) => gone.has(signal.id) && isFollowed(signal.issuerCik)),
    },
    relabelled: relabelled(
      change.marks.filter(({ issuerCik }) => isFollowed(issuerCik)),
      marked,
    ),
  }
}

/** Returns the signals to write and to remove. */
export const writtenSignals = ({ signals, past, gone, formerStates }: SignalChanges) => ({
  signals: [...signals, ...past.signals],
  gone,
  formerStates,
})

const isNothing = ({ signals, gone, marks, past }: SignalChanges): boolean =>
  [signals, gone, marks, past.signals, past.marks].every((part) => part.length === 0)

/** Returns whether a signal that holds was detected, or changed, since then. */
export const isRecent = ({ signal }: ShownSignal, since: number): boolean =>
  signal.endedAt === null && signal.history.some(({ at }) => at >= since)

/** Returns the issuers with changes that show at present. */
export const touchedIssuers = ({ signals, gone, marks }: SignalChanges): Cik[] => [
  ...new Set([
    ...signals.map(({ signal }) => signal.issuerCik),
    ...[...gone, ...marks].map(({ issuerCik }) => issuerCik),
  ]),
]

/** Returns those of the trades that have other marks, with these. */
export function markedTrades(trades: readonly Trade[], { marks, past }: SignalChanges): Trade[] {
  const byId = new Map([...marks, ...past.marks].map((trade) => [trade.id, trade]))
  return trades.flatMap((trade) => {
    const marked = byId.get(trade.id)
    if (!marked) return []
    const { signals, signalled, routine, significance, earlier, firstBuyYears, previousBuy } = marked
    return { ...trade, signals, signalled, routine, significance, earlier, firstBuyYears, previousBuy }
  })
}

/** Returns the entries of the log for trades with other labels or significance; null for an issuer with too many. */
function relabelled(marks: readonly MarkedTrade[], marked: readonly Trade[]): Map<Cik, ReportedChange[] | null> {
  const ids = new Set(marks.map(({ id }) => id))
  const counts = Map.groupBy(marks, ({ issuerCik }) => issuerCik)
  const listed = Map.groupBy(
    marked.filter(({ id, listed }) => listed && ids.has(id)),
    ({ issuerCik }) => issuerCik,
  )
  return new Map(
    [...counts].map(([issuer, own]) => [
      issuer,
      own.length > MAX_TRADES ? null : reportedTrades(listed.get(issuer) ?? [], []),
    ]),
  )
}

/** Converts a trade with code P or S for the detection. */
export function markedTrade(trade: Trade): MarkedTrade {
  const { issuerCik, companyName, ticker, signals, signalled, routine, earlier, significance } = trade
  const { firstBuyYears, previousBuy } = trade
  return {
    ...signalTrade(trade),
    ...{ issuerCik, companyName, ticker, signals, signalled, routine, earlier, significance },
    ...{ firstBuyYears, previousBuy },
  }
}
