// A Form 3, 4 or 5 as filed: what the ownershipDocument and its SGML header say, nothing inferred.
// Numbers stay the decimal text that was filed; null means absent, which is not zero.
import type { AccessionNumber, Cik, DateText, DecimalText } from '../shared/identifiers.ts'

export type FormType = '3' | '3/A' | '4' | '4/A' | '5' | '5/A'

/**
 * `submission`: the full .txt with SGML header; `dissemination`: a PDS .nc file (header without acceptance time);
 * `correction`: the SEC's correction of one, a PDS .corr file; `bare`: the ownership XML alone.
 */
export type DocumentKind = 'submission' | 'dissemination' | 'correction' | 'bare'

export interface Filing {
  /**
   * From the header, else from the file's or folder's name, else `local-<first 16 hex digits of the SHA-256 of it>`.
   */
  accession: AccessionNumber
  kind: DocumentKind
  formType: FormType
  /** `X0101` to `X0609`; null in some documents of 2003. */
  schemaVersion: string | null
  /** periodOfReport; null in X0101. */
  periodOfReport: DateText | null
  periodRaw: string | null
  /** Amendments only: the day the original was filed. */
  dateOfOriginalSubmission: DateText | null
  noSecuritiesOwned: boolean | null
  notSubjectToSection16: boolean | null
  /** The Rule 10b5-1 box, on forms since April 2023; null is unknown, not false. */
  aff10b5One: boolean | null
  issuer: Issuer
  /** In document order, which means nothing: there is no primary owner. */
  owners: ReportingOwner[]
  /** Table I in document order, transactions and holdings mixed. */
  nonDerivative: NonDerivativeRow[]
  /** Table II in document order. */
  derivative: DerivativeRow[]
  footnotes: Footnote[]
  remarks: string | null
  signatures: Signature[]
  /** The XML could be read only after a known fault of old documents was undone. */
  repaired: boolean
  /** Null for a bare document. */
  header: SubmissionHeader | null
}

export interface Issuer {
  cik: Cik
  name: string
  /** issuerTradingSymbol exactly as typed. */
  tickerRaw: string
  /** issuerForeignTradingSymbol, since X0609. */
  foreignTickerRaw: string | null
}

export interface ReportingOwner {
  cik: Cik
  name: string
  /** The four boxes; null where the element is absent or unreadable, to be taken as false. */
  isDirector: boolean | null
  isOfficer: boolean | null
  isTenPercentOwner: boolean | null
  isOther: boolean | null
  officerTitle: string | null
  otherText: string | null
}

export interface Footnote {
  /** `F1` to `F99`. */
  id: string
  text: string
}

export interface Signature {
  name: string
  date: DateText | null
}

/**
 * A cell of a row, where a footnote can be attached. A footnote on a group belongs to the group's first cell, one on
 * the row itself to `row`.
 */
export type Cell =
  | 'row'
  | 'securityTitle'
  | 'conversionPrice'
  | 'tradeDate'
  | 'deemedExecutionDate'
  | 'transactionFormType'
  | 'transactionCode'
  | 'equitySwap'
  | 'timeliness'
  | 'shares'
  | 'pricePerShare'
  | 'totalValue'
  | 'acquiredDisposed'
  | 'exerciseDate'
  | 'expirationDate'
  | 'underlyingTitle'
  | 'underlyingShares'
  | 'underlyingValue'
  | 'sharesOwnedAfter'
  | 'valueOwnedAfter'
  | 'ownership'
  | 'natureOfOwnership'

interface RowCommon {
  kind: 'transaction' | 'holding'
  securityTitle: string
  /** transactionDate; null for holdings. */
  date: DateText | null
  dateRaw: string | null
  deemedExecutionDate: DateText | null
  /** transactionFormType: `4`, or `5` for an exempt or deferred row riding in a Form 4, and so on. */
  formType: string | null
  /** transactionCode: P, S, A, M, ... */
  code: string | null
  equitySwap: boolean | null
  /** `E` early, `L` late, null on time. */
  timeliness: string | null
  shares: DecimalText | null
  /** transactionPricePerShare; null where there is only a footnote or nothing. */
  price: DecimalText | null
  /** transactionAcquiredDisposedCode. */
  acquiredDisposed: 'A' | 'D' | null
  sharesAfter: DecimalText | null
  valueAfter: DecimalText | null
  directIndirect: 'D' | 'I' | null
  nature: string | null
  /** Footnote ids by the element they are attached to; `all` has each id of the row once, by number. */
  footnotes: { all: string[]; coding: string[]; price: string[]; nature: string[] }
  /** Footnote ids by cell, each once, in document order; cells without footnotes are absent. */
  cells: Partial<Record<Cell, string[]>>
}

/** A row of Table I. */
export interface NonDerivativeRow extends RowCommon {
  table: 'nonDerivative'
}

/** A row of Table II. Its price is that of the instrument: never multiply it into a value. */
export interface DerivativeRow extends RowCommon {
  table: 'derivative'
  totalValue: DecimalText | null
  conversionPrice: DecimalText | null
  exerciseDate: DateText | null
  expirationDate: DateText | null
  underlyingTitle: string | null
  underlyingShares: DecimalText | null
  underlyingValue: DecimalText | null
  derivativeFootnotes: { conversionPrice: string[]; exerciseDate: string[]; expirationDate: string[] }
}

/** What the SGML header adds to the XML. */
export interface SubmissionHeader {
  /** ACCEPTANCE-DATETIME, `YYYYMMDDHHMMSS` on the New York clock; null in .nc files and some old ones. */
  acceptedAt: string | null
  /** FILED AS OF DATE, `YYYYMMDD`. */
  filedAsOf: string | null
  /** PUBLIC DOCUMENT COUNT. */
  documentCount: number | null
  /**
   * STANDARD INDUSTRIAL CLASSIFICATION of the ISSUER block, as written: `STATE COMMERCIAL BANKS [6022]`; `6022` in .nc
   * files.
   */
  sic: string | null
  /** ORGANIZATION NAME of the ISSUER block, since 2024: `06 Technology`. */
  office: string | null
}
