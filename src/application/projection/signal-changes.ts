// Differences between detected and stored signals of some issuers, and between what they say of trades.
import { signalLabel } from '../../domain/signals/descriptions/signal-description.ts'
import { followSignals, type FollowedSignals } from '../../domain/signals/detect-signals.ts'
import { earlierMarks } from '../../domain/signals/earlier-marks.ts'
import { routineTrades } from '../../domain/signals/routine-trades.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Steps } from '../../domain/shared/steps.ts'
import type { JointFiling, Signal, SignalStep } from '../../domain/signals/signal.ts'
import { rulesVersion, type SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { weighedSignalTrade } from '../../domain/signals/signal-trade.ts'
import { firstBuySteps, NO_PURCHASE } from '../../domain/trades/first-buys.ts'
import { highest, significances } from '../../domain/trades/significance.ts'
import type { SignalMarks } from '../../domain/trades/trade.ts'
import type { MarkedTrade, ShownSignal, StatesKey } from '../ports/analytics.ts'
import { runInSlices, timeSlices } from '../shared/time-slices.ts'
import { insidersOf, listedStates, nameSteps } from './signal-states.ts'

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
  /** Keys under which states of these or former signals are stored, and are to be removed. */
  formerStates: StatesKey[]
  /** Trades whose labels or significance have changed. */
  marks: MarkedTrade[]
  /** Changed only in what answers as of earlier instants show: written, but not reported. */
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
  const changes: SignalChanges = {
    all: [],
    signals: [],
    gone: [],
    formerStates: [],
    marks: [],
    past: { signals: [], marks: [] },
  }
  const pause = timeSlices()
  for (const issuer of issuers) {
    await pause()
    const own = trades.get(issuer) ?? []
    const before = stored.get(issuer) ?? []
    const jointFilings = joint.get(issuer) ?? []
    const present = await runInSlices(followSignals(issuer, own, jointFilings, rules), pause)
    // Answers as of an instant know filings of a known day only.
    const isWhole = [...own, ...jointFilings].every(({ isDayKnown }) => isDayKnown)
    const known = isWhole ? own : own.filter(({ isDayKnown }) => isDayKnown)
    const knownJoint = jointFilings.filter(({ isDayKnown }) => isDayKnown)
    const past = isWhole ? present : await runInSlices(followSignals(issuer, known, knownJoint, rules), pause)
    const signals = [...present.signals, ...onlyPast(past, present)]
    const keys = new Set<string>()
    if (signals.length > 0) {
      const name = nameOf(own)
      const names = nameSteps(known)
      const insiders = insidersOf(own)
      const storedById = new Map(before.map((shown) => [shown.signal.id, shown]))
      for (const [place, signal] of signals.entries()) {
        await pause()
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
        const isNews = JSON.stringify(stored && nowOf(stored)) !== JSON.stringify(nowOf(shown))
        if (isNews) changes.signals.push(shown)
        else changes.past.signals.push(shown)
      }
    }
    changes.gone.push(...goneOf(before, signals))
    changes.formerStates.push(...statesKeys(before).filter((key) => !keys.has(keyOf(key))))
    const marking = remarked(own, present.signals, { known, steps: past.steps, isWhole }, rules)
    const again = await runInSlices(marking, pause)
    changes.marks.push(...again.news)
    changes.past.marks.push(...again.past)
  }
  return changes
}

/** Returns signals that only filings of a known day raise, as ended: at present others stand in their place. */
function onlyPast(past: FollowedSignals, present: FollowedSignals): Signal[] {
  if (past === present) return []
  const ids = new Set(present.signals.map(({ id }) => id))
  return past.signals
    .filter(({ id }) => !ids.has(id))
    .map((signal) => ({ ...signal, endedAt: signal.endedAt ?? past.steps.get(signal.id)!.at(-1)!.at }))
}

/** Returns what is shown of a signal at present; who its insiders are follows from what it counts. */
const nowOf = (shown: ShownSignal) => ({ ...shown, knownAt: null, states: [], insiders: null })

const keyOf = ({ detectedAt, id }: StatesKey): string => `${detectedAt} ${id}`

const statesKeys = (stored: ShownSignal[]): StatesKey[] =>
  stored.flatMap(({ signal, knownAt }) =>
    knownAt === null ? [] : [{ ...signal, detectedAt: knownAt ?? signal.detectedAt }],
  )

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
function* remarked(
  trades: MarkedTrade[],
  signals: Signal[],
  by: { known: MarkedTrade[]; steps: ReadonlyMap<string, SignalStep[]>; isWhole: boolean },
  rules: SignalRules,
): Steps<{ news: MarkedTrade[]; past: MarkedTrade[] }> {
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
  const bought = yield* firstBuySteps(trades)
  const updated: (MarkedTrade & Omit<SignalMarks, 'earlier'>)[] = []
  for (const trade of trades) {
    yield
    const own = byTrade.get(trade.id) ?? []
    const marks: Omit<SignalMarks, 'earlier'> = {
      signals: own.map((signal) => signalLabel(signal, rules)),
      signalled: highest(own.map(({ severity }) => severity)),
      routine: routine.has(trade.id),
      ...(bought.get(trade.id) ?? NO_PURCHASE),
    }
    updated.push({ ...trade, ...marks })
  }
  const severities = significances(updated.map(weighedSignalTrade), rules.significance)
  const present = new Map(
    updated.map(({ id, signals }, index) => [id, { significance: severities[index]!, signals }] as const),
  )
  const isKnown = new Set(by.known.map(({ id }) => id))
  yield
  const earlier = by.isWhole
    ? yield* earlierMarks(updated, by.steps, rules)
    : yield* earlierMarks(
        updated.filter(({ id }) => isKnown.has(id)),
        by.steps,
        rules,
        present,
      )
  const [news, past]: [MarkedTrade[], MarkedTrade[]] = [[], []]
  for (const [index, each] of updated.entries()) {
    yield
    const before = trades[index]!
    const trade = { ...each, significance: severities[index]!, earlier: earlier.get(each.id) ?? [] }
    if (!sameMarks(trade, before)) news.push(trade)
    else if (JSON.stringify(trade.earlier) !== JSON.stringify(before.earlier)) past.push(trade)
  }
  return { news, past }
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
