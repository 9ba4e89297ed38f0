// The change of a holding: what the trade added to it or took from it, as a fraction of what was held before.
import type { Trade } from './trade.ts'

/** Returns the fraction to 4 places; null where what was held before is 0 or unknown. */
export function holdingChange({
  acquiredDisposed,
  shares,
  sharesAfter,
}: Pick<Trade, 'acquiredDisposed' | 'shares' | 'sharesAfter'>): number | null {
  const sign = { A: 1, D: -1 }[acquiredDisposed]
  if (sign === undefined || sharesAfter === null) return null
  const moved = Number(shares) * sign
  const before = Number(sharesAfter) - moved
  return before > 0 ? Math.floor((moved / before) * 10_000 + 0.5) / 10_000 : null
}
