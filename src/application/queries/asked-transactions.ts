// What can be asked of the feed and of signals, and what comes back.
import type { NamedCompany } from '../../domain/filings/ticker-symbol.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import type { SignalType } from '../../domain/signals/signal.ts'
import type { JsonText } from './json-text.ts'

export type FeedFilter = 'buys' | 'sells' | 'high' | 'ceo_cfo'

/** Which transactions. Lists are sorted, each element once; everything is optional and has to be met together. */
export interface RowFilter extends TransactionFilter {
  filter?: FeedFilter
  companies?: NamedCompany[]
  /** Those whose profiles count the transaction. */
  insiderCiks?: Cik[]
  /** The company's present sector. */
  sectors?: Sector[]
  filed?: TimeSpan
}

/** Times in seconds since 1970: from `from` on, and before `before`. */
export interface TimeSpan {
  from?: number
  before?: number
}

/**
 * As of an instant: the answer that would be given if exactly the filings accepted by then, to the second, were here,
 * with today's list of companies, sectors and rules. Filings whose day is only estimated are left out.
 */
export interface AsOf {
  /** In seconds since 1970, not in the future. */
  asOf?: number
}

export interface FeedAsked extends RowFilter, AsOf {
  /**
   * `value`: highest `totalValue` first, without suspect and foreign prices. `holdingChange`: the largest change first,
   * up or down, without suspect numbers of shares.
   */
  sort?: 'newest' | 'value' | 'holdingChange'
  cursor?: string
  limit: number
  detail?: boolean
}

/** All that pass the filter, newest first. */
export interface ExportAsked extends RowFilter, AsOf {
  detail?: boolean
}

/** Transactions read chunk by chunk, and the symbols asked for that lead to no company. */
export interface FoundTransactions {
  /** Returns the next transactions as JSON texts, none at the end. Each comes once, whatever changes meanwhile. */
  next: () => Promise<string[]>
  unknown: string[]
}

export interface SignalsAsked extends AsOf {
  type?: SignalType
  severity?: Severity
  minSeverity?: Severity
  companies?: NamedCompany[]
  /** Owners of filings whose transactions count. */
  insiderCiks?: Cik[]
  /** The company's present sector. */
  sectors?: Sector[]
  detected?: TimeSpan
  cursor?: string
  limit: number
}

/** A page, and the symbols asked for that lead to no company. */
export interface FoundPage<Page> {
  page: JsonText<Page>
  unknown: string[]
}
