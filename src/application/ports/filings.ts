// Ports of filings: reading documents, the ledger that records them, and the source and queue they come by.
import type { AccessionNumber, Cik, Ticker, DateText } from '../../domain/shared/identifiers.ts'
import type { DocumentKind, Filing, FormType } from '../../domain/filings/filing.ts'
import type { RaisedEvent } from './alerts.ts'
import type { DataSetFiling } from './data-sets.ts'

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
