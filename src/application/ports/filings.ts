// Ports of filings: reading documents, the ledger that records them, and the source and queue they come by.
import type { AccessionNumber, Cik, Ticker, DateText } from '../../domain/shared/identifiers.ts'
import type { DocumentKind, Filing, FormType } from '../../domain/filings/filing.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { Notice, NoticeForm } from '../../domain/notices/notice.ts'
import type { Outcome } from './changes.ts'
import type { DataSetFiling } from './data-sets.ts'

/** The result of reading an ownership document. */
export type OwnershipReading =
  | { kind: 'filing'; filing: Filing }
  /** The SEC withdraws the filing of this accession number. `reason`: why there is no filing to read. */
  | { kind: 'deletion'; accession: AccessionNumber; reason: string }
  /** An ownership document that can't be trusted; it is recorded under `accession` with the reason. */
  | { kind: 'rejected'; accession: AccessionNumber; reason: string }
  /** Not one of Forms 3, 4 and 5 as XML. */
  | { kind: 'not-ownership'; reason: string }

/** The result of reading any document: `notice` is a notice of a proposed sale, Form 144. */
export type DocumentReading = OwnershipReading | { kind: 'notice'; notice: Notice }

/**
 * Parses bytes to a Filing, at once or, for a large document, later. A port because the application may not import the
 * SEC's formats. `path` may show the accession number.
 */
export type ReadDocument = (bytes: Buffer, path: string) => DocumentReading | Promise<DocumentReading>

/** A document to be recorded in the ledger. */
export interface IncomingDocument {
  accession: AccessionNumber
  bytes: Buffer
  source: string
  firstSeenAt: Date
  content: { facts: FilingFacts } | { reason: string }
}

/** The SEC's record that a filing is deleted, which the ledger keeps whether it knows the filing or not. */
export interface IncomingDeletion {
  accession: AccessionNumber
  source: string
  firstSeenAt: Date
}

/** What the ledger records of a filing beside its document. */
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
  /** Form, issuer, owners, period and rows in one text: equal for a bare document and the submission it is from. */
  contentKey: string
}

export type RecordOutcome = 'ingested' | 'known' | 'rejected'

export interface PendingDocument {
  accession: AccessionNumber
  /** Of the ledger's row: raised by everything that is recorded of the filing. */
  revision: number
  /** A better copy is stored under another accession: remove what this one gave. */
  replaced: boolean
  document: Buffer
  source: string
  /** When the first copy was received, in seconds since 1970: no date in the document can be later. */
  firstSeenAt: number
  /** Earlier copies under the same accession, whose analytics rows may have other keys. */
  priorDocuments: Buffer[]
  /** What a data set had of the filing before its own document was recorded. */
  ofSet: DataSetFiling | null
}

/** `version` is meaningless if there are no documents. */
export interface PendingBatch {
  documents: PendingDocument[]
  /** Higher than any before: for the rows they give. */
  version: number
  /** Nothing else is pending. */
  isLast: boolean
  /** All of them. */
  withdrawn: WithdrawnFilings
}

/** The filings that the SEC has deleted, a part of the ledger. */
export interface Withdrawals {
  /**
   * Records deletions in one transaction; returns the outcomes in their order: a filing is deleted once. The rows of
   * its document are pending.
   */
  record(deletions: IncomingDeletion[]): Promise<RecordOutcome[]>
  all(): Promise<WithdrawnFilings>
  /** Returns some of those that only a data set has, whose rows do not yet say so; none where there are none. */
  pendingOfSets(): Promise<DataSetFiling[]>
  /** Marks that the rows of a data set say so. */
  markProjected(accessions: AccessionNumber[]): Promise<void>
}

/** The record of every filing (PostgreSQL). A port because the application may not import a driver. */
export interface FilingLedger {
  readonly withdrawals: Withdrawals
  /**
   * Records all in one transaction; returns the outcomes in the documents' order. Rejects with UnstorableError, and
   * records nothing, if the store can't hold one of them; with anything else if the store fails.
   */
  record(documents: IncomingDocument[]): Promise<RecordOutcome[]>
  /** Returns the oldest first, `limit` at most, and fewer if they are large. */
  pending(limit: number): Promise<PendingBatch>
  nextVersion(): Promise<number>
  /**
   * Marks them in one transaction with the events that these filings raise and the entries of the log; one of which
   * more was recorded since it was read stays pending. The signals of their issuers, and of `former` ones that earlier
   * copies named, are to be detected.
   */
  markProjected(
    documents: Pick<PendingDocument, 'accession' | 'revision'>[],
    version: number,
    outcome: Outcome,
    former?: Cik[],
  ): Promise<void>
  markRejected(accession: AccessionNumber, reason: string): Promise<void>
  /** Returns the number of the filing recorded last; 0 for none. */
  lastRecorded(): Promise<number>
  /** Counts those recorded up to that number, and withdrawn ones that only a data set has. */
  countPending(upTo: number): Promise<number>
  /** Returns all that could not be read, oldest first. */
  rejected(): Promise<RejectedDocument[]>
  /** Returns the bytes of a document as received. Rejects with UnstorableError if the stored bytes are damaged. */
  document(accession: AccessionNumber): Promise<Buffer>
  /**
   * Returns every stored filing that is not rejected or replaced, issuer by issuer, in pages that end where an issuer
   * ends.
   */
  byIssuer(pageSize: number): AsyncIterable<PendingDocument[]>
  counts(): Promise<{ filings: number; projected: number; rejected: number; pending: number }>
  /** Returns whether any filing was ever projected. */
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

/** A filing as EDGAR's feed and indexes list it. */
export interface ListedFiling {
  accession: AccessionNumber
  formType: string
  /** Of the full submission, below `/Archives/`. */
  path: string
}

/**
 * The value that was requested, or why there is none: `pending` and `unavailable` may be requested again, `missing` is
 * gone, `blocked` means that EDGAR turns requests away for the moment.
 */
export type FetchResult<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'pending' | 'missing' | 'blocked' | 'unavailable'; reason: string }

/** `unreadable`: Forms 4 and 4/A that could not be parsed. */
interface ListedPage {
  filings: ListedFiling[]
  unreadable: number
}

/** `acceptedAt` in seconds since 1970, null if it can't be parsed; `entries` of any form. */
interface CurrentPage extends ListedPage {
  filings: (ListedFiling & { acceptedAt: number | null })[]
  entries: number
}

/** Forms that are followed, each with its amendments. */
export type FollowedForm = '3' | '4' | '5' | '144'

/** How a filing was listed. Live requests go before those of catching up. */
type FoundBy = 'live' | 'catch-up'
/** Requests for Forms 3, 5 and 144, however they were listed, go after all others. */
type FetchPriority = FoundBy | 'other-forms'

/** The source of filings (EDGAR, or a simulation of it). It observes the SEC's limits itself. */
export interface FilingSource {
  /** Returns one page of the current filings of a form, by default 4, newest first, from entry `start` on. */
  currentFeed(start: number, signal?: AbortSignal, form?: FollowedForm): Promise<FetchResult<CurrentPage>>
  submission(filing: ListedFiling, priority: FetchPriority, signal?: AbortSignal): Promise<FetchResult<Buffer>>
  /** Returns the filings of all eight forms of a day; `missing` until the index is written. */
  dailyIndex(day: DateText, signal?: AbortSignal): Promise<FetchResult<ListedPage>>
}

export interface WaitingFetch extends ListedFiling {
  foundBy: FoundBy
  foundAt: Date
  attempts: number
}

/** Filings listed by a source and not recorded yet (PostgreSQL). */
export interface FetchQueue {
  /** Adds and returns those that are new here; a recorded filing is not. */
  add(filings: ListedFiling[], foundBy: FoundBy): Promise<AccessionNumber[]>
  /**
   * Returns Forms 4 and 4/A first, of these live ones, then the oldest; then of Forms 3, 5 and 144 in this order at
   * most `others`.
   */
  due(limit: number, others: number): Promise<WaitingFetch[]>
  /**
   * Adds and returns those that have been fetched in vain: rejected, or gone. At once, or `daily` for a filing of which
   * the last fetch ended a day ago, or only if the reader of documents has been `upgraded` since, which `daily`
   * includes.
   */
  addAgain(accessions: AccessionNumber[], when: 'now' | 'daily' | 'upgraded'): Promise<AccessionNumber[]>
  settle(accession: AccessionNumber, status: 'recorded' | 'gone', problem: string | null): Promise<void>
  tryAgain(accession: AccessionNumber, problem: string, inSeconds: number): Promise<void>
  /** Counts those tried less than three times; the rest waits for EDGAR, up to days, and nothing waits for it. */
  countWaiting(): Promise<number>
  /** Returns which of these are not recorded, and not deleted by the SEC either. */
  missing(accessions: AccessionNumber[]): Promise<AccessionNumber[]>
}

/** Filings of a day by form: in the index, and of these stored here. */
export type FormCounts = Partial<Record<FormType | NoticeForm, { listed: number; known: number }>>

/** Filings of a day that the index names and that are missing here, with their forms. */
export type MissingFilings = Record<AccessionNumber, FormType | NoticeForm>

/**
 * A day with missing filings. `forms` is null if only Forms 4 and 4/A were compared, `missing` if it was not kept which
 * ones they are.
 */
export interface IncompleteDay {
  day: DateText
  forms: FormCounts | null
  missing: MissingFilings | null
}

/** How far each source has been read, and how complete each day is (PostgreSQL). */
export interface SourceProgress {
  position(source: string): Promise<string | null>
  move(source: string, position: string): Promise<void>
  checked(day: DateText, forms: FormCounts, missing: MissingFilings): Promise<void>
  incomplete(): Promise<IncompleteDay[]>
}

/** A filing whose document is stored. Times in seconds since 1970. */
export interface RecordedFiling {
  accession: AccessionNumber
  issuerCik: Cik
  form: FormType
  document: Buffer
  source: string
  seenAt: number
  filedAt: number
  filedBasis: string
  /** Its rows are yet to be written, or written again. */
  pending: boolean
}

/** `withdrawnAt`: when the SEC's record of its deletion was received, in seconds since 1970. */
export type FilingRecord = (RecordedFiling | DataSetFiling) & { withdrawnAt: number | null }

/** The record of filings, asked for one of them (PostgreSQL). */
export interface FilingRecords {
  /**
   * Returns the filing, that which replaced it, or what a data set has of it; null for one that is unknown or was
   * rejected.
   */
  find(accession: AccessionNumber): Promise<FilingRecord | null>
  /** Returns what the filing times of these documents are based on. */
  timeBases(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, string>>
}
