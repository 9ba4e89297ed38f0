// Ports of the log of changes (PostgreSQL), which informs other processes and callers.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { ChangeFacts } from '../changes/change-facts.ts'
import type { ChangeScope, Extent } from '../changes/change-tracker.ts'
import type { LogExtent } from '../changes/log-position.ts'
import type { ChangeType } from '../queries/change-queries.ts'
import type { RaisedEvent } from './alerts.ts'

/** Types of entries, as the contract has them. */
export const CHANGE_TYPES = [
  'transaction.created',
  'transaction.amended',
  'transaction.changed',
  'signal.detected',
  'signal.escalated',
  'signal.changed',
  'dataset.changed',
] as const satisfies readonly ChangeType[]

/** An entry of the log as it is read for streams. */
export interface LogEntry {
  seq: number
  id: string
  type: ChangeType
  /** Null for all. */
  issuerCiks: Cik[] | null
  /** `YYYY-MM-DDThh:mm:ssZ`. */
  at: string
  /** Null where it has none. */
  facts: ChangeFacts | null
  /** As JSON. */
  data: string
}

export interface LogPage extends LogExtent {
  entries: LogEntry[]
  /** All entries up to this were read. */
  end: number
}

/** Reads the log for streams (PostgreSQL). */
export interface LogReader {
  /** Returns entries after a position, or none and the present position. */
  read(after: number | null, limit: number): Promise<LogPage>
}

/**
 * An entry of the log for callers. One whose id was reported before is reported as `changed`, under an id of its own.
 */
export interface ReportedChange {
  /** Derived from its subject; null for one that is named by its place in the log. */
  id: string | null
  type: ChangeType
  /** Null for all. */
  issuerCiks: Cik[] | null
  /** What it is filtered by; left out where it has none. */
  facts?: ChangeFacts
  /** The `data` of the entry, as JSON. */
  data: string
  /** Reported only if one of these events is raised by the same statement. */
  ifRaised?: string[]
  /** Reported only if none of these is. */
  unlessRaised?: string[]
}

/** What the statement that marks work as done writes besides. */
export interface Outcome {
  events?: RaisedEvent[]
  touched?: ChangeScope
  reported?: ReportedChange[]
}

/** The numbered log (PostgreSQL). What is projected or detected is added by the statement that marks it. */
export interface ChangeLog {
  /** Adds a change of great extent for the other processes, such as a rebuild or a part of a quarter. */
  append(extent: Extent): Promise<void>
  /**
   * Begins writing after another process did: entries that were lost in a crash are covered by one of everything for
   * the other processes, and what is pending is reported. Returns the issuers of which a process that was killed may
   * have written something that it never reported.
   */
  takeOver(): Promise<Cik[]>
  /** Stores what is to be reported at the end of the work that begins now. */
  recordPending(reported: ReportedChange[]): Promise<void>
  /** Reports what is pending, or nothing if the work changed nothing. */
  flushPending(hasChanged: boolean): Promise<void>
  /** Removes entries older than a reader may be away. */
  prune(days: number): Promise<void>
}
