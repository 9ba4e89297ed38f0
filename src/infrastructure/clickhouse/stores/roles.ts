// The roles of owners as bits, as columns of ClickHouse have them.
import type { TradeOwner } from '../../../domain/trades/trade.ts'
import type { OwnerRole } from '../../../domain/trades/transaction-filter.ts'

const OWNER_BITS = [
  ['isDirector', 1],
  ['isOfficer', 2],
  ['isTenPercentOwner', 4],
  ['isOther', 8],
] as const

const BITS: Readonly<Record<OwnerRole, number>> = {
  director: 1,
  officer: 2,
  ten_percent_owner: 4,
  other: 8,
  ceo: 16,
  cfo: 32,
}

/** Returns an owner's bits, as `trades` has them: without CEO and CFO, which belong to the filing. */
export const ownerBits = (owner: TradeOwner): number =>
  OWNER_BITS.reduce((bits, [role, bit]) => bits + (owner[role] ? bit : 0), 0)

/** Returns the bits of these roles, as the lists of transactions have them. */
export const roleBits = (roles: readonly OwnerRole[]): number => roles.reduce((bits, role) => bits | BITS[role], 0)
