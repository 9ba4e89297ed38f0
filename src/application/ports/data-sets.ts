// Ports of data sets: the quarters of the SEC's data sets, stored as files, staged in ClickHouse and recorded in
// PostgreSQL.
import type { AccessionNumber, Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { Filing, FormType } from '../../domain/filings/filing.ts'
import type { Quarter } from '../../domain/shared/quarter.ts'
import type { StoredDetails } from './analytics.ts'

/** A file of a data set, unpacked. `columns` as in its header; `lines` below the header, counted while unpacking. */
export interface DataSetFile {
  path: string
  columns: string[]
  lines: number
}

/** Files that only the answers for single filings are made from. */
export type DetailFile = 'DERIV_TRANS' | 'DERIV_HOLDING' | 'NONDERIV_HOLDING' | 'FOOTNOTES' | 'OWNER_SIGNATURE'

/** The files of the SEC's insider transactions data sets. */
export type DataSetFiles = Record<'SUBMISSION' | 'REPORTINGOWNER' | 'NONDERIV_TRANS', DataSetFile> &
  Partial<Record<DetailFile, DataSetFile>>

/** A quarter of the data sets, kept and unpacked. */
export interface DataSet {
  quarter: Quarter
  sha256: string
  /** Where it was read from. */
  source: string
  files: DataSetFiles
}

/** The quarters stored on disk: downloaded or handed in once, read again by every rebuild. */
export interface DataSets {
  /** Returns the SHA-256 of the quarter's zip; null if it isn't stored. */
  kept(quarter: Quarter): Promise<string | null>
  /** Returns the bytes of the quarter's zip, or of its files where it is stored unpacked; null if it isn't stored. */
  bytesOf(quarter: Quarter): Promise<number | null>
  /**
   * Unpacks it for `work` and removes the files afterwards. Throws with what to do if it isn't stored or can't be
   * opened.
   */
  open<T>(quarter: Quarter, work: (set: DataSet) => Promise<T>): Promise<T>
}

export interface DataSetCounts {
  filings: number
  owners: number
  /** Of Table I, of whatever form. */
  rows: number
  /** Those of Forms 4 and 4/A that are written: not known from elsewhere. */
  transactions: number
  /** Filings that are stored already, from their own document or another data set. */
  knownFilings: number
  /** Lines of the files of details that belong to a filing. */
  details: Record<DetailFile, number>
  rejectedByFile: Record<string, number>
  rejected: { file: string; reason: string; lines: number; example: string }[]
}

/**
 * Data sets on their way in (ClickHouse): their lines are typed and checked there, and put together by filing, in the
 * order of issuers.
 */
export interface DataSetStore {
  /** Removes all quarters. */
  empty(): Promise<void>
  /** Throws, with what to do, if the disk lacks room for these data sets. */
  requireRoom(needed: NeededRoom): Promise<void>
  /** Removes a quarter. */
  drop(quarter: Quarter): Promise<void>
  /** Adds a quarter. Lines that can't be used are recorded with their reasons. */
  stage(quarter: Quarter, files: DataSetFiles): Promise<void>
  /** Returns how many lines of a quarter are used and rejected, as if none of its filings were known. */
  counts(quarter: Quarter, files: DataSetFiles): Promise<DataSetCounts>
  /** Returns how many transactions these filings of a quarter have. */
  transactionsOf(quarter: Quarter, accessions: AccessionNumber[]): Promise<number>
  /** Returns lines for the ledger, tab-separated: accession, form, issuer, filing time, owners, symbols, places. */
  ledgerLines(quarter: Quarter): AsyncIterable<string>
  /** Returns the issuers of those of these filings that are staged. */
  issuersOf(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, Cik>>
  /** Returns ranges that cover all issuers, each with about as many filings and stored trades as fit in memory. */
  ranges(): Promise<IssuerRange[]>
  /** Returns the filings of a range; `RowFormat` reads them. */
  filings(range: IssuerRange): Promise<Uint8Array>
  /** Returns which filings these are. */
  keys(range: IssuerRange): Promise<{ accession: AccessionNumber; issuerCik: Cik }[]>
  /** Records filings whose lines are rejected after all. */
  reject(filings: RejectedFiling[]): Promise<void>
}

/** What is to be stored of quarters that are loaded together. */
export interface NeededRoom {
  quarters: number
  /** Of the zips that are not staged yet. */
  bytes: number
  /** Lines of Table I of all of them, as far as these are to be written. */
  rows: number
}

/** A range of issuers by CIK, both ends inclusive. */
export interface IssuerRange {
  from: number
  to: number
  /** Staged lines of Table I. */
  rows: number
}

/** A filing of a staged data set. */
export interface StagedFiling {
  quarter: Quarter
  accession: AccessionNumber
  form: FormType
  /** Transactions in Table I, with those that can't be read. */
  rowCount: number
  /** Null where the data set lacks files. */
  details: Pick<StoredDetails, 'complete' | 'lines'> | null
  /** Returns the filing, and the SEC's numbers of its transactions in Table I. */
  read(): { filing: Filing; keys: number[] }
  /** Returns how many lines it has of each file. */
  lines(): Record<string, number>
}

/** A filing of a data set that the rules can't take. */
export interface RejectedFiling {
  quarter: Quarter
  accession: AccessionNumber
  reason: string
  form: FormType
  /** Lines by file. */
  lines: Record<string, number>
}

/** A filing from a data set, with the keys of its rows in the analytics tables. */
export interface DataSetFiling {
  accession: AccessionNumber
  form: FormType
  issuerCik: Cik
  ownerCiks: Cik[]
  symbols: Ticker[]
  filedAt: number
  places: number[]
}

export interface LoadedSet {
  quarter: Quarter
  sha256: string
  status: 'loading' | 'loaded'
  result: unknown
}

/** The record of loaded quarters and of their filings (PostgreSQL). */
export interface DataSetRegistry {
  /** Returns the oldest quarter first. */
  sets(): Promise<LoadedSet[]>
  begin(quarter: Quarter, sha256: string, source: string): Promise<void>
  /**
   * Sets the quarter's filings to these lines. Returns those that are stored from their own document or another
   * quarter; those that the quarter had before and has no longer, or differently, until the load is finished; and up to
   * which issuer an interrupted load of the same data set wrote, null if it had not begun to.
   */
  replace(
    quarter: Quarter,
    lines: AsyncIterable<string>,
  ): Promise<{ known: AccessionNumber[]; gone: DataSetFiling[]; writtenTo: number | null }>
  /** Marks that everything is written that follows from the filings of these quarters, for issuers up to this CIK. */
  markWritten(quarters: Quarter[], upTo: number): Promise<void>
  /** Removes these marks, as the rows of quarters whose load was interrupted are gone. */
  forgetWritten(): Promise<void>
  /** Returns the quarter of each of these filings that comes from a data set, and not from its own document. */
  quartersOf(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, Quarter>>
  /** Marks that everything that follows from the quarter's filings is written. */
  finish(quarter: Quarter, result: unknown): Promise<void>
}
