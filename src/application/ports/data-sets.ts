// Ports of data sets: the quarters of the SEC's data sets, stored as files, staged in ClickHouse and recorded in
// PostgreSQL.
import type { AccessionNumber, Cik, Ticker, DateText, DecimalText } from '../../domain/shared/identifiers.ts'
import type { Footnote, FormType } from '../../domain/filings/filing.ts'
import type {
  CandidateTrade,
  RelatedTrades,
  CandidateVerdict,
} from '../../domain/trades/reconciliation/reconcile-subset.ts'
import type { AveragePrice } from '../../domain/trades/average-price.ts'
import type { AmendmentWord } from '../../domain/trades/reconciliation/amendment-words.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { Quarter } from '../../domain/shared/quarter.ts'
import type { Trade, TradeFacts, TradeKey } from '../../domain/trades/trade.ts'

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
  /**
   * Unpacks it for `work` and removes the files afterwards. Throws with what to do if it isn't stored or can't be
   * opened.
   */
  open<T>(quarter: Quarter, work: (set: DataSet) => Promise<T>): Promise<T>
}

/** An owner's boxes as bits (1 director, 2 officer, 4 ten percent owner, 8 other) and texts. */
export interface OwnerText {
  roles: number
  title: string
  otherText: string
}

/** An owner whose title says where to look, with the text found there. */
export interface PointedTitle extends OwnerText {
  accession: AccessionNumber
  cik: Cik
  companyName: string
  remarks: string
  footnotes: { id: string; text: string }[]
}

/** A filing without a filing date, and its other dates as filed; '' if there is none. */
export interface DatedSubmission {
  accession: AccessionNumber
  period: DateText
  originalDate: DateText
  signed: DateText[]
  traded: DateText[]
}

/** A 4/A with its remarks and footnotes. */
export interface AmendmentTexts {
  accession: AccessionNumber
  remarks: string
  footnotes: string[]
}

/** A filing with its box, remarks and those footnotes that may say something of its rows. */
export interface TextFiling {
  accession: AccessionNumber
  box: 'unknown' | 'no' | 'yes'
  remarks: string
  footnotes: Footnote[]
  rows: TextRow[]
}

/** Rows of a filing, by the SEC's numbers, of which the texts say the same. */
export interface TextRow {
  sks: number[]
  code: string
  title: string
  price: DecimalText | null
  directIndirect: string
  nature: string
  /** Ids of all its footnotes, and of those of the price. */
  notes: string[]
  priceNotes: string[]
}

/** What the texts say of rows. */
export interface RowFacts
  extends AveragePrice, Pick<TradeFacts, 'holding' | 'holderNames' | 'otherUnit' | 'plan' | 'planSource'> {
  accession: AccessionNumber
  sks: number[]
}

/** A row with its number of shares and holdings; decimals as text. */
export interface CountedRow {
  accession: AccessionNumber
  sk: number
  title: string
  acquiredDisposed: string
  directIndirect: string
  shares: string
  sharesAfter: string | null
}

/** The domain's results for a data set's texts, each distinct one once. */
export interface ResolvedTexts {
  titles: (OwnerText & { shown: string })[]
  pointed: { accession: AccessionNumber; cik: Cik; shown: string; ceo: boolean; cfo: boolean }[]
  /** Titles of CEOs and CFOs of the company named. */
  chiefs: { title: string; companyName: string; ceo: boolean; cfo: boolean }[]
  symbols: { symbol: string; symbols: Ticker[] }[]
  amendments: { accession: AccessionNumber; words: AmendmentWord[] }[]
  /** For filings without a filing date; `filedAt` in seconds since 1970. */
  times: { accession: AccessionNumber; filedAt: number; filedDay: DateText; filedBasis: string }[]
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
 * Data sets being loaded into the analytics tables (ClickHouse): typed, checked and joined there, decided by the
 * domain.
 */
export interface DataSetStore {
  empty(): Promise<void>
  stage(files: DataSetFiles): Promise<void>
  ownerTexts(): Promise<OwnerText[]>
  chiefTexts(): Promise<{ title: string; companyName: string }[]>
  pointedTitles(titles: string[], footnotes: DataSetFile | null): Promise<PointedTitle[]>
  /** Returns 4/As with remarks and footnotes that may say what becomes of the original. */
  amendmentTexts(footnotes: DataSetFile | null): Promise<AmendmentTexts[]>
  /** Returns filings whose rows texts may say something of, a page at a time. */
  textFilings(footnotes: DataSetFile | null): AsyncIterable<TextFiling[]>
  keepRowFacts(facts: RowFacts[]): Promise<void>
  /** Returns the rows of filings in which the holdings may contradict the number of shares. */
  countedRows(): Promise<CountedRow[]>
  keepSuspectShares(rows: Pick<CountedRow, 'accession' | 'sk'>[]): Promise<void>
  undatedFilings(signatures: DataSetFile | null): Promise<DatedSubmission[]>
  symbolTexts(): Promise<string[]>
  keepNames(names: ResolvedTexts): Promise<void>
  /** Joins submissions and owners to filings; rejects what can't be joined. */
  join(quarter: Quarter): Promise<void>
  counts(quarter: Quarter): Promise<DataSetCounts>
  /** Returns lines for the ledger, tab-separated: accession, form, issuer, filing time, owners, symbols, places. */
  ledgerLines(): AsyncIterable<string>
  /** Keeps these as they are; all other transactions of Forms 4 and 4/A are to be reconciled and written. */
  keepKnown(accessions: AccessionNumber[]): Promise<void>
  /** Rows of these are written as withdrawn. */
  keepWithdrawn(withdrawn: WithdrawnFilings): Promise<void>
  /** With the titles of securities in filings with several symbols; of others with an empty one. */
  issuerSymbols(): Promise<
    { issuerCik: Cik; symbols: Ticker[]; titles: string[]; filedAt: number; accession: AccessionNumber }[]
  >
  keepTickers(tickers: { issuerCik: Cik; symbols: Ticker[]; title: string; ticker: string }[]): Promise<void>
  /** Returns those of the issuers that have stored trades. */
  withTrades(issuers: Cik[]): Promise<Cik[]>
  /** Divides the issuers into parts, each small enough to be handed over. */
  slices(): Promise<Slice[]>
  relatedTrades(slice: Slice): Promise<RelatedTrades>
  /** Returns issuers of which more must be known than the related trades. */
  issuersToReconcile(slice: Slice): Promise<Cik[]>
  keepVerdicts(verdicts: { trade: CandidateTrade; verdict: CandidateVerdict }[]): Promise<void>
  write(files: DataSetFiles, version: number, advance: (rows: number) => void): Promise<void>
  /** Returns, for each of these trades, all trades of its filing, complete and as stored. */
  filingsOf(keys: Pick<TradeKey, 'issuerCik' | 'filedAt' | 'accession'>[]): Promise<Trade[]>
}

/**
 * A range of issuers by CIK, both ends inclusive, so that what is joined and handed over stays small however large the
 * data set and the store are.
 */
export interface Slice {
  from: number
  to: number
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

export type WriteRows<T> = (
  known: AccessionNumber[],
  gone: DataSetFiling[],
  withdrawn: WithdrawnFilings,
) => Promise<WrittenRows<T>>

export interface WrittenRows<T> {
  done: T
  issuersToReconcile: Cik[]
}

/** The record of loaded quarters and of their filings (PostgreSQL). */
export interface DataSetRegistry {
  /** Returns the oldest quarter first. */
  sets(): Promise<LoadedSet[]>
  begin(quarter: Quarter, sha256: string, source: string): Promise<void>
  /**
   * Sets the quarter's filings to these lines. `meanwhile` runs while they are written; it receives those that are
   * stored from their own document or another quarter, those that the quarter had before and has no longer, or
   * differently, and those that the SEC has withdrawn. `issuersToReconcile` returns with those of an interrupted load,
   * until the load is finished.
   */
  replace<T>(quarter: Quarter, lines: AsyncIterable<string>, meanwhile: WriteRows<T>): Promise<WrittenRows<T>>
  /** Marks that everything that follows from the quarter's filings is written. */
  finish(quarter: Quarter, result: unknown): Promise<void>
}
