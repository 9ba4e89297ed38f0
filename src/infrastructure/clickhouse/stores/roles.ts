// Roles of a filing's owners as bits.
import type { Trade, TradeOwner } from '../../../domain/trades/trade.ts'

const OWNER_BITS = [
  ['isDirector', 1],
  ['isOfficer', 2],
  ['isTenPercentOwner', 4],
  ['isOther', 8],
] as const

/** Bits of a role that callers filter by. */
export const ROLE_BITS = { director: 1, officer: 2, ten_percent_owner: 4, other: 8, ceo: 16, cfo: 32 } as const

export const ownerBits = (owner: TradeOwner): number =>
  OWNER_BITS.reduce((bits, [role, bit]) => bits + (owner[role] ? bit : 0), 0)

/** Returns the bits of all owners of a trade's filing. */
export const roleBits = (trade: Trade): number =>
  trade.owners.reduce((bits, owner) => bits | ownerBits(owner), (trade.ceo ? 16 : 0) + (trade.cfo ? 32 : 0))
