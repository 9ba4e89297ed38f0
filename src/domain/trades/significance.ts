// Significance of a transaction: the significance of its size, or the highest severity among its signals, which raises
// it by two steps at most. Size is the sum of a filing's open-market trades in one direction: a sale is often reported
// as dozens of rows, one for each price.
import type { SignalTrade } from '../signals/signal.ts'
import { isCredible } from './credible-value.ts'
import type { SignalMarks } from './trade.ts'

/** From least to most. The same words grade signals and transactions. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/**
 * Whole US dollars, met at equality; part of the rules that an operator may set. They hold for officers and directors;
 * owners of more than 10 % who are neither are graded one step lower.
 */
export interface SignificanceFloors {
  buyMedium: number
  buyHigh: number
  buyCritical: number
  sellMedium: number
  sellHigh: number
}

export const SIGNIFICANCE_FLOORS: SignificanceFloors = {
  buyMedium: 50_000,
  buyHigh: 500_000,
  buyCritical: 5_000_000,
  sellMedium: 1_000_000,
  sellHigh: 10_000_000,
}

/** Steps of each direction, the highest first. */
const SIGNIFICANCE_STEPS = {
  buy: [
    ['buyCritical', 'critical'],
    ['buyHigh', 'high'],
    ['buyMedium', 'medium'],
  ],
  sell: [
    ['sellHigh', 'high'],
    ['sellMedium', 'medium'],
  ],
} as const satisfies Record<'buy' | 'sell', readonly (readonly [keyof SignificanceFloors, Severity])[]>

/** The group of the reporting owners, by the one that weighs most. */
export type Standing = 'officer_or_director' | 'ten_percent_owner' | 'other'

/** The facts of a transaction by which it is graded; the direction is null of all but purchases and sales. */
export type Weighed = Pick<
  SignalTrade,
  | 'accession'
  | 'direction'
  | 'priceStatus'
  | 'sharesStatus'
  | 'valueCents'
  | 'byIssuer'
  | 'standing'
  | 'plan'
  | 'duplicateOf'
  | 'supersededBy'
> &
  Pick<SignalMarks, 'routine' | 'signalled'>

/** Returns the significance of trades in their order; these must be all trades of their filings. */
export function significances(
  trades: readonly Weighed[],
  floors: SignificanceFloors = SIGNIFICANCE_FLOORS,
): Severity[] {
  const sums = new Map<string, number>()
  for (const trade of trades)
    if (isCounted(trade)) sums.set(keyOf(trade), (sums.get(keyOf(trade)) ?? 0) + trade.valueCents)
  return trades.map((trade) => {
    if (!isCredible(trade)) return 'low'
    const graded = isCounted(trade) && trade.plan !== 'yes' && !trade.routine
    const own = graded ? bySize(trade, sums.get(keyOf(trade))!, floors) : 'low'
    return raised(own, trade.signalled)
  })
}

/** Compares by weight: negative, zero or positive. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b)
}

/** Returns `low` for none. */
export function highest(severities: readonly Severity[]): Severity {
  return severities.reduce<Severity>((most, next) => (compareSeverity(next, most) > 0 ? next : most), 'low')
}

/** Groups by filing: all reporting owners of one are one person. */
const keyOf = ({ accession, direction }: Weighed): string => `${accession} ${direction}`

/** Checks for a listed open-market trade, not a buy-back. A price as filed is above 0. */
function isCounted({ direction, duplicateOf, supersededBy, priceStatus, sharesStatus, byIssuer }: Weighed): boolean {
  const isClean = priceStatus === 'as_filed' && sharesStatus === 'as_filed'
  return direction !== null && duplicateOf === '' && supersededBy === '' && isClean && !byIssuer
}

/** Without a limit a purchase of $13,000 in a critical cluster would stand beside one of $25 million. */
const MOST_STEPS_RAISED = 2

function raised(own: Severity, signalled: Severity): Severity {
  const most = SEVERITIES.indexOf(own) + MOST_STEPS_RAISED
  return highest([own, SEVERITIES[Math.min(SEVERITIES.indexOf(signalled), most)]!])
}

function bySize({ direction, standing }: Weighed, cents: number, floors: SignificanceFloors): Severity {
  if (standing === 'other') return 'low'
  const steps = SIGNIFICANCE_STEPS[direction!]
  const severity = steps.find(([floor]) => cents >= floors[floor] * 100)?.[1] ?? 'low'
  return standing === 'officer_or_director' ? severity : oneLower(severity)
}

function oneLower(severity: Severity): Severity {
  return SEVERITIES[Math.max(0, SEVERITIES.indexOf(severity) - 1)]!
}
