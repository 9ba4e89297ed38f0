// Requests to the queries that sum open-market trades.
import type { NamedCompany } from '../../../domain/filings/ticker-symbol.ts'
import type { Sector } from '../../../domain/filings/sector.ts'
import type { Interval } from '../../../domain/shared/interval.ts'
import type { DateText, DecimalText } from '../../../domain/shared/identifiers.ts'
import type { TransactionFilter } from '../../../domain/trades/transaction-filter.ts'
import type { AsOf } from '../transaction-requests.ts'

/** The day that puts a trade into a period: of its filing, in New York, or of the trade. */
export type TradeTime = 'filed' | 'traded'

/** A request for the sums of a company, of a sector, or of all companies. */
export interface SentimentRequest extends Pick<TransactionFilter, 'plans' | 'routine' | 'roles'>, AsOf {
  company?: NamedCompany
  sector?: Sector
  interval: Interval
  by: TradeTime
  /** First days of consecutive intervals, oldest first; at least one. */
  starts: readonly DateText[]
  /** The instant, in milliseconds since 1970, from which the same parameters mean other intervals. */
  until?: number
}

export const MEASURES = ['buyValue', 'sellValue', 'netValue', 'buyers', 'sellers', 'buys', 'sells'] as const
export type Measure = (typeof MEASURES)[number]

export interface RankingsRequest extends Pick<TransactionFilter, 'plans' | 'routine' | 'roles'>, AsOf {
  of: 'companies' | 'insiders'
  by: Measure
  /** Days in New York by `filingDate`, the last of which is `to`. */
  days: number
  /** By default today, or the day of `asOf`. */
  to?: DateText
  sectors?: Sector[]
  /** Least sum, in dollars. */
  minValue?: DecimalText
  limit: number
}
