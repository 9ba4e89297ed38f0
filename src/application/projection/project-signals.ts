// The detection of signals for issuers with newly projected filings, once those are visible. Each issuer is evaluated
// from all its trades: so a live filing, a backfill and a rebuild give the same signals under the same ids.
import { signalLabel } from '../../domain/signals/descriptions/signal-description.ts'
import { detectSignals } from '../../domain/signals/detect-signals.ts'
import { routineTrades } from '../../domain/signals/routine-trades.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { JointFiling, Signal } from '../../domain/signals/signal.ts'
import { rulesVersion, type SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { weighedSignalTrade } from '../../domain/signals/signal-trade.ts'
import { highest, significances } from '../../domain/trades/significance.ts'
import type { SignalMarks } from '../../domain/trades/trade.ts'
import { combined, scopeOfMarks, scopeOfSignals } from '../changes/change-scope.ts'
import type { Change } from '../changes/change-tracker.ts'
import { ServiceError } from '../errors.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { MarkedTrade, ShownSignal, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { Progress } from '../ports/system.ts'

export interface ProjectSignals {
  /**
   * Detects the signals of some of the waiting issuers; returns how many those were. One that fails is reported, keeps
   * the signals it has, and waits no longer: it comes again with its next filing or a rebuild.
   */
  pending(failed: (issuer: Cik, error: unknown) => void): Promise<number>
  /** Detects the signals of every issuer of the store, without alerts. `failed` as for `pending`. */
  everything(progress: Progress, failed: (issuer: Cik, error: unknown) => void): Promise<void>
}

/** Issuers for one round of statements: at 500 open-market trades each some 30 MiB. */
const ISSUERS_BATCH = 100

interface ProjectSignalsDependencies {
  store: SignalStore
  queue: SignalQueue
  rules: SignalRules
  nextVersion: () => Promise<number>
  /** Left out where no events are to be raised. */
  alerts?: RaiseEvents
}

export function makeProjectSignals({
  store,
  queue,
  rules,
  nextVersion,
  alerts,
}: ProjectSignalsDependencies): ProjectSignals {
  // `touched` receives what is written, before it may be visible.
  const detect = async (issuers: Cik[], touched: Change[] = []): Promise<ShownSignal[]> => {
    const [trades, joint, stored] = await Promise.all([
      store.trades(issuers),
      store.jointFilings(issuers),
      store.signals(issuers),
    ])
    const change = changes(issuers, { trades, joint, stored }, rules)
    const nothing = change.signals.length === 0 && change.gone.length === 0 && change.marks.length === 0
    if (nothing) return change.all
    touched.push(scopeOfSignals(change.signals, change.gone), scopeOfMarks(change.marks))
    const version = await nextVersion()
    // The marks last: a trade that is marked shows that its signals are stored.
    await store.write(change.signals, change.gone, version)
    await store.mark(change.marks, version)
    return change.all
  }
  // What only history brings is no news, and must not become so with the issuer's next filing.
  const raised = async (signals: ShownSignal[], historical: Set<Cik>): Promise<RaisedEvent[]> => {
    const isNews = ({ signal }: ShownSignal) => !historical.has(signal.issuerCik)
    if (!alerts) return []
    return [
      ...(await alerts.ofSignals(signals.filter(isNews))),
      ...(await alerts.ofSignals(
        signals.filter((each) => !isNews(each)),
        false,
      )),
    ]
  }
  return {
    pending: async (failed) => {
      const waiting = await queue.next(ISSUERS_BATCH)
      if (waiting.length === 0) return 0
      const touched: Change[] = []
      const signals = await detectApart(
        waiting.map(({ issuerCik }) => issuerCik),
        (issuers) => detect(issuers, touched),
        failed,
      )
      const historical = new Set(waiting.flatMap((each) => (each.historical ? [each.issuerCik] : [])))
      await queue.done(waiting, await raised(signals, historical), combined(...touched))
      return waiting.length
    },
    everything: async (progress, failed) => {
      const issuers = await store.issuers()
      let [from, done] = [0, 0]
      const lane = async (): Promise<void> => {
        while (from < issuers.length) {
          const some = issuers.slice(from, (from += ISSUERS_BATCH))
          const signals = await detectApart(some, detect, failed)
          if (alerts) await queue.markAsRaised(await alerts.ofSignals(signals, false))
          progress((done += some.length), issuers.length)
        }
      }
      // While one batch is evaluated here, the engine reads or writes another.
      await Promise.all([lane(), lane()])
    },
  }
}

// An issuer whose detection fails delays no other. A store that does not respond is no fault of an issuer's.
async function detectApart(
  issuers: Cik[],
  detect: (issuers: Cik[]) => Promise<ShownSignal[]>,
  failed: (issuer: Cik, error: unknown) => void,
): Promise<ShownSignal[]> {
  try {
    return await detect(issuers)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (issuers.length === 1) {
      failed(issuers[0]!, error)
      return []
    }
    const apart: ShownSignal[] = []
    for (const issuer of issuers) apart.push(...(await detectApart([issuer], detect, failed)))
    return apart
  }
}

interface History {
  trades: MarkedTrade[]
  joint: (JointFiling & { issuerCik: Cik })[]
  stored: ShownSignal[]
}

/** Returns what differs from what is stored, and all signals as they are. */
function changes(issuers: Cik[], history: History, rules: SignalRules) {
  const trades = Map.groupBy(history.trades, ({ issuerCik }) => issuerCik)
  const joint = Map.groupBy(history.joint, ({ issuerCik }) => issuerCik)
  const stored = Map.groupBy(history.stored, ({ signal }) => signal.issuerCik)
  const change: { all: ShownSignal[]; signals: ShownSignal[]; gone: Signal[]; marks: MarkedTrade[] } = {
    all: [],
    signals: [],
    gone: [],
    marks: [],
  }
  for (const issuer of issuers) {
    const own = trades.get(issuer) ?? []
    const before = new Map((stored.get(issuer) ?? []).map((shown) => [shown.signal.id, shown]))
    const signals = detectSignals(issuer, own, joint.get(issuer) ?? [], rules)
    const shown = signals.map((signal) => ({ signal, ...nameOf(own), rules: rulesVersion(rules) }))
    change.all.push(...shown)
    change.signals.push(...shown.filter((each) => JSON.stringify(before.get(each.signal.id)) !== JSON.stringify(each)))
    change.gone.push(
      ...[...before.values()]
        .map((each) => each.signal)
        .filter((signal) => {
          const now = signals.find(({ id }) => id === signal.id)
          return now === undefined || now.detectedAt !== signal.detectedAt
        }),
    )
    change.marks.push(...marked(own, signals, rules))
  }
  return change
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
  for (const signal of holding) for (const id of signal.counted) byTrade.set(id, [...(byTrade.get(id) ?? []), signal])
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
