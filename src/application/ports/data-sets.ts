// The outside things that loading history needs: the quarters of the SEC's data sets, kept as files, staged in ClickHouse and on
// record in PostgreSQL. The rest is in ports.ts.
import type { AccessionNumber, Cik, Ticker, DateText } from '../../domain/shared/identifiers.ts'
import type { FormType } from '../../domain/filings/filing.ts'
import type {
  CandidateTrade,
  RelatedTrades,
  CandidateVerdict,
} from '../../domain/trades/reconciliation/reconcile-subset.ts'
import type { Quarter } from '../../domain/shared/quarter.ts'
import type { Trade, TradeKey } from '../../domain/trades/trade.ts'

/** A file of a data set, unpacked. `columns` as its header has them; `lines` below the header, as counted while unpacking. */
export interface DataSetFile {
  path: string
  columns: string[]
  lines: number
}

/** Of the SEC's insider transactions data sets, what is read. */
export type DataSetFiles = Record<'SUBMISSION' | 'REPORTINGOWNER' | 'NONDERIV_TRANS', DataSetFile> &
  Partial<Record<'FOOTNOTES' | 'OWNER_SIGNATURE', DataSetFile>>

/** A quarter of the data sets, kept and unpacked. */
export interface DataSet {
  quarter: Quarter
  sha256: string
  /** Where it was read from. */
  source: string
  files: DataSetFiles
}

/** The quarters kept on disk: fetched or handed in once, read again by every rebuild. */
export interface DataSets {
  /** SHA-256 of the quarter's zip; null where it isn't kept. */
  kept(quarter: Quarter): Promise<string | null>
  /** Unpacked for `work` and removed after. Throws with what to do where it isn't kept or can't be opened. */
  open<T>(quarter: Quarter, work: (set: DataSet) => Promise<T>): Promise<T>
}

/** An owner's boxes as bits (1 director, 2 officer, 4 ten percent owner, 8 other) and texts. */
export interface OwnerText {
  roles: number
  title: string
  otherText: string
}

/** An owner whose title says where to look, and what stands there. */
export interface PointedTitle extends OwnerText {
  accession: AccessionNumber
  cik: Cik
  companyName: string
  remarks: string
  footnotes: { id: string; text: string }[]
}

/** A filing without a filing date, and its other dates as filed; '' where there is none. */
export interface DatedSubmission {
  accession: AccessionNumber
  period: DateText
  originalDate: DateText
  signed: DateText[]
  traded: DateText[]
}

/** What the domain made of a set's texts, each distinct one once. */
export interface ResolvedTexts {
  titles: (OwnerText & { shown: string })[]
  pointed: { accession: AccessionNumber; cik: Cik; shown: string; ceo: boolean; chief: boolean }[]
  /** Titles of CEOs and CFOs of the company named. */
  chiefs: { title: string; companyName: string; ceo: boolean }[]
  /** Footnotes that say whether their transactions were made under a 10b5-1 plan. */
  plans: { accession: AccessionNumber; note: string; says: 'yes' | 'no' }[]
  symbols: { symbol: string; symbols: Ticker[] }[]
  /** Of filings without a filing date; `filedAt` in seconds since 1970. */
  times: { accession: AccessionNumber; filedAt: number; filedDay: DateText; filedBasis: string }[]
}

export interface DataSetCounts {
  filings: number
  owners: number
  /** Of Table I, of whatever form. */
  rows: number
  /** Those of Forms 4 and 4/A that are written: not known by another way. */
  transactions: number
  /** Filings that are here from their own document or another set. */
  knownFilings: number
  rejectedByFile: Record<string, number>
  rejected: { file: string; reason: string; lines: number; example: string }[]
}

/** Data sets on their way into the analytics tables (ClickHouse): typed, checked and joined there, decided by the domain. */
export interface DataSetStore {
  empty(): Promise<void>
  stage(files: DataSetFiles): Promise<void>
  ownerTexts(): Promise<OwnerText[]>
  chiefTexts(): Promise<{ title: string; companyName: string }[]>
  pointedTitles(titles: string[], footnotes: DataSetFile | null): Promise<PointedTitle[]>
  /** Footnotes that mention a 10b5-1 plan. */
  planNotes(footnotes: DataSetFile | null): Promise<{ accession: AccessionNumber; note: string; text: string }[]>
  undatedFilings(signatures: DataSetFile | null): Promise<DatedSubmission[]>
  symbolTexts(): Promise<string[]>
  keepNames(names: ResolvedTexts): Promise<void>
  /** Submissions and owners become filings; what can't be joined is rejected. */
  join(quarter: Quarter): Promise<void>
  counts(quarter: Quarter): Promise<DataSetCounts>
  /** Lines for the ledger, tab-separated: accession, form, issuer, filing time, owners, symbols, places. */
  ledgerLines(): AsyncIterable<string>
  /** These stay as they are; all other transactions of Forms 4 and 4/A are to be judged and written. */
  keepKnown(accessions: AccessionNumber[]): Promise<void>
  issuerSymbols(): Promise<{ issuerCik: Cik; symbols: Ticker[]; filedAt: number; accession: AccessionNumber }[]>
  keepTickers(tickers: { issuerCik: Cik; symbols: Ticker[]; ticker: string }[]): Promise<void>
  /** Those of the issuers that have stored trades. */
  withTrades(issuers: Cik[]): Promise<Cik[]>
  /** Parts of the issuers, each small enough to be handed over. */
  slices(): Promise<Slice[]>
  amendedDays(slice: Slice): Promise<{ issuerCik: Cik; originalDate: DateText; ownerCiks: Cik[] }[]>
  /** `days`: on which originals may have been filed, with the owners of the 4/As that say so. */
  relatedTrades(slice: Slice, days: { issuerCik: Cik; day: DateText; ownerCiks: Cik[] }[]): Promise<RelatedTrades>
  keepVerdicts(verdicts: { trade: CandidateTrade; verdict: CandidateVerdict }[]): Promise<void>
  write(version: number, advance: (rows: number) => void): Promise<void>
  /** Of each of these trades all that its filing has, whole and as stored. */
  filingsOf(keys: Pick<TradeKey, 'issuerCik' | 'filedAt' | 'accession'>[]): Promise<Trade[]>
}

/** A part of the issuers, so that what is joined and handed over stays small however large the set is. */
export interface Slice {
  index: number
  of: number
}

/** A filing as a data set gave it, with all that its rows in the analytics tables are found by. */
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

/** Which quarters, and which filings by them (PostgreSQL). */
export interface DataSetRegistry {
  /** Oldest quarter first. */
  sets(): Promise<LoadedSet[]>
  begin(quarter: Quarter, sha256: string, source: string): Promise<void>
  /**
   * The quarter's filings are now these lines. `meanwhile` runs while they are written; it is told which of them are here
   * from their own document or another quarter, and which the quarter had before and has not, or otherwise, now. `owed`:
   * issuers to judge again; with those of a load cut short they come back, to be forgotten when the load is finished.
   */
  replace<T>(
    quarter: Quarter,
    lines: AsyncIterable<string>,
    meanwhile: (known: AccessionNumber[], gone: DataSetFiling[]) => Promise<{ done: T; owed: Cik[] }>,
  ): Promise<{ done: T; owed: Cik[] }>
  /** All that follows from the quarter's filings is written. */
  finish(quarter: Quarter, result: unknown): Promise<void>
}
