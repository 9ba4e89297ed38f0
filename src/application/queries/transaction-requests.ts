// Requests to the queries of the feed and of signals, and their results.
import type { NamedCompany } from '../../domain/filings/ticker-symbol.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import type { SignalType } from '../../domain/signals/signal.ts'
import type { JsonText } from './json-text.ts'

export type FeedFilter = 'buys' | 'sells' | 'high' | 'ceo_cfo'

/** Conditions on transactions, all of which have to be met. Lists are sorted, with each element once. */
export interface RowFilter extends TransactionFilter {
  filter?: FeedFilter
  companies?: NamedCompany[]
  /** Insiders whose profiles count the transaction. */
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
 * A request as of an instant gets the answer from exactly the filings that were accepted by then, to the second, with
 * today's list of companies, sectors and rules. Filings whose day is only estimated are left out.
 */
export interface AsOf {
  /** In seconds since 1970, not in the future. */
  asOf?: number
}

export interface FeedRequest extends RowFilter, AsOf {
  /**
   * `value`: highest `totalValue` first, without suspect and foreign prices. `holdingChange`: the largest change first,
   * up or down, without suspect numbers of shares.
   */
  sort?: 'newest' | 'value' | 'holdingChange'
  cursor?: string
  limit: number
  detail?: boolean
}

/** A request for all transactions that pass the filter, newest first. */
export interface FeedExportRequest extends RowFilter, AsOf {
  detail?: boolean
}

/** Transactions that are read chunk by chunk, and the requested symbols that lead to no company. */
export interface TransactionStream {
  /** Returns the next transactions as JSON texts, none at the end. Each comes once, whatever changes meanwhile. */
  next: () => Promise<string[]>
  unknown: string[]
}

export interface SignalsRequest extends AsOf {
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

/** A page, and the requested symbols that lead to no company. */
export interface PageResult<Page> {
  page: JsonText<Page>
  unknown: string[]
}
