// Compares the detected signals of some issuers with the stored ones, and the labels of their trades likewise.
import { signalLabel } from '../../domain/signals/descriptions/signal-description.ts'
import { followSignals, type FollowedSignals } from '../../domain/signals/detect-signals.ts'
import { earlierMarks } from '../../domain/signals/earlier-marks.ts'
import { routineTrades } from '../../domain/signals/routine-trades.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JointFiling, Signal, SignalStep } from '../../domain/signals/signal.ts'
import { rulesVersion, type SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { firstBuys, NO_PURCHASE } from '../../domain/trades/first-buys.ts'
import { highest, significances } from '../../domain/trades/significance.ts'
import type { SignalMarks } from '../../domain/trades/trade.ts'
import type { MarkedTrade, ShownSignal, StatesKey } from '../ports/analytics.ts'
import { insidersOf, listedStates, nameSteps } from './signal-states.ts'

export interface SignalHistory {
  trades: MarkedTrade[]
  joint: (JointFiling & { issuerCik: Cik })[]
  stored: ShownSignal[]
}

export interface SignalChanges {
  /** All signals as they are now. */
  all: ShownSignal[]
  /** New or changed signals. */
  signals: ShownSignal[]
  gone: Signal[]
  /** Keys of stored states that are to be removed. */
  formerStates: StatesKey[]
  /** Trades whose labels or significance have changed. */
  marks: MarkedTrade[]
  /** Changes that only answers as of an earlier instant show: written, but not reported. */
  past: { signals: ShownSignal[]; marks: MarkedTrade[] }
}

/** Returns the differences from what is stored. */
export function signalChanges(issuers: Cik[], history: SignalHistory, rules: SignalRules): SignalChanges {
  const trades = Map.groupBy(history.trades, ({ issuerCik }) => issuerCik)
  const joint = Map.groupBy(history.joint, ({ issuerCik }) => issuerCik)
  const stored = Map.groupBy(history.stored, ({ signal }) => signal.issuerCik)
  const version = rulesVersion(rules)
  const changes: SignalChanges = {
    all: [],
    signals: [],
    gone: [],
    formerStates: [],
    marks: [],
    past: { signals: [], marks: [] },
  }
  for (const issuer of issuers) {
    const own = trades.get(issuer) ?? []
    const before = stored.get(issuer) ?? []
    const jointFilings = joint.get(issuer) ?? []
    const present = followSignals(issuer, own, jointFilings, rules)
    // Answers as of an instant leave out filings whose day is only estimated.
    const areAllDaysKnown = [...own, ...jointFilings].every(({ isDayKnown }) => isDayKnown)
    const ofKnownDay = areAllDaysKnown ? own : own.filter(({ isDayKnown }) => isDayKnown)
    const jointOfKnownDay = jointFilings.filter(({ isDayKnown }) => isDayKnown)
    const past = areAllDaysKnown ? present : followSignals(issuer, ofKnownDay, jointOfKnownDay, rules)
    const signals = [...present.signals, ...onlyPast(past, present)]
    const keys = new Set<string>()
    if (signals.length > 0) {
      const name = nameOf(own)
      const names = nameSteps(ofKnownDay)
      const insiders = insidersOf(own)
      const storedById = new Map(before.map((shown) => [shown.signal.id, shown]))
      for (const [place, signal] of signals.entries()) {
        const steps = past.steps.get(signal.id)
        const knownAt = steps?.[0]!.at ?? null
        const states = steps ? listedStates(steps, names) : []
        const shown = { signal, ...name, rules: version, knownAt, states, insiders: insiders(signal, steps) }
        if (knownAt !== null) keys.add(keyOf({ ...signal, detectedAt: knownAt }))
        const stored = storedById.get(signal.id)
        if (place >= present.signals.length) {
          if (JSON.stringify(stored) !== JSON.stringify(shown)) changes.past.signals.push(shown)
          continue
        }
        changes.all.push(shown)
        if (JSON.stringify(stored) === JSON.stringify(shown)) continue
        const isPresentChanged = JSON.stringify(stored && nowOf(stored)) !== JSON.stringify(nowOf(shown))
        if (isPresentChanged) changes.signals.push(shown)
        else changes.past.signals.push(shown)
      }
    }
    changes.gone.push(...goneOf(before, signals))
    changes.formerStates.push(...statesKeys(before).filter((key) => !keys.has(keyOf(key))))
    const marked = remarked(own, present.signals, { ofKnownDay, steps: past.steps, areAllDaysKnown }, rules)
    changes.marks.push(...marked.present)
    changes.past.marks.push(...marked.past)
  }
  return changes
}

/** Returns the signals that follow from filings of a known day alone, and not from all, as ended signals. */
function onlyPast(past: FollowedSignals, present: FollowedSignals): Signal[] {
  if (past === present) return []
  const ids = new Set(present.signals.map(({ id }) => id))
  return past.signals
    .filter(({ id }) => !ids.has(id))
    .map((signal) => ({ ...signal, endedAt: signal.endedAt ?? past.steps.get(signal.id)!.at(-1)!.at }))
}

/** Returns the signal without what only answers as of an instant show. Its insiders follow from what it counts. */
const nowOf = (shown: ShownSignal) => ({ ...shown, knownAt: null, states: [], insiders: null })

const keyOf = ({ detectedAt, id }: StatesKey): string => `${detectedAt} ${id}`

const statesKeys = (stored: ShownSignal[]): StatesKey[] =>
  stored.flatMap(({ signal, knownAt }) =>
    knownAt === null ? [] : [{ ...signal, detectedAt: knownAt ?? signal.detectedAt }],
  )

/** Returns the stored signals that are no more, or have another time of detection, which is part of their key. */
function goneOf(before: ShownSignal[], signals: Signal[]): Signal[] {
  if (before.length === 0) return []
  const now = new Map(signals.map(({ id, detectedAt }) => [id, detectedAt]))
  return before.map(({ signal }) => signal).filter(({ id, detectedAt }) => now.get(id) !== detectedAt)
}

/** Returns the name and symbol in the issuer's newest filing with such a trade. */
function nameOf(trades: MarkedTrade[]): { ticker: string; companyName: string } {
  const newest = trades.reduce((a, b) =>
    b.filedAt > a.filedAt || (b.filedAt === a.filedAt && b.accession > a.accession) ? b : a,
  )
  return { ticker: newest.ticker, companyName: newest.companyName }
}

/**
 * Returns in `present` the trades whose labels or significance have changed, and in `past` those of which only the
 * labels or significance as of an earlier instant have.
 */
function remarked(
  trades: MarkedTrade[],
  signals: Signal[],
  past: { ofKnownDay: MarkedTrade[]; steps: ReadonlyMap<string, SignalStep[]>; areAllDaysKnown: boolean },
  rules: SignalRules,
): { present: MarkedTrade[]; past: MarkedTrade[] } {
  const holding = signals
    .filter(({ endedAt }) => endedAt === null)
    .toSorted((a, b) => b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1))
  const byTrade = new Map<string, Signal[]>()
  for (const signal of holding) {
    for (const id of signal.counted) {
      const list = byTrade.get(id)
      if (list) list.push(signal)
      else byTrade.set(id, [signal])
    }
  }
  const routine = routineTrades(trades)
  const bought = firstBuys(trades)
  const updated: (MarkedTrade & Omit<SignalMarks, 'earlier'>)[] = []
  for (const trade of trades) {
    const own = byTrade.get(trade.id) ?? []
    const marks: Omit<SignalMarks, 'earlier'> = {
      signals: own.map((signal) => signalLabel(signal, rules)),
      signalled: highest(own.map(({ severity }) => severity)),
      routine: routine.has(trade.id),
      ...(bought.get(trade.id) ?? NO_PURCHASE),
    }
    updated.push({ ...trade, ...marks })
  }
  const severities = significances(updated, rules.significance)
  const presentMarks = new Map(
    updated.map(({ id, signals }, index) => [id, { significance: severities[index]!, signals }] as const),
  )
  const idsOfKnownDay = new Set(past.ofKnownDay.map(({ id }) => id))
  const earlier = past.areAllDaysKnown
    ? earlierMarks(updated, past.steps, rules)
    : earlierMarks(
        updated.filter(({ id }) => idsOfKnownDay.has(id)),
        past.steps,
        rules,
        presentMarks,
      )
  const changed: { present: MarkedTrade[]; past: MarkedTrade[] } = { present: [], past: [] }
  for (const [index, each] of updated.entries()) {
    const before = trades[index]!
    const trade = { ...each, significance: severities[index]!, earlier: earlier.get(each.id) ?? [] }
    if (!sameMarks(trade, before)) changed.present.push(trade)
    else if (JSON.stringify(trade.earlier) !== JSON.stringify(before.earlier)) changed.past.push(trade)
  }
  return changed
}

function sameMarks(a: MarkedTrade, b: MarkedTrade): boolean {
  return (
    a.signalled === b.signalled &&
    a.routine === b.routine &&
    a.firstBuyYears === b.firstBuyYears &&
    a.previousBuy === b.previousBuy &&
    a.significance === b.significance &&
    a.signals.join('\n') === b.signals.join('\n')
  )
}
