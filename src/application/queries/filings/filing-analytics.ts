// The part that the analytics store has in the questions about filings, and what is asked of it.
import type { FormType } from '../../../domain/filings/filing.ts'
import type { NamedCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { AccessionNumber, Cik, Ticker } from '../../../domain/shared/identifiers.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { DataDependencies } from '../../changes/data-dependencies.ts'
import type { DataSetFiling } from '../../ports/data-sets.ts'
import type { TimeSpan } from '../transaction-requests.ts'
import type { FilingDecisions, FilingDetails, FilingNames } from './filing-answer.ts'

/** What identifies a filing in the analytics store. */
export interface KnownFiling {
  accession: AccessionNumber
  issuerCik: Cik
  filedAt: number
  form: string
}

/** The part of the answer that the analytics store gives. */
export interface FilingAnalytics {
  /** Returns of its transactions those that are listed, which nearly always are all. */
  decisions(filing: KnownFiling): Promise<FilingDecisions>
  /** Returns all of its transactions. */
  trades(filing: KnownFiling): Promise<Trade[]>
  /** Returns what the data set says of the filing; null where only its transactions are stored. */
  details(filing: DataSetFiling): Promise<FilingDetails | null>
  names(filing: KnownFiling & { ownerCiks: Cik[] }): Promise<FilingNames>
  /**
   * Returns a page, newest first. Throws `invalid_cursor` for a cursor that is damaged or made for another query or
   * filter, and `unknown_ticker` if symbols are asked for and none leads to a company.
   */
  filings(ask: FilingsRequest): Promise<FilingsPage>
}

/** What is asked of the list: lists are sorted, each element once. */
export interface FilingsRequest {
  companies?: NamedCompany[]
  insiderCiks?: Cik[]
  forms?: FormType[]
  filed?: TimeSpan
  cursor?: string
  limit: number
}

export interface FilingSummary {
  accession: AccessionNumber
  form: FormType
  filedAt: number
  issuerCik: Cik
  ticker: string
  companyName: string
  owners: { cik: Cik; name: string }[]
  /** Of Table I of a Form 4 or 4/A. */
  transactions: number
  /** What the filing time is based on; null where no transaction says. */
  basis: string | null
}

export interface FilingsPage {
  filings: FilingSummary[]
  /** Present if more follow. */
  nextCursor?: string
  /** Symbols asked for that lead to no company. */
  unknown: Ticker[]
  dependencies: DataDependencies
}
