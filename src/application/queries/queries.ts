// The queries on filings, companies, insiders and signals. `detail` adds to each Transaction what the contract leaves
// out by default. Rows have the contract's names already, most of them as JSON text: nothing maps them on the way out.
// `asOf` asks for the answer of an earlier instant.
import type { components } from '../../contract.ts'
import type {
  AsOf,
  FeedExportRequest,
  FeedRequest,
  PageResult,
  TransactionStream,
  SignalsRequest,
} from './transaction-requests.ts'
import type { RankingsRequest, SentimentRequest } from './aggregates/aggregate-requests.ts'
import type { FilingsRequest } from './filings/filing-analytics.ts'
import type { FilingDetail } from './filings/filing-answer.ts'
import type { NamedCompany } from '../../domain/filings/ticker-symbol.ts'
import type { SectorOf } from '../../domain/filings/sector.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { JsonText } from './json-text.ts'
import type { NoticeQueries } from './notices.ts'
import type { RuleReturns } from '../ports/prices.ts'

type Schemas = components['schemas']
export type SearchKind = Schemas['SearchResult']['kind']

/** A signal with its evidence; `rules` is the version of the rules that made it. */
export type SignalResult = Omit<Schemas['SignalDetail'], 'rule'> & { rules: string }

export interface Queries extends NoticeQueries {
  /**
   * Returns listed transactions, newest first or by value. Throws `invalid_cursor` for a cursor that is damaged or made
   * for another query or filter, and `unknown_ticker` if companies are asked for and no symbol leads to one.
   */
  feed(request: FeedRequest): Promise<PageResult<Schemas['FeedPage']>>
  /** Returns all listed transactions that pass a filter, newest first, in chunks. Throws `unknown_ticker` as above. */
  feedExport(request: FeedExportRequest): Promise<TransactionStream>
  /**
   * Returns null if the symbol leads to no issuer with a filing here or a place in the SEC's list. `ticker` in any case
   * and separator.
   */
  company(ticker: string, detail?: boolean, asOf?: AsOf['asOf']): Promise<JsonText<Schemas['CompanyProfile']> | null>
  /** Returns each of these companies, in the order given, and of those that lead to none what they were named by. */
  companies(named: readonly NamedCompany[], asOf?: AsOf['asOf']): Promise<Schemas['CompanySummaries']>
  /** Returns the issuers of these companies, and the symbols that lead to none. Throws `unknown_ticker` if all do. */
  issuers(companies: NamedCompany[]): Promise<{ issuers: Cik[]; unknown: Ticker[] }>
  /** Returns the sectors of these issuers, or of all, as a company's profile says them at this moment. */
  sectors(issuers?: readonly Cik[]): Promise<SectorOf>
  /** Returns companies and insiders, the best ones first. `q` has a letter or digit, `limit` is 20 at most. */
  search(request: {
    q: string
    kinds?: readonly SearchKind[]
    limit: number
  }): Promise<JsonText<Schemas['SearchResults']>>
  /** Returns null if no stored filing has an owner with this CIK of 1 to 10 digits. */
  insider(cik: string, detail?: boolean, asOf?: AsOf['asOf']): Promise<JsonText<Schemas['InsiderProfile']> | null>
  /** Returns what the insider holds, by company; null if no stored filing has an owner with this CIK. */
  positions(cik: string, asOf?: AsOf['asOf']): Promise<JsonText<Schemas['InsiderPositions']> | null>
  /** Returns `limit` holders of each class; null if the symbol or CIK leads to no issuer with a filing here. */
  holders(ticker: string, limit: number, asOf?: AsOf['asOf']): Promise<JsonText<Schemas['CompanyHolders']> | null>
  /** Returns the newest `detectedAt` first, then by id. Throws as the feed does. */
  signals(request: SignalsRequest): Promise<PageResult<Schemas['SignalPage']>>
  /** Returns a signal, also one that has ended. Null if no signal has this id. */
  signal(id: string, detail?: boolean): Promise<SignalResult | null>
  /** Returns the averages of the returns after signals, by rule. Null where the operator brought no prices. */
  ruleReturns(): Promise<RuleReturns | null>
  /** Returns the 24 hours up to now; an entry exactly 24 hours old is excluded. */
  feedStats(): Promise<JsonText<Schemas['FeedStatistics']>>
  /** Returns open-market trades by interval. Throws `unknown_ticker` if a company is asked for that is not known. */
  sentiment(request: SentimentRequest): Promise<Schemas['Sentiment']>
  /** Returns companies or insiders by their open-market trades of some days, by default the last ones up to now. */
  rankings(request: RankingsRequest): Promise<Schemas['Rankings']>
  /** Returns null if no filing is stored under this accession number, dashed or as 18 digits. */
  filing(accession: string): Promise<FilingDetail | null>
  /** Returns a page of filings of any form, newest first, and the symbols asked for that lead to no company. */
  filings(request: FilingsRequest): Promise<PageResult<Schemas['FilingPage']>>
}

/** The questions that the analytics store answers alone. */
export type AnalyticsQueries = Omit<Queries, 'filing' | 'filings'>
