// Log entries of detected signals: what was raised for the first time, what else changed of them, and the trades whose
// labels or significance follow.
import { signalData } from '../alerts/event-payload.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { MarkedTrade, ShownSignal } from '../ports/analytics.ts'
import type { ReportedChange } from '../ports/changes.ts'
import { runInSlices } from '../shared/time-slices.ts'
import { factsOfSignal } from './change-facts.ts'
import { reportedIssuers } from './reported-extents.ts'
import { reportedTrades } from './reported-filings.ts'

/** What differs from what was stored. */
export interface DetectedChanges {
  /** New or changed. */
  signals: ShownSignal[]
  /** As they were stored. */
  gone: ShownSignal[]
  marks: MarkedTrade[]
}

/** Trades of one issuer that are reported row by row. */
const MAX_TRADES = 500

interface DetectedBatch {
  /** All signals of the issuers as they are now. */
  all: ShownSignal[]
  changes: DetectedChanges
  events: RaisedEvent[]
  /** Issuers of which only history is new. */
  historical: Cik[]
  /** Issuers that callers are to fetch again. */
  recovered: Cik[]
  /** Returns all trades of these issuers as they are now. */
  tradesOf: (issuers: Cik[]) => Promise<Trade[]>
}

export async function reportedSignals(batch: DetectedBatch): Promise<ReportedChange[]> {
  const { events, historical, recovered, tradesOf } = batch
  const { signals, gone, marks } = batch.changes
  const touched = new Set([...signals, ...gone].map(({ signal }) => signal.issuerCik))
  const marked = Map.groupBy(marks, ({ issuerCik }) => issuerCik)
  for (const issuer of marked.keys()) touched.add(issuer)
  const isMuch = (issuer: Cik) => (marked.get(issuer)?.length ?? 0) > MAX_TRADES
  const silent = new Set(historical)
  const isRecovered = new Set(recovered)
  const whole = [...touched].filter((issuer) => !isRecovered.has(issuer) && (silent.has(issuer) || isMuch(issuer)))
  const isWhole = new Set([...whole, ...recovered])
  const own = ({ signal }: ShownSignal) => !isWhole.has(signal.issuerCik)
  const all = new Map(batch.all.map(({ signal }) => [signal.id, signal]))
  const single = events.filter(({ issuerCik }) => !isWhole.has(issuerCik))
  const now = new Set(signals.map(({ signal }) => signal.id))
  const relabelled = [...marked.keys()].filter((issuer) => !isWhole.has(issuer))
  const ids = new Set(marks.map(({ id }) => id))
  const trades = relabelled.length === 0 ? [] : await tradesOf(relabelled)
  return [
    ...(await runInSlices(
      reportedTrades(
        trades.filter(({ id, listed }) => listed && ids.has(id)),
        [],
      ),
    )),
    ...single.map((event) => reportedEvent(event, all)),
    ...signals
      .filter(own)
      .map((shown) => reportedSignal(shown, shown.signal.endedAt === null ? 'holds' : 'ended', single)),
    ...gone
      .filter((shown) => own(shown) && !now.has(shown.signal.id))
      .map((shown) => reportedSignal(shown, 'ended', single)),
    ...reportedIssuers('signals', whole),
    ...reportedIssuers('recovered', recovered),
  ]
}

function reportedEvent({ id, type, issuerCik, data }: RaisedEvent, all: Map<string, Signal>): ReportedChange {
  const [, signal = ''] = id.split('/')
  return {
    ...{ id, issuerCiks: [issuerCik], facts: factsOfSignal(all.get(signal)!), data, ifRaised: [id] },
    // All of these are of signals.
    type: type as ReportedChange['type'],
  }
}

function reportedSignal(shown: ShownSignal, status: 'holds' | 'ended', events: RaisedEvent[]): ReportedChange {
  const { id, issuerCik } = shown.signal
  const isOwn = (event: RaisedEvent) => event.id === `signal.detected/${id}` || event.id.includes(`/${id}/`)
  return {
    id: null,
    type: 'signal.changed',
    issuerCiks: [issuerCik],
    facts: factsOfSignal(shown.signal),
    data: JSON.stringify({ ...signalData(shown), status }),
    unlessRaised: events.filter(isOwn).map((event) => event.id),
  }
}
