// How much a transaction matters: the highest severity among its signals, and two floors for trades big enough to be
// seen without any signal.
import { compare, parseDecimal } from './decimal.ts'
import type { DecimalText } from './filing.ts'
import type { PriceStatus } from './price-status.ts'
import type { TransactionType } from './transaction-codes.ts'

/** From least to most. The same words grade signals and transactions. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Whole US dollars, met at equality; part of the rules that an operator may set. */
export interface SignificanceFloors {
  /** A buy by an officer or director is at least `high`. */
  highBuy: number
  /** An open-market trade is at least `medium`. */
  mediumTrade: number
}

export const SIGNIFICANCE_FLOORS: SignificanceFloors = { highBuy: 1_000_000, mediumTrade: 100_000 }

export interface Weighed {
  type: TransactionType
  priceStatus: PriceStatus
  /** Shares times price, US dollars. */
  totalValue: DecimalText
  /** An owner of the filing is an officer or director. */
  byOfficerOrDirector: boolean
  /** The owner is the issuer itself: buy-backs are no insider trades. */
  byIssuer: boolean
  /** Severities of the signals it is part of. */
  signals: readonly Severity[]
}

/** `low` for a suspect or foreign price, whatever it would come to. */
export function significanceOf(trade: Weighed, floors: SignificanceFloors = SIGNIFICANCE_FLOORS): Severity {
  if (trade.priceStatus === 'suspect' || trade.priceStatus === 'foreign') return 'low'
  return highest([...trade.signals, floorOf(trade, floors)])
}

/** Negative, zero or positive, by weight. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b)
}

/** `low` for none. */
export function highest(severities: readonly Severity[]): Severity {
  return severities.reduce<Severity>((most, next) => (compareSeverity(next, most) > 0 ? next : most), 'low')
}

function floorOf(trade: Weighed, floors: SignificanceFloors): Severity {
  const market = (trade.type === 'buy' || trade.type === 'sell') && trade.priceStatus === 'as_filed' && !trade.byIssuer
  if (!market) return 'low'
  if (trade.type === 'buy' && trade.byOfficerOrDirector && reaches(trade.totalValue, floors.highBuy)) return 'high'
  return reaches(trade.totalValue, floors.mediumTrade) ? 'medium' : 'low'
}

function reaches(value: DecimalText, floor: number): boolean {
  const amount = parseDecimal(value)
  return amount !== null && compare(amount, { units: BigInt(floor), scale: 0 }) >= 0
}
