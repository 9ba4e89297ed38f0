// The computations of the projection: from documents and data sets to the rows of the store.
import type { AccessionNumber, Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { Quarter } from '../../domain/shared/quarter.ts'
import type { SignalRules } from '../../domain/signals/rule-thresholds.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { DetectedChanges } from '../changes/reported-signals.ts'
import type { ChangeInserts, ShownSignal, SignalInserts, StoredIssuers, StoredSignals } from './analytics.ts'
import type { ReportedChange } from './changes.ts'
import type { DataSetFiling, RejectedFiling } from './data-sets.ts'
import type { PendingDocument } from './filings.ts'

/** Derived rows on their way from one computation to the next, which alone read them. */
export type PackedRows = Uint8Array<ArrayBuffer>

export interface ProjectionComputations {
  /** Reads documents and derives their rows. */
  readFilings(asked: { documents: PendingDocument[]; withdrawn: WithdrawnFilings }): FilingsRead
  /** Reconciles issuers over what is stored of them and derived rows. */
  projectFilings(asked: FilingsToProject): FilingsProjected
  /** Detects the signals of issuers. */
  detectSignals(asked: SignalsToDetect): SignalsDetected
  /** Reconciles issuers over what is stored of them and data sets say, and detects their signals. */
  projectHistory(asked: HistoryToProject): HistoryProjected
  /** Returns the rows that take back filings of data sets. */
  retract(asked: { filings: DataSetFiling[]; version: number }): ChangeInserts
}

export interface FilingsRead {
  derived: PackedRows
  /** The filings that could be read. */
  filings: AccessionNumber[]
  /** Those whose stored rows say nothing any more. */
  replaced: AccessionNumber[]
  /** Issuers to reconcile. */
  issuers: Cik[]
  /** Issuers that removed rows name. */
  former: Cik[]
  /** Issuers of filings that show no SIC. */
  unclassified: Cik[]
  failures: { accession: AccessionNumber; reason: string }[]
}

/** What decides about the trades of issuers. */
export interface IssuersToReconcile {
  issuers: Cik[]
  stored: StoredIssuers
  /** The symbols of those that are on the SEC's list. */
  tickers: ReadonlyMap<Cik, Ticker[]>
  withdrawn: WithdrawnFilings
  /** Of the rows. */
  version: number
}

export interface FilingsToProject extends IssuersToReconcile {
  /** Null where no filing is new. */
  derived: PackedRows | null
  withdrawnOfSets: DataSetFiling[]
  floors: SignificanceFloors
  /** When each document was first received, in seconds since 1970; null where changes are not logged. */
  receivedAt: ReadonlyMap<AccessionNumber, number> | null
  /** From when on filings raise events, in seconds since 1970. */
  recentSince: number
}

export interface FilingsProjected {
  /** Null if nothing differs from what is stored. */
  rows: ChangeInserts | null
  /** How many trades are stored of the issuers. */
  storedTrades: number
  /** Issuers of filings of which rows are stored: an earlier attempt may have written them without an end. */
  tried: Cik[]
  /** Issuers whose trades the rows change. */
  touched: Cik[]
  /** Trades of the filings that may raise events, and those that they supersede. */
  recent: Trade[]
  reported: ReportedChange[]
}

export interface SignalsToDetect {
  issuers: Cik[]
  /** Their transactions with code P or S. */
  trades: Uint8Array
  stored: StoredSignals
  rules: SignalRules
  version: number
  /** From when on signals raise events, in seconds since 1970. */
  recentSince: number
  /** Those of which only history is new, and no change is reported row by row. */
  historical: Cik[]
}

export interface SignalsDetected {
  /** Null if nothing differs from what is stored. */
  rows: SignalInserts | null
  trades: number
  /** All signals that may raise events. */
  recent: ShownSignal[]
  /** Issuers with changes. */
  touched: Cik[]
  /** The changes of those that are not historical. */
  changes: DetectedChanges
  /** The entries of the log for their trades with other labels, by issuer; null for too many. */
  relabelled: Map<Cik, ReportedChange[] | null>
}

export interface HistoryToProject extends IssuersToReconcile {
  /** Rows of documents that stay, all of their issuers; null for none. */
  derived: PackedRows | null
  /** Rows of staged filings. */
  staged: Uint8Array
  /** The quarter whose rows are used of each filing; others have documents of their own. */
  quarters: ReadonlyMap<AccessionNumber, Quarter>
  /** Filings that the quarters had before and have no longer, or differently. */
  removed: DataSetFiling[]
  signals: StoredSignals
  rules: SignalRules
  /** Issuers whose signals are detected. */
  detected: Cik[]
  recentSince: number
}

export interface HistoryProjected {
  rows: ChangeInserts
  signals: SignalInserts
  /** All signals that may raise events. */
  recent: ShownSignal[]
  /** Issuers whose signals or labels differ from what is stored. */
  touched: Cik[]
  /** Issuers whose signals could not be detected, and why. */
  undetected: { issuer: Cik; reason: string }[]
  /** How many trades are written. */
  trades: number
  rejected: RejectedFiling[]
}
