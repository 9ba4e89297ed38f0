// Entries of the log for detected signals: their events, other changes of signals, and trades whose labels or
// significance changed with them.
import { signalData } from '../alerts/event-payload.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { MarkedTrade, ShownSignal } from '../ports/analytics.ts'
import type { ReportedChange } from '../ports/changes.ts'
import { factsOfSignal } from './change-facts.ts'
import { reportedIssuers } from './reported-extents.ts'
import { reportedTrades } from './reported-filings.ts'

/** The differences between detected and stored signals. */
export interface DetectedChanges {
  /** New or changed signals. */
  signals: ShownSignal[]
  /** Signals that are no more, as they were stored. */
  gone: ShownSignal[]
  marks: MarkedTrade[]
}

/** Trades of one issuer that are reported row by row; if more changed, the entry names the issuer. */
const MAX_TRADES = 500

interface DetectedBatch {
  /** All signals of the issuers as they are now. */
  all: ShownSignal[]
  changes: DetectedChanges
  events: RaisedEvent[]
  /** Issuers that came only because a data set was loaded. */
  historical: Cik[]
  /** Issuers that an earlier attempt may have changed without reporting. */
  recovered: Cik[]
  /** Returns all trades of these issuers as they are now. */
  tradesOf: (issuers: Cik[]) => Promise<Trade[]>
}

/** Returns the entries. An issuer with too many changes, or none that callers can follow, is reported as a whole. */
export async function reportedSignals(batch: DetectedBatch): Promise<ReportedChange[]> {
  const { events, historical, recovered, tradesOf } = batch
  const { signals, gone, marks } = batch.changes
  const touched = new Set([...signals, ...gone].map(({ signal }) => signal.issuerCik))
  const marked = Map.groupBy(marks, ({ issuerCik }) => issuerCik)
  for (const issuer of marked.keys()) touched.add(issuer)
  const hasManyMarks = (issuer: Cik) => (marked.get(issuer)?.length ?? 0) > MAX_TRADES
  const isHistorical = new Set(historical)
  const isRecovered = new Set(recovered)
  const reportedAsAWhole = [...touched].filter(
    (issuer) => !isRecovered.has(issuer) && (isHistorical.has(issuer) || hasManyMarks(issuer)),
  )
  const isReportedAsAWhole = new Set([...reportedAsAWhole, ...recovered])
  const isReportedByRow = ({ signal }: ShownSignal) => !isReportedAsAWhole.has(signal.issuerCik)
  const signalById = new Map(batch.all.map(({ signal }) => [signal.id, signal]))
  const reportedEvents = events.filter(({ issuerCik }) => !isReportedAsAWhole.has(issuerCik))
  const present = new Set(signals.map(({ signal }) => signal.id))
  const relabelled = [...marked.keys()].filter((issuer) => !isReportedAsAWhole.has(issuer))
  const ids = new Set(marks.map(({ id }) => id))
  const trades = relabelled.length === 0 ? [] : await tradesOf(relabelled)
  return [
    ...reportedTrades(
      trades.filter(({ id, listed }) => listed && ids.has(id)),
      [],
    ),
    ...reportedEvents.map((event) => reportedEvent(event, signalById)),
    ...signals
      .filter(isReportedByRow)
      .map((shown) => reportedSignal(shown, shown.signal.endedAt === null ? 'holds' : 'ended', reportedEvents)),
    ...gone
      .filter((shown) => isReportedByRow(shown) && !present.has(shown.signal.id))
      .map((shown) => reportedSignal(shown, 'ended', reportedEvents)),
    ...reportedIssuers('signals', reportedAsAWhole),
    ...reportedIssuers('recovered', recovered),
  ]
}

function reportedEvent({ id, type, issuerCik, data }: RaisedEvent, signalById: Map<string, Signal>): ReportedChange {
  const [, signalId = ''] = id.split('/')
  return {
    id,
    // Events of signals only, whose types the log has too.
    type: type as ReportedChange['type'],
    issuerCiks: [issuerCik],
    facts: factsOfSignal(signalById.get(signalId)!),
    data,
    ifRaised: [id],
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
