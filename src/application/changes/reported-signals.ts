// Entries of the log for detected signals: their events, other changes of signals, and trades whose labels or
// significance changed with them.
import { signalData } from '../alerts/event-payload.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import type { RaisedEvent } from '../ports/alerts.ts'
import type { ShownSignal } from '../ports/analytics.ts'
import type { ReportedChange } from '../ports/changes.ts'
import { factsOfSignal } from './change-facts.ts'
import { reportedIssuers } from './reported-extents.ts'

/** The differences between detected and stored signals. */
export interface DetectedChanges {
  /** New or changed signals. */
  signals: ShownSignal[]
  /** Signals that are no more, as they were stored. */
  gone: ShownSignal[]
}

/** Trades of one issuer that are reported row by row; if more changed, the entry names the issuer. */
export const MAX_TRADES = 500

interface DetectedBatch {
  /** Those of the issuers' signals that may have raised events. */
  recent: ShownSignal[]
  /** Issuers of which a signal or a label changed. */
  touched: Cik[]
  changes: DetectedChanges
  /** The entries for trades with other labels or significance, by issuer; null for too many. */
  relabelled: ReadonlyMap<Cik, ReportedChange[] | null>
  events: RaisedEvent[]
  /** Issuers that came only because a data set was loaded. */
  historical: Cik[]
  /** Issuers that an earlier attempt may have changed without reporting. */
  recovered: Cik[]
}

/** Returns the entries. An issuer with too many changes, or none that callers can follow, is reported as a whole. */
export function reportedSignals(batch: DetectedBatch): ReportedChange[] {
  const { events, historical, recovered, relabelled } = batch
  const { signals, gone } = batch.changes
  const isHistorical = new Set(historical)
  const isRecovered = new Set(recovered)
  const reportedAsAWhole = batch.touched.filter(
    (issuer) => !isRecovered.has(issuer) && (isHistorical.has(issuer) || relabelled.get(issuer) === null),
  )
  const isReportedAsAWhole = new Set([...reportedAsAWhole, ...recovered])
  const isReportedByRow = ({ signal }: ShownSignal) => !isReportedAsAWhole.has(signal.issuerCik)
  const signalById = new Map(batch.recent.map(({ signal }) => [signal.id, signal]))
  const reportedEvents = events.filter(({ issuerCik }) => !isReportedAsAWhole.has(issuerCik))
  const present = new Set(signals.map(({ signal }) => signal.id))
  return [
    ...[...relabelled].flatMap(([issuer, entries]) => (isReportedAsAWhole.has(issuer) ? [] : (entries ?? []))),
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
