// Detects the signals of issuers with newly projected filings, once these filings are visible. Each issuer is evaluated
// from all its trades, so a live filing, a backfill and a rebuild give the same signals under the same ids.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { combined, scopeOfMarks, scopeOfSignals } from '../changes/change-scope.ts'
import type { ChangeScope } from '../changes/change-tracker.ts'
import type { IssuersToResync } from '../changes/issuers-to-resync.ts'
import { reportedSignals, type DetectedChanges } from '../changes/reported-signals.ts'
import { nextBatchSize } from '../shared/batch-size.ts'
import { eachApart } from '../shared/each-apart.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { AnalyticsStore, ShownSignal, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { Progress } from '../ports/system.ts'
import { signalChanges } from './signal-changes.ts'

export interface ProjectSignals {
  /**
   * Detects the signals of some issuers in the queue; returns how many. An issuer whose detection fails is passed to
   * `failed`, keeps its signals and leaves the queue: it comes again with its next filing or a rebuild.
   */
  pending(failed: (issuer: Cik, error: unknown) => void): Promise<number>
  /**
   * Detects the signals of some issuers that new filings queued, and of none that only a data set queued. An issuer
   * whose detection fails stays in the queue, for `pending` to report it.
   */
  ofNewFilings(): Promise<void>
  /** Detects the signals of every issuer of the store, without alerts. `failed` as for `pending`. */
  everything(progress: Progress, failed: (issuer: Cik, error: unknown) => void): Promise<void>
}

/** The most issuers of one round of statements, and open-market trades, which are in memory with their signals. */
const LIMITS = { trades: 8_000, items: 1_000 }
/** Issuers of the first round, before it is known how many trades they have. */
const FIRST_ISSUERS = 100
/** Rounds between two looks at new filings. */
const ROUNDS = 4

interface ProjectSignalsDependencies {
  store: SignalStore
  queue: SignalQueue
  rules: SignalRules
  nextVersion: () => Promise<number>
  alerts: RaiseEvents
  /** Both absent if changes are not logged for callers. */
  toResync?: IssuersToResync
  analytics?: Pick<AnalyticsStore, 'trades'>
}

export function makeProjectSignals({
  store,
  queue,
  rules,
  nextVersion,
  alerts,
  toResync,
  analytics,
}: ProjectSignalsDependencies): ProjectSignals {
  let issuersAtOnce = FIRST_ISSUERS
  // `written` receives the changes before they may be visible.
  const detect = async (issuers: Cik[], written: Written = nothingWritten()): Promise<ShownSignal[]> => {
    const [trades, joint, stored] = await Promise.all([
      store.trades(issuers),
      store.jointFilings(issuers),
      store.signals(issuers),
    ])
    issuersAtOnce = nextBatchSize(issuersAtOnce, { items: issuers.length, trades: trades.length }, LIMITS)
    const change = signalChanges(issuers, { trades, joint, stored }, rules)
    const signals = [...change.signals, ...change.past.signals]
    const marks = [...change.marks, ...change.past.marks]
    if (signals.length === 0 && change.gone.length === 0 && marks.length === 0) return change.all
    written.touched.push(scopeOfSignals(signals, change.gone), scopeOfMarks(marks))
    const gone = new Set(change.gone.map(({ id }) => id))
    written.signals.push(...change.signals)
    written.gone.push(...stored.filter(({ signal }) => gone.has(signal.id)))
    written.marks.push(...change.marks)
    const version = await nextVersion()
    // The marks last: a trade that is marked shows that its signals are stored.
    await store.write(signals, change.gone, version, change.formerStates)
    await store.mark(marks, version)
    return change.all
  }
  // Signals that a data set brought raise no alerts. Their events are stored without deliveries, so that the issuer's
  // next filing does not raise them either.
  const raised = async (signals: ShownSignal[], historical: Set<Cik>): Promise<RaisedEvent[]> => {
    const isHistorical = ({ signal }: ShownSignal) => historical.has(signal.issuerCik)
    return [
      ...(await alerts.ofSignals(signals.filter((shown) => !isHistorical(shown)))),
      ...(await alerts.ofSignals(signals.filter(isHistorical), false)),
    ]
  }
  // Two rounds at a time: while one is evaluated here, ClickHouse reads or writes the other.
  const inRounds = async (issuers: Cik[], work: (some: Cik[]) => Promise<void>): Promise<void> => {
    let from = 0
    const lane = async (): Promise<void> => {
      while (from < issuers.length) await work(issuers.slice(from, (from += issuersAtOnce)))
    }
    await Promise.all([lane(), lane()])
  }
  // Without `failed`, an issuer whose detection fails stays in the queue.
  const detectWaiting = async (taken: Waiting[], failed?: (issuer: Cik, error: unknown) => void): Promise<void> => {
    const issuers = taken.map(({ issuerCik }) => issuerCik)
    const written = nothingWritten()
    const signals: ShownSignal[] = []
    const stillQueued = new Set<Cik>()
    const onFailure = (issuer: Cik, error: unknown) => {
      toResync?.add([issuer])
      if (failed) failed(issuer, error)
      else stillQueued.add(issuer)
    }
    try {
      await inRounds(issuers, async (some) => {
        await eachApart(some, async (each) => signals.push(...(await detect(each, written))), onFailure)
      })
      const historical = new Set(taken.flatMap((each) => (each.historical ? [each.issuerCik] : [])))
      const events = await raised(signals, historical)
      const detected = taken.filter(({ issuerCik }) => !stillQueued.has(issuerCik))
      const changes = stillQueued.size === 0 ? written : withoutIssuers(written, stillQueued)
      const recovered = toResync?.among(detected.map(({ issuerCik }) => issuerCik)) ?? []
      const tradesOf = async (some: Cik[]) => (await analytics?.trades(some)) ?? []
      const batch = {
        all: signals,
        changes,
        events,
        historical: [...historical],
        recovered,
        tradesOf,
      }
      const reported = toResync ? await reportedSignals(batch) : []
      await queue.done(detected, { events, touched: combined(...written.touched), reported })
      toResync?.clear(recovered)
    } catch (error) {
      toResync?.add(issuers)
      throw error
    }
  }
  const nextWaiting = async () => {
    const all = await queue.next(ROUNDS * issuersAtOnce)
    return { all, withNewFilings: all.filter(({ historical }) => !historical) }
  }
  return {
    pending: async (failed) => {
      const { all, withNewFilings } = await nextWaiting()
      // Issuers with new filings do not wait for those that only a data set queued.
      const taken = withNewFilings.length > 0 ? withNewFilings : all
      if (taken.length > 0) await detectWaiting(taken, failed)
      return taken.length
    },
    ofNewFilings: async () => {
      const { withNewFilings } = await nextWaiting()
      if (withNewFilings.length > 0) await detectWaiting(withNewFilings)
    },
    everything: async (progress, failed) => {
      const issuers = await store.issuers()
      let done = 0
      await inRounds(issuers, async (some) => {
        const signals: ShownSignal[] = []
        await eachApart(some, async (each) => signals.push(...(await detect(each))), failed)
        await queue.markAsRaised(await alerts.ofSignals(signals, false))
        progress((done += some.length), issuers.length)
      })
    },
  }
}

type Waiting = Awaited<ReturnType<SignalQueue['next']>>[number]

/** Leaves out the changes of issuers whose detection failed. These are reported when their signals are detected again. */
function withoutIssuers({ touched, signals, gone, marks }: Written, issuers: Set<Cik>): Written {
  const isOther = ({ signal }: ShownSignal) => !issuers.has(signal.issuerCik)
  return {
    touched,
    signals: signals.filter(isOther),
    gone: gone.filter(isOther),
    marks: marks.filter(({ issuerCik }) => !issuers.has(issuerCik)),
  }
}

interface Written extends DetectedChanges {
  touched: ChangeScope[]
}

const nothingWritten = (): Written => ({ touched: [], signals: [], gone: [], marks: [] })
