// Differences between detected and stored signals of some issuers, and between what they say of trades.
import { signalLabel } from '../../domain/signals/descriptions/signal-description.ts'
import { followSignals } from '../../domain/signals/detect-signals.ts'
import { earlierMarks } from '../../domain/signals/earlier-marks.ts'
import { routineTrades } from '../../domain/signals/routine-trades.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JointFiling, Signal, SignalStep } from '../../domain/signals/signal.ts'
import { rulesVersion, type SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { weighedSignalTrade } from '../../domain/signals/signal-trade.ts'
import { highest, significances } from '../../domain/trades/significance.ts'
import type { SignalMarks } from '../../domain/trades/trade.ts'
import type { MarkedTrade, ShownSignal } from '../ports/analytics.ts'
import { pausing, turn } from '../shared/pausing.ts'
import { listedStates, nameSteps } from './signal-states.ts'

/** Evaluated without a pause: some 1.5 ms, while both processors are busy several times that. */
const TRADES_BATCH = 50

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
  /** Of which only changed what was shown of them at earlier times: to be written, but no news. */
  past: { signals: ShownSignal[]; marks: MarkedTrade[] }
}

/** Returns what differs from what is stored. Between issuers and within large ones, requests are served. */
export async function signalChanges(
  issuers: Cik[],
  history: SignalHistory,
  rules: SignalRules,
): Promise<SignalChanges> {
  const trades = Map.groupBy(history.trades, ({ issuerCik }) => issuerCik)
  const joint = Map.groupBy(history.joint, ({ issuerCik }) => issuerCik)
  const stored = Map.groupBy(history.stored, ({ signal }) => signal.issuerCik)
  const version = rulesVersion(rules)
  const changes: SignalChanges = { all: [], signals: [], gone: [], marks: [], past: { signals: [], marks: [] } }
  const tradesOf = (issuer: Cik) => trades.get(issuer)?.length ?? 0
  for await (const issuer of pausing(issuers, TRADES_BATCH, tradesOf)) {
    const own = trades.get(issuer) ?? []
    const before = stored.get(issuer) ?? []
    const { signals, steps } = followSignals(issuer, own, joint.get(issuer) ?? [], rules)
    if (signals.length > 0) {
      const name = nameOf(own)
      const names = nameSteps(own)
      const known = new Map(before.map((shown) => [shown.signal.id, shown]))
      for (const signal of signals) {
        const shown = { signal, ...name, rules: version, states: listedStates(steps.get(signal.id)!, names) }
        changes.all.push(shown)
        const stored = known.get(signal.id)
        if (JSON.stringify(stored) === JSON.stringify(shown)) continue
        const isNews = JSON.stringify(stored && { ...stored, states: [] }) !== JSON.stringify({ ...shown, states: [] })
        if (isNews) changes.signals.push(shown)
        else changes.past.signals.push(shown)
      }
    }
    changes.gone.push(...goneOf(before, signals))
    if (own.length > TRADES_BATCH) await turn()
    const again = remarked(own, signals, steps, rules)
    changes.marks.push(...again.news)
    changes.past.marks.push(...again.past)
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

/** Returns trades whose labels or significance have changed, and those of which only earlier ones have. */
function remarked(
  trades: MarkedTrade[],
  signals: Signal[],
  steps: ReadonlyMap<string, SignalStep[]>,
  rules: SignalRules,
): { news: MarkedTrade[]; past: MarkedTrade[] } {
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
    const marks: Omit<SignalMarks, 'earlier'> = {
      signals: own.map((signal) => signalLabel(signal, rules)),
      signalled: highest(own.map(({ severity }) => severity)),
      routine: routine.has(trade.id),
    }
    return { ...trade, ...marks }
  })
  const severities = significances(updated.map(weighedSignalTrade), rules.significance)
  const earlier = earlierMarks(updated, steps, rules)
  const [news, past]: [MarkedTrade[], MarkedTrade[]] = [[], []]
  updated.forEach((each, index) => {
    const before = trades[index]!
    const trade = { ...each, significance: severities[index]!, earlier: earlier.get(each.id) ?? [] }
    if (!sameMarks(trade, before)) news.push(trade)
    else if (JSON.stringify(trade.earlier) !== JSON.stringify(before.earlier)) past.push(trade)
  })
  return { news, past }
}

function sameMarks(a: MarkedTrade, b: MarkedTrade): boolean {
  return (
    a.signalled === b.signalled &&
    a.routine === b.routine &&
    a.significance === b.significance &&
    a.signals.join('\n') === b.signals.join('\n')
  )
}
