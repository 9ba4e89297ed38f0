// Every outside thing the application needs, with the reason it stands behind a port.
import type { AccessionNumber, Cik, Ticker, DateText } from '../../domain/shared/identifiers.ts'
import type { DocumentKind, Filing, FormType } from '../../domain/filings/filing.ts'
import type { JointFiling, Signal, SignalTrade } from '../../domain/signals/signal.ts'
import type { RaisedEvent } from './alerts.ts'
import type { DataSetFiling } from './data-sets.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { SignalMarks, Trade, TradeKey } from '../../domain/trades/trade.ts'

/** What a reader made of a document. */
export type Reading =
  | { kind: 'filing'; filing: Filing }
  /** An ownership document that can't be trusted; it is kept under `accession` with the reason. */
  | { kind: 'rejected'; accession: AccessionNumber; reason: string }
  /** Not one of Forms 3, 4 and 5 as XML, so nothing to keep. */
  | { kind: 'not-ownership'; reason: string }

/**
 * Bytes to Filing, at once or, of a large document, later. A port because the application may not import the SEC's
 * formats. `path` may show the accession number.
 */
export type ReadDocument = (bytes: Buffer, path: string) => Reading | Promise<Reading>

/** Now, in milliseconds since 1970; tests fix it. */
export type Clock = () => number

/** A document on its way into the ledger. */
export interface IncomingDocument {
  accession: AccessionNumber
  bytes: Buffer
  source: string
  firstSeenAt: Date
  content: { facts: FilingFacts } | { reason: string }
}

/** What the ledger keeps of a filing beside its document. */
export interface FilingFacts {
  kind: DocumentKind
  form: FormType
  issuerCik: Cik
  ownerCiks: Cik[]
  period: string | null
  acceptedAt: Date | null
  filedAt: Date
  filedBasis: string
  /** Table I transactions of a Form 4 or 4/A; 0 for the other forms. */
  transactions: number
  /** Form, issuer, owners, period and rows in one text: equal for a bare document and the submission it was cut from. */
  contentKey: string
}

export type RecordOutcome = 'ingested' | 'known' | 'rejected'

export interface PendingDocument {
  accession: AccessionNumber
  /** A better copy stands under another accession: take back what this one gave. */
  replaced: boolean
  document: Buffer
  source: string
  /** When the first copy came in, in seconds since 1970: no date in the document can be later. */
  firstSeenAt: number
  /** Earlier copies under the same accession, whose analytics rows may have other keys. */
  priorDocuments: Buffer[]
  /** What a data set had of the filing before its own document came. */
  ofSet: DataSetFiling | null
}

/** `version` is meaningless where there are no documents. */
export interface PendingBatch {
  documents: PendingDocument[]
  /** Higher than any before: for the rows they give. */
  version: number
  /** Nothing else is pending. */
  isLast: boolean
}

/** The record of every filing (PostgreSQL). A port because the application may not import a driver. */
export interface FilingLedger {
  /**
   * One transaction for all; the outcomes in the documents' order. Rejects with UnstorableError, and records nothing,
   * where one of them is what the store can't hold; with anything else where the store fails.
   */
  record(documents: IncomingDocument[]): Promise<RecordOutcome[]>
  /** The oldest first, `limit` at most, and fewer where they are large. */
  pending(limit: number): Promise<PendingBatch>
  nextVersion(): Promise<number>
  /** One transaction with what these filings raise. */
  markProjected(accessions: AccessionNumber[], version: number, events: RaisedEvent[]): Promise<void>
  markRejected(accession: AccessionNumber, reason: string): Promise<void>
  /** The number of the filing recorded last; 0 for none. */
  lastRecorded(): Promise<number>
  /** Of those recorded up to that number. */
  countPending(upTo: number): Promise<number>
  /** All that could not be read, oldest first. */
  rejected(): Promise<RejectedDocument[]>
  /** The bytes of a document as it came. Rejects with UnstorableError where what is stored of them is damaged. */
  document(accession: AccessionNumber): Promise<Buffer>
  /** Every stored filing that is not rejected or replaced, issuer by issuer, in pages that end where an issuer ends. */
  byIssuer(pageSize: number): AsyncIterable<PendingDocument[]>
  counts(): Promise<{ filings: number; projected: number; rejected: number; pending: number }>
  /** Whether any filing was ever projected. */
  hasProjected(): Promise<boolean>
}

export interface RejectedDocument {
  accession: AccessionNumber
  reason: string
  source: string
  firstSeenAt: Date
}

/** A line of the SEC's company list. */
export interface ListedCompany {
  ticker: Ticker
  cik: Cik
  name: string
  exchange: string | null
}

/** The company list as last loaded (PostgreSQL). */
export interface CompanyList {
  all(): Promise<ListedCompany[]>
  replace(companies: ListedCompany[], source: string, sha256: Buffer): Promise<void>
}

/** Who a filing speaks of, for the directory of issuers, owners and symbols. */
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
}

/** The rows that answer the API's questions (ClickHouse). Writes replace by key, so each may be repeated. */
export interface AnalyticsStore {
  /** All trades of these issuers with what was decided about them. */
  trades(issuers: Cik[]): Promise<Trade[]>
  /** The symbols typed in each issuer's newest filing that has one, some filings left aside. */
  newestSymbols(issuers: Cik[], except: AccessionNumber[]): Promise<Map<Cik, TypedSymbols>>
  /** Of each issuer the symbols that no other issuer's newer filing typed. */
  typedSymbols(issuers: Cik[]): Promise<Map<Cik, Ticker[]>>
  write(change: AnalyticsChange, version: number): Promise<void>
  companies(): Promise<ListedCompany[]>
  replaceCompanies(companies: ListedCompany[]): Promise<void>
  /** No filing has ever been written: a new or emptied data directory. */
  isEmpty(): Promise<boolean>
  /** Whether all rows are as this version writes them; else a rebuild makes them so. */
  isCurrent(): Promise<boolean>
}

/** What an issuer's filing typed as its symbols, and when. */
export interface TypedSymbols {
  symbols: Ticker[]
  filedAt: number
  accession: AccessionNumber
}

export interface AnalyticsChange {
  trades: Trade[]
  goneTrades: TradeKey[]
  entries: DirectoryEntry[]
  goneEntries: DirectoryEntry[]
}

/** Told as long work goes on, which ends where it throws; `total` null where it is not known. */
export type Progress = (done: number, total: number | null) => void

/** A filing as EDGAR's feed and indexes name it. */
interface ListedFiling {
  accession: AccessionNumber
  formType: string
  /** Of the full submission, below `/Archives/`. */
  path: string
}

/** The whole of what was asked for, or why there is none: to ask again for, gone, or turned away for the moment. */
export type FetchResult<T> =
  { kind: 'whole'; value: T } | { kind: 'not-yet' | 'missing' | 'refused' | 'busy'; reason: string }

/** `unreadable`: Forms 4 and 4/A that could not be made out. */
interface ListedPage {
  filings: ListedFiling[]
  unreadable: number
}

/** `acceptedAt` in seconds since 1970, null where it can't be made out; `entries` of any form. */
interface CurrentPage extends ListedPage {
  filings: (ListedFiling & { acceptedAt: number | null })[]
  entries: number
}

/** Live requests go before those of catching up. */
type FetchPriority = 'live' | 'catch-up'

/** Where filings come from (EDGAR, or a simulation of it). It keeps the SEC's limits by itself. */
export interface FilingSource {
  /** One page of the current filings, newest first, from entry `start` on. */
  currentFeed(start: number, signal?: AbortSignal): Promise<FetchResult<CurrentPage>>
  submission(filing: ListedFiling, priority: FetchPriority, signal?: AbortSignal): Promise<FetchResult<Buffer>>
  /** Forms 4 and 4/A of a day; `missing` until the index is written. */
  dailyIndex(day: DateText, signal?: AbortSignal): Promise<FetchResult<ListedPage>>
}

export interface WaitingFetch extends ListedFiling {
  foundBy: FetchPriority
  foundAt: Date
  attempts: number
}

/** Filings shown by a source and not recorded yet (PostgreSQL). */
export interface FetchQueue {
  /** Those that are new here, which then wait; a filing on record is not. */
  add(filings: ListedFiling[], foundBy: FetchPriority): Promise<AccessionNumber[]>
  /** Live ones first, then the oldest. */
  due(limit: number): Promise<WaitingFetch[]>
  settle(accession: AccessionNumber, status: 'recorded' | 'gone', problem: string | null): Promise<void>
  tryAgain(accession: AccessionNumber, problem: string, inSeconds: number): Promise<void>
  /** Those not tried three times yet; the rest waits for EDGAR, up to days, and nobody for it. */
  countWaiting(): Promise<number>
  /** How many of these are on record. */
  countRecorded(accessions: AccessionNumber[]): Promise<number>
}

/** How far each source has been read, and how complete each day is (PostgreSQL). */
export interface SourceProgress {
  position(source: string): Promise<string | null>
  move(source: string, position: string): Promise<void>
  checked(day: DateText, listed: number, known: number): Promise<void>
  /** Days since `since` of which something is missing. */
  incomplete(since: DateText): Promise<DateText[]>
}

/** Resolves after the time, or at once when the signal comes. Never rejects. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** A transaction as signals ask about it, with what they said of it last. */
export interface MarkedTrade extends SignalTrade, SignalMarks {
  significance: Severity
  issuerCik: Cik
  companyName: string
  ticker: string
}

/** A signal with what is shown of it. */
export interface ShownSignal {
  signal: Signal
  ticker: string
  companyName: string
  /** Version of the rules that made it. */
  rules: string
}

/** What signals are made from, and where they go (ClickHouse). Writes replace by key. */
export interface SignalStore {
  /** Transactions with code P or S. */
  trades(issuers: Cik[]): Promise<MarkedTrade[]>
  /** Filings of any form with two or more owners. */
  jointFilings(issuers: Cik[]): Promise<(JointFiling & { issuerCik: Cik })[]>
  signals(issuers: Cik[]): Promise<ShownSignal[]>
  write(signals: ShownSignal[], gone: Signal[], version: number): Promise<void>
  /** Signals' word on trades and the significance that follows, in all their copies. */
  mark(trades: MarkedTrade[], version: number): Promise<void>
  /** All that have such transactions or signals, in the order of their CIKs. */
  issuers(): Promise<Cik[]>
}

/** Issuers whose signals may be others now (PostgreSQL). */
export interface SignalQueue {
  /** Those with something new first. `silent`: it waits for nothing but history. */
  next(limit: number): Promise<{ issuerCik: Cik; version: number; historical: boolean }[]>
  /** Adds issuers of which nothing is new, so that nobody is told. */
  requeueQuietly(issuers: Cik[], version: number): Promise<void>
  /** How many wait, of those added up to that version where one is given, and the highest version among them. */
  waiting(upTo?: number): Promise<{ issuers: number; version: number }>
  /** Those that nothing was added for since they were taken, in one transaction with what their signals raise. */
  done(issuers: { issuerCik: Cik; version: number }[], events: RaisedEvent[]): Promise<void>
  /**
   * Records events as raised and told to nobody, but for issuers that wait for more than history, or have filings that wait to
   * be projected: theirs are still to come.
   */
  markAsRaised(events: RaisedEvent[]): Promise<void>
}
