// The change of a holding: what the trade added to it or took from it, as a fraction of what was held before. Both are
// of the row's own line, by the balance that the filing gives after it.
import type { Trade } from './trade.ts'

/**
 * `new`: nothing was held before; `closed`: nothing is left; `changed`: something was held before and is left;
 * `unknown`: the filing gives no balance, or one that does not go with the number of shares.
 */
type HoldingChangeKind = 'changed' | 'new' | 'closed' | 'unknown'

type Row = Pick<Trade, 'acquiredDisposed' | 'shares' | 'sharesAfter'>

/** Returns the fraction to 4 places; null where what was held before is 0 or unknown. */
export function holdingChange(row: Row): number | null {
  const { moved, before } = holdingOf(row) ?? NOTHING
  return before > 0 ? Math.floor((moved / before) * 10_000 + 0.5) / 10_000 : null
}

/** Returns the kind of change; `unknown` also for a suspect number of shares. The stores decide the same in SQL. */
export function holdingChangeKind(row: Row & Pick<Trade, 'sharesStatus'>): HoldingChangeKind {
  const { before, after } = holdingOf(row) ?? NOTHING
  if (row.sharesStatus === 'suspect' || before < 0) return 'unknown'
  if (before > 0) return after === 0 ? 'closed' : 'changed'
  return after > 0 ? 'new' : 'unknown'
}

const NOTHING = { moved: 0, before: 0, after: 0 }

/** Returns null where the filing does not say what is held after the trade, or which way the shares went. */
function holdingOf({ acquiredDisposed, shares, sharesAfter }: Row): typeof NOTHING | null {
  const sign = { A: 1, D: -1 }[acquiredDisposed]
  if (sign === undefined || sharesAfter === null) return null
  const moved = Number(shares) * sign
  const after = Number(sharesAfter)
  return { moved, before: after - moved, after }
}
