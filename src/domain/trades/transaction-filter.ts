// The filter of transactions, and the decision whether a transaction passes it. The stores decide the same in SQL; tests
// hold both equal.
import type { Plan } from '../filings/trading-plan/trading-plan.ts'
import { compare, parseDecimal, type Decimal } from '../shared/decimal.ts'
import type { DateText, DecimalText } from '../shared/identifiers.ts'
import { oncePerObject } from '../shared/once-per-object.ts'
import { isCredible } from './credible-value.ts'
import { holdingChange, holdingChangeKind } from './holding-change.ts'
import { SEVERITIES, type Severity } from './significance.ts'
import type { Trade } from './trade.ts'
import type { TransactionType } from './transaction-codes.ts'

/** Roles that an owner of a filing may have. */
export const OWNER_ROLES = ['officer', 'director', 'ten_percent_owner', 'other', 'ceo', 'cfo'] as const
export type OwnerRole = (typeof OWNER_ROLES)[number]

export const OWNERSHIPS = ['direct', 'indirect', 'unknown'] as const
export type Ownership = (typeof OWNERSHIPS)[number]

export const PLANS = ['yes', 'no', 'unknown'] as const satisfies Plan['plan'][]

/** Conditions that all have to be met; of a list one element. */
export interface TransactionFilter {
  types?: readonly TransactionType[]
  /** The SEC's codes; '' for none. */
  codes?: readonly string[]
  /** An owner of the filing has one of them. */
  roles?: readonly OwnerRole[]
  ownership?: Ownership
  plans?: readonly Plan['plan'][]
  routine?: boolean
  late?: boolean
  /** A purchase that is the first in at least so many years. */
  firstBuyYears?: number
  minSignificance?: Severity
  /** In dollars, inclusive; leaves out values that are not credible. */
  value?: Bounds<DecimalText>
  shares?: Bounds<DecimalText>
  /**
   * Fractions with up to 4 places, inclusive; leaves out numbers of shares that are not credible. A new holding is
   * above every least one, and within no greatest one.
   */
  holdingChange?: Bounds<number>
  /** Days, inclusive; leaves out impossible and doubtful ones. */
  traded?: Bounds<DateText>
}

export interface Bounds<T> {
  min?: T
  max?: T
}

/** The facts of a transaction by which it is filtered. */
export interface FilterFacts {
  type: TransactionType
  code: string
  roles: OwnerRole[]
  ownership: Ownership
  plan: Plan['plan']
  routine: boolean
  late: boolean | null
  firstBuyYears: number | null
  significance: Severity
  /** The value counts in sums: see `isCredible`. */
  credible: boolean
  totalValue: DecimalText
  shares: DecimalText
  /** Null where it is unknown, or the number of shares is not credible. */
  holdingChange: number | null
  /** Nothing was held before. */
  newHolding: boolean
  /** Null where it is not plausible. */
  tradeDay: DateText | null
}

const OWNERSHIP_CODES: Readonly<Record<string, Ownership>> = { D: 'direct', I: 'indirect' }

/** Returns `direct` or `indirect` from `directOrIndirectOwnership`. */
export const ownershipOf = ({ directIndirect }: Pick<Trade, 'directIndirect'>): Ownership =>
  OWNERSHIP_CODES[directIndirect] ?? 'unknown'

export function filterFacts(trade: Trade): FilterFacts {
  const { owners } = trade
  const has: Record<OwnerRole, boolean> = {
    officer: owners.some(({ isOfficer }) => isOfficer),
    director: owners.some(({ isDirector }) => isDirector),
    ten_percent_owner: owners.some(({ isTenPercentOwner }) => isTenPercentOwner),
    other: owners.some(({ isOther }) => isOther),
    ceo: trade.ceo,
    cfo: trade.cfo,
  }
  return {
    type: trade.type,
    code: trade.code,
    roles: OWNER_ROLES.filter((role) => has[role]),
    ownership: ownershipOf(trade),
    plan: trade.plan,
    routine: trade.routine,
    late: trade.late,
    firstBuyYears: trade.firstBuyYears,
    significance: trade.significance,
    credible: isCredible(trade),
    totalValue: trade.totalValue,
    shares: trade.shares,
    holdingChange: trade.sharesStatus === 'suspect' ? null : holdingChange(trade),
    newHolding: holdingChangeKind(trade) === 'new',
    tradeDay: trade.tradeDay,
  }
}

/** Returns whether a transaction meets all conditions. */
export function passes(filter: TransactionFilter, facts: FilterFacts): boolean {
  const { types, codes, roles, ownership, plans, routine, minSignificance, value, shares, traded } = filter
  const { late, firstBuyYears, holdingChange: change } = filter
  const { tradeDay } = facts
  return (
    (!types || types.includes(facts.type)) &&
    (!codes || codes.includes(facts.code)) &&
    (!roles || roles.some((role) => facts.roles.includes(role))) &&
    (!ownership || ownership === facts.ownership) &&
    (!plans || plans.includes(facts.plan)) &&
    (routine === undefined || routine === facts.routine) &&
    (late === undefined || late === facts.late) &&
    (firstBuyYears === undefined || (facts.firstBuyYears !== null && facts.firstBuyYears >= firstBuyYears)) &&
    (!minSignificance || significancesFrom(minSignificance).includes(facts.significance)) &&
    (!value || (facts.credible && isBetween(amountsOf(facts).value, value))) &&
    (!shares || isBetween(amountsOf(facts).shares, shares)) &&
    (!change || isWithin(facts.holdingChange, change) || (facts.newHolding && change.max === undefined)) &&
    (!traded || (tradeDay !== null && (traded.min ?? '') <= tradeDay && tradeDay <= (traded.max ?? '9999')))
  )
}

/** Returns the severities from this one up. */
export const significancesFrom = (least: Severity): readonly Severity[] => SEVERITIES.slice(SEVERITIES.indexOf(least))

const isWithin = (number: number | null, { min = -Infinity, max = Infinity }: Bounds<number>): boolean =>
  number !== null && min <= number && number <= max

// A transaction is compared with the filters of thousands of rules, and a filter with many transactions.
const amountsOf = oncePerObject(({ totalValue, shares }: FilterFacts) => ({
  value: parseDecimal(totalValue)!,
  shares: parseDecimal(shares)!,
}))
const limitsOf = oncePerObject(({ min, max }: Bounds<DecimalText>) => ({
  min: min === undefined ? null : parseDecimal(min),
  max: max === undefined ? null : parseDecimal(max),
}))

function isBetween(amount: Decimal, bounds: Bounds<DecimalText>): boolean {
  const { min, max } = limitsOf(bounds)
  return (min === null || compare(amount, min) >= 0) && (max === null || compare(amount, max) <= 0)
}
