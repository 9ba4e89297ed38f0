// The roles of owners as bits, as columns of ClickHouse have them.
import type { OwnerRole } from '../../../domain/trades/transaction-filter.ts'

const BITS: Readonly<Record<OwnerRole, number>> = {
  director: 1,
  officer: 2,
  ten_percent_owner: 4,
  other: 8,
  ceo: 16,
  cfo: 32,
}

/** Returns the bits of these roles, as the lists of transactions have them. */
export const roleBits = (roles: readonly OwnerRole[]): number => roles.reduce((bits, role) => bits | BITS[role], 0)
