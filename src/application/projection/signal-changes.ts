// What the detection of signals changes: the signals of some issuers compared with those stored, and what they say of
// trades.
import { signalLabel } from '../../domain/signals/descriptions/signal-description.ts'
import { detectSignals } from '../../domain/signals/detect-signals.ts'
import { routineTrades } from '../../domain/signals/routine-trades.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JointFiling, Signal } from '../../domain/signals/signal.ts'
import { rulesVersion, type SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { weighedSignalTrade } from '../../domain/signals/signal-trade.ts'
import { highest, significances } from '../../domain/trades/significance.ts'
import type { SignalMarks } from '../../domain/trades/trade.ts'
import type { MarkedTrade, ShownSignal } from '../ports/analytics.ts'
import { pausing } from '../shared/pausing.ts'

/** Evaluated without a pause: some 5 ms. */
const TRADES_BATCH = 200

export interface SignalHistory {
  trades: MarkedTrade[]
  joint: (JointFiling & { issuerCik: Cik })[]
  stored: ShownSignal[]
}

interface SignalChanges {
  /** All signals as they are now. */
  all: ShownSignal[]
  /** New or changed. */
  signals: ShownSignal[]
  gone: Signal[]
  /** Trades whose labels or significance have changed. */
  marks: MarkedTrade[]
}

/** Returns what differs from what is stored. Between issuers, requests are served. */
export async function signalChanges(
  issuers: Cik[],
  history: SignalHistory,
  rules: SignalRules,
): Promise<SignalChanges> {
  const trades = Map.groupBy(history.trades, ({ issuerCik }) => issuerCik)
  const joint = Map.groupBy(history.joint, ({ issuerCik }) => issuerCik)
  const stored = Map.groupBy(history.stored, ({ signal }) => signal.issuerCik)
  const version = rulesVersion(rules)
  const changes: SignalChanges = { all: [], signals: [], gone: [], marks: [] }
  const tradesOf = (issuer: Cik) => trades.get(issuer)?.length ?? 0
  for await (const issuer of pausing(issuers, TRADES_BATCH, tradesOf)) {
    const own = trades.get(issuer) ?? []
    const before = stored.get(issuer) ?? []
    const signals = detectSignals(issuer, own, joint.get(issuer) ?? [], rules)
    if (signals.length > 0) {
      const name = nameOf(own)
      const known = new Map(before.map((shown) => [shown.signal.id, shown]))
      const shown = signals.map((signal) => ({ signal, ...name, rules: version }))
      changes.all.push(...shown)
      changes.signals.push(
        ...shown.filter((each) => JSON.stringify(known.get(each.signal.id)) !== JSON.stringify(each)),
      )
    }
    changes.gone.push(...goneOf(before, signals))
    changes.marks.push(...marked(own, signals, rules))
  }
  return changes
}

/** Returns stored signals that are no more, or stand under another time. */
function goneOf(before: ShownSignal[], signals: Signal[]): Signal[] {
  if (before.length === 0) return []
  const now = new Map(signals.map(({ id, detectedAt }) => [id, detectedAt]))
  return before.map(({ signal }) => signal).filter(({ id, detectedAt }) => now.get(id) !== detectedAt)
}

/** Takes the name from the issuer's newest filing with such a trade. */
function nameOf(trades: MarkedTrade[]): { ticker: string; companyName: string } {
  const newest = trades.reduce((a, b) =>
    b.filedAt > a.filedAt || (b.filedAt === a.filedAt && b.accession > a.accession) ? b : a,
  )
  return { ticker: newest.ticker, companyName: newest.companyName }
}

/** Returns trades whose labels or significance have changed. */
function marked(trades: MarkedTrade[], signals: Signal[], rules: SignalRules): MarkedTrade[] {
  const holding = signals
    .filter(({ endedAt }) => endedAt === null)
    .toSorted((a, b) => b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1))
  const byTrade = new Map<string, Signal[]>()
  for (const signal of holding) {
    for (const id of signal.counted) {
      const known = byTrade.get(id)
      if (known) known.push(signal)
      else byTrade.set(id, [signal])
    }
  }
  const routine = routineTrades(trades)
  const updated = trades.map((trade) => {
    const own = byTrade.get(trade.id) ?? []
    const marks: SignalMarks = {
      signals: own.map((signal) => signalLabel(signal, rules)),
      signalled: highest(own.map(({ severity }) => severity)),
      routine: routine.has(trade.id),
    }
    return { ...trade, ...marks }
  })
  const severities = significances(updated.map(weighedSignalTrade), rules.significance)
  return updated
    .map((trade, index) => ({ ...trade, significance: severities[index]! }))
    .filter((trade, index) => !sameMarks(trade, trades[index]!))
}

function sameMarks(a: MarkedTrade, b: MarkedTrade): boolean {
  return (
    a.signalled === b.signalled &&
    a.routine === b.routine &&
    a.significance === b.significance &&
    a.signals.join('\n') === b.signals.join('\n')
  )
}
