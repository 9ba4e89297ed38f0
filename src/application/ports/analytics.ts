// Ports of the analytics: the rows that answer the API's questions, the signals, and the issuers whose signals are due.
import type { AccessionNumber, Cik, DateText, Ticker } from '../../domain/shared/identifiers.ts'
import type { FormType } from '../../domain/filings/filing.ts'
import type { Evidence } from '../../domain/positions/evidence.ts'
import type { AmendmentWord } from '../../domain/trades/reconciliation/amendment-words.ts'
import type { RelatedFiling } from '../../domain/trades/reconciliation/related-filing.ts'
import type { JointFiling, Signal, SignalTrade } from '../../domain/signals/signal.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { SignalMarks, Trade, TradeKey } from '../../domain/trades/trade.ts'
import type { RaisedEvent } from './alerts.ts'
import type { ChangeScope } from '../changes/change-tracker.ts'
import type { Outcome } from './changes.ts'
import type { DataSetFiling, StagedFiling } from './data-sets.ts'
import type { ListedCompany } from './filings.ts'

/** The parties named in a filing, for the directory of issuers, owners and symbols. */
export interface DirectoryEntry {
  accession: AccessionNumber
  form: FormType
  filedAt: number
  issuerCik: Cik
  companyName: string
  symbols: Ticker[]
  /** Four digits. */
  sic: string | null
  office: string | null
  sector: string
  owners: { cik: Cik; name: string }[]
  /** The day of filing is not on record, but only made out from a signature, the period or another date. */
  isEstimated: boolean
  /** The day the original was filed, on amendments. */
  originalDate: DateText | null
  period: DateText | null
  /** What remarks and footnotes say of the original; of Forms 4/A. */
  amendmentWords: AmendmentWord[]
  /** The SEC has deleted the filing: no list of filings has it. */
  isWithdrawn?: boolean
}

/** Under which the entry of a filing is stored. */
export type EntryKey = Pick<DirectoryEntry, 'accession' | 'issuerCik' | 'filedAt' | 'symbols'> & { ownerCiks: Cik[] }

/** The rows that answer the API's questions (ClickHouse). Writes replace by key, so each may be repeated. */
export interface AnalyticsStore {
  /** Returns all trades of these issuers, or some of them by their ids, with what was decided about them. */
  trades(issuers: Cik[], ids?: readonly string[]): Promise<Trade[]>
  /**
   * Returns what the reconciliation of these issuers compares and needs. `unlisted`: those of which it needs the
   * symbols that filings typed, without the filings `except`.
   */
  stored(issuers: Cik[], unlisted: Cik[], except: AccessionNumber[]): Promise<StoredIssuers>
  /** Returns the symbols typed in each issuer's newest standing filing that has any, leaving out some filings. */
  newestSymbols(issuers: Cik[], except: AccessionNumber[]): Promise<Map<Cik, TypedSymbols>>
  /** Returns every symbol that filings of each issuer typed; some may stand only in documents replaced since. */
  typedSymbols(issuers: Cik[]): Promise<Map<Cik, Ticker[]>>
  /** Returns for each symbol that filings typed the issuer of the newest of them. */
  lastIssuers(symbols: Ticker[]): Promise<Map<Ticker, Cik>>
  /** Calls `shown` when pages of transactions show the change, before all of it is stored. */
  write(rows: ChangeInserts, shown?: () => void): Promise<void>
  companies(): Promise<ListedCompany[]>
  /** Replaces the SEC's list, and renews what the search has of companies and insiders. */
  replaceCompanies(companies: ListedCompany[], refresh: PartyRefresh): Promise<void>
  /** Renews what profiles and the search have of companies and insiders in sum, after a load of history. */
  refreshParties(refresh: PartyRefresh): Promise<void>
  /** Returns whether no filing has ever been written, as in a new or emptied data directory. */
  isEmpty(): Promise<boolean>
  /** Returns whether all tables and rows are as this version makes them; if not, only a rebuild may write. */
  isCurrent(): Promise<boolean>
  /** Returns whether this version can answer from the rows, though an older or newer one may have made them. */
  isReadable(): Promise<boolean>
}

/** How all companies and insiders are renewed, some at a time. */
export interface PartyRefresh {
  nextVersion: () => Promise<number>
  /** Called before each step, such as to project new filings; none are written during a step. */
  between?: () => Promise<unknown>
  /** Receives how many steps are done. */
  advance?: (done: number, steps: number) => void
}

/** What an issuer's filing typed as its symbols, and when. */
export interface TypedSymbols {
  symbols: Ticker[]
  filedAt: number
  accession: AccessionNumber
}

/** Rows of the store as it gave them: `RowFormat` reads them. */
export interface StoredIssuers {
  trades: Uint8Array
  /** The filings that the reconciliation of trades can need beside them. */
  related: Uint8Array
  symbols: Map<Cik, TypedSymbols>
}

export interface StoredSignals {
  /** Standing filings of any form with two or more owners. */
  joint: Uint8Array
  signals: Uint8Array
}

/** Rows as the store takes them, some for each insert. */
export interface TableInserts {
  table: string
  inserts: Uint8Array<ArrayBuffer>[]
}

/** The rows of a change by table. Each stage is inserted when the one before is. */
export interface StagedInserts {
  /** What the feed and the profiles show. */
  shown: TableInserts[]
  /** What answers need besides. */
  beside: TableInserts[]
  /** By which it is found that a change was written in part. */
  last: TableInserts[]
}

export interface ChangeInserts extends StagedInserts {
  version: number
  withdrawn: WithdrawnOfSet[]
  /** The lists of companies and insiders that have rows of it. */
  lists: string[]
  scope: ChangeScope
  /** How many filings it adds or removes. */
  filings: number
}

/** The rows of signals, in the order in which they are inserted, and then of the trades that they mark. */
export interface SignalInserts {
  signals: TableInserts[]
  marks: StagedInserts
  scope: ChangeScope
}

/** Reads and makes rows of the store: pure, for the computations. */
export interface RowFormat {
  trades(stored: Uint8Array): Trade[]
  relatedFilings(stored: Uint8Array): RelatedFiling[]
  jointFilings(stored: Uint8Array): (JointFiling & { issuerCik: Cik })[]
  signals(stored: Uint8Array): ShownSignal[]
  stagedFilings(staged: Uint8Array): StagedFiling[]
  changeInserts(change: AnalyticsChange, version: number): ChangeInserts
  signalInserts(change: SignalChange, version: number): SignalInserts
}

/** What detection changes. */
export interface SignalChange {
  signals: ShownSignal[]
  gone: Signal[]
  /** Keys under which no states of these signals are to be found any more. */
  formerStates?: StatesKey[]
  /** Trades with other marks than before, in which all their copies are written. */
  marked?: Trade[]
}

export interface AnalyticsChange {
  trades: Trade[]
  /** Rows of which one in `trades` or `entries` has the same key stay. */
  goneTrades: TradeKey[]
  entries: DirectoryEntry[]
  goneEntries: EntryKey[]
  /** Filings of which nothing is to be kept that a data set says. */
  goneDetails: Pick<DirectoryEntry, 'accession' | 'issuerCik' | 'filedAt'>[]
  /** Those of `trades` that were superseded and are no longer. */
  restored?: TradeKey[]
  /** Filings that only a data set has, and that no list of filings is to have any longer. */
  withdrawn?: WithdrawnOfSet[]
  /** What the filings of `entries` say of holdings. That of `goneEntries` goes with them. */
  balances?: StoredEvidence[]
  /** What data sets say of filings. */
  details?: StoredDetails[]
}

/** What a data set says of a filing. */
export interface StoredDetails extends Pick<DirectoryEntry, 'accession' | 'issuerCik' | 'filedAt'> {
  filedBasis: string
  /** Everything could be read. */
  complete: boolean
  /** Its lines as JSON objects, joined by commas. */
  lines: string
}

/** Withdrawals count from the receipt of the SEC's record on, in seconds since 1970. */
export interface WithdrawnOfSet extends DataSetFiling {
  withdrawnAt: number
}

export interface StoredEvidence {
  evidence: Evidence
  /** The day of filing is not on record. */
  isEstimated: boolean
  /** Null for a filing that stands. */
  withdrawnAt: number | null
}

/** A transaction for the rules of signals, with what they said of it last. */
export interface MarkedTrade extends SignalTrade, SignalMarks {
  significance: Severity
  issuerCik: Cik
  companyName: string
  ticker: string
}

/** A signal with the company's name and symbol. */
export interface ShownSignal {
  signal: Signal
  ticker: string
  companyName: string
  /** Version of the rules that made it. */
  rules: string
  /** `detectedAt` by the filings whose day is known; null where these raise no such signal. */
  knownAt: number | null
  /** What the list showed of it by these filings, oldest first: answers as of an instant leave out all others. */
  states: ListedState[]
  /** Owners of the filings whose transactions count; rows of earlier versions say nothing of them. */
  insiders: SignalInsiders
}

/** Who they are at present, and who they were since when by the filings whose day is known, oldest first. */
export interface SignalInsiders {
  present: Cik[]
  steps: { since: number; ciks: Cik[] }[]
}

/** Under which the states of a signal are stored. */
export type StatesKey = Pick<Signal, 'id' | 'issuerCik' | 'detectedAt'>

/** What the list of signals showed of one from an instant on, in seconds, until the next state. */
export interface ListedState {
  since: number
  /** Null where the signal did not hold. */
  shown: {
    severity: Severity
    ticker: string
    companyName: string
    description: string
    insiderCount: number
    totalCents: number
  } | null
}

/** The signals and what they are made from (ClickHouse). Writes replace by key. */
export interface SignalStore {
  /** Returns transactions with code P or S. */
  trades(issuers: Cik[]): Promise<Uint8Array>
  stored(issuers: Cik[]): Promise<StoredSignals>
  signals(issuers: Cik[]): Promise<ShownSignal[]>
  write(rows: SignalInserts): Promise<void>
}

/** Issuers whose signals may have changed (PostgreSQL). */
export interface SignalQueue {
  /** Returns those with something new first. `historical`: only history is new. */
  next(limit: number): Promise<{ issuerCik: Cik; version: number; historical: boolean }[]>
  /** Returns which of these issuers wait because only history is new. */
  historical(issuers: Cik[]): Promise<{ issuerCik: Cik; version: number }[]>
  /** Adds issuers of which nothing is new, so that no alert is raised. */
  requeueQuietly(issuers: Cik[], version: number): Promise<void>
  /** Returns how many wait, of those added up to that version if one is given, and the highest version among them. */
  waiting(upTo?: number): Promise<{ issuers: number; version: number }>
  /**
   * Removes those that nothing was added for since they were taken, in one transaction with the events that their
   * signals raise and the entries of the log.
   */
  done(issuers: { issuerCik: Cik; version: number }[], outcome: Outcome): Promise<void>
  /**
   * Records events as raised without delivering them, except for issuers that wait for more than history, or have
   * filings that wait to be projected: theirs are still to come.
   */
  markAsRaised(events: RaisedEvent[]): Promise<void>
}
