// Detects the signals of issuers with newly projected filings, once these filings are visible. Each issuer is evaluated
// from all its trades, so a live filing, a backfill and a rebuild give the same signals under the same ids.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import { combined } from '../changes/change-scope.ts'
import type { ChangeScope } from '../changes/change-tracker.ts'
import type { IssuersToResync } from '../changes/issuers-to-resync.ts'
import { reportedSignals } from '../changes/reported-signals.ts'
import { nextBatchSize } from '../shared/batch-size.ts'
import { eachApart } from '../shared/each-apart.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { RaiseEvents } from '../alerts/raise-events.ts'
import type { ShownSignal, SignalQueue, SignalStore } from '../ports/analytics.ts'
import type { ReportedChange } from '../ports/changes.ts'
import type { Compute } from '../ports/computations.ts'
import type { SignalsDetected } from '../ports/projection.ts'

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
  compute: Compute
  alerts: RaiseEvents
  /** Absent if changes are not logged for callers. */
  toResync?: IssuersToResync
}

export function makeProjectSignals({
  store,
  queue,
  rules,
  nextVersion,
  compute,
  alerts,
  toResync,
}: ProjectSignalsDependencies): ProjectSignals {
  let issuersAtOnce = FIRST_ISSUERS
  // `written` receives the changes before they may be visible. Returns the signals that may raise events.
  const detect = async (issuers: Cik[], historical: Cik[], written: Written): Promise<ShownSignal[]> => {
    const [trades, stored, version] = await Promise.all([store.trades(issuers), store.stored(issuers), nextVersion()])
    const detected = await compute('live', 'detectSignals', {
      ...{ issuers, trades, stored, rules, version, historical },
      recentSince: alerts.since(),
    })
    issuersAtOnce = nextBatchSize(issuersAtOnce, { items: issuers.length, trades: detected.trades }, LIMITS)
    if (detected.rows) {
      written.touched.push(detected.rows.scope)
      const { rows: _, ...rest } = detected
      written.detected.push(rest)
      await store.write(detected.rows)
    }
    return detected.recent
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
    const written: Written = { touched: [], detected: [] }
    const historical = taken.flatMap((each) => (each.historical ? [each.issuerCik] : []))
    const signals: ShownSignal[] = []
    const stillQueued = new Set<Cik>()
    const onFailure = (issuer: Cik, error: unknown) => {
      toResync?.add([issuer])
      if (failed) failed(issuer, error)
      else stillQueued.add(issuer)
    }
    try {
      await inRounds(issuers, async (some) => {
        await eachApart(some, async (each) => signals.push(...(await detect(each, historical, written))), onFailure)
      })
      const events = await raised(signals, new Set(historical))
      const detected = taken.filter(({ issuerCik }) => !stillQueued.has(issuerCik))
      const recovered = toResync?.among(detected.map(({ issuerCik }) => issuerCik)) ?? []
      const reported = toResync
        ? reportedSignals({ ...changesOf(written, stillQueued), recent: signals, events, historical, recovered })
        : []
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
  }
}

type Waiting = Awaited<ReturnType<SignalQueue['next']>>[number]

interface Written {
  touched: ChangeScope[]
  detected: Omit<SignalsDetected, 'rows'>[]
}

/**
 * Returns what was detected of all issuers but those whose detection failed: these are reported when their signals are
 * detected again.
 */
function changesOf(
  { detected }: Written,
  failed: Set<Cik>,
): Pick<SignalsDetected, 'touched' | 'changes'> & { relabelled: Map<Cik, ReportedChange[] | null> } {
  const isOther = ({ signal }: ShownSignal) => !failed.has(signal.issuerCik)
  return {
    touched: [...new Set(detected.flatMap(({ touched }) => touched))].filter((issuer) => !failed.has(issuer)),
    changes: {
      signals: detected.flatMap(({ changes }) => changes.signals).filter(isOther),
      gone: detected.flatMap(({ changes }) => changes.gone).filter(isOther),
    },
    relabelled: new Map(
      detected.flatMap(({ relabelled }) => [...relabelled]).filter(([issuer]) => !failed.has(issuer)),
    ),
  }
}
