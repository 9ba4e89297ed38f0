// Credible values: shares times price where neither number is marked. Sums, signals and rankings leave out all others.
import type { PriceStatus } from './price-status.ts'
import type { SharesStatus } from './shares-status.ts'

/** Statuses of prices that are left out of sums and signals. */
const MARKED_PRICES = ['suspect', 'foreign', 'other_unit'] as const satisfies PriceStatus[]

/** Returns whether a value counts in sums. */
export const isCredible = ({
  priceStatus,
  sharesStatus,
}: {
  priceStatus: PriceStatus
  sharesStatus: SharesStatus
}): boolean => sharesStatus === 'as_filed' && !(MARKED_PRICES as readonly PriceStatus[]).includes(priceStatus)
