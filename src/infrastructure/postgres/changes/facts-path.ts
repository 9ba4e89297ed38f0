// Writes a filter of changes as an SQL/JSON path with variables, for the `facts` of the log's entries.
// application/changes/change-facts.ts decides the same in TypeScript; a test holds both equal.
import type { ChangeFilter } from '../../../application/queries/change-queries.ts'
import { significancesFrom, type Bounds } from '../../../domain/trades/transaction-filter.ts'

/** Returns the path and its variables as JSON; null if there is no condition. */
export function factsPath({
  insiders,
  transactions = {},
  minSeverity,
}: ChangeFilter): [path: string, vars: string] | null {
  const { types, codes, roles, ownership, plans, routine, minSignificance, value, shares } = transactions
  const { late, firstBuyYears, holdingChange } = transactions
  // SQL/JSON compares lists by their elements: one equal pair is enough.
  const rows: [condition: string, variables: Record<string, unknown>][] = [
    ['@.insiders[*] == $insiders[*]', { insiders }],
    ['@.type == $types[*]', { types }],
    ['@.code == $codes[*]', { codes }],
    ['@.roles[*] == $roles[*]', { roles }],
    ['@.ownership == $ownership', { ownership }],
    ['@.plan == $plans[*]', { plans }],
    ['@.routine == $routine', { routine }],
    ['@.late == $late', { late }],
    ['@.firstBuyYears >= $firstBuyYears', { firstBuyYears }],
    ['@.significance == $significances[*]', { significances: minSignificance && significancesFrom(minSignificance) }],
    ['@.credible == true && @.totalValue.number() >= $minValue.number()', { minValue: value?.min }],
    ['@.credible == true && @.totalValue.number() <= $maxValue.number()', { maxValue: value?.max }],
    ['@.shares.number() >= $minShares.number()', { minShares: shares?.min }],
    ['@.shares.number() <= $maxShares.number()', { maxShares: shares?.max }],
    [leastChange(holdingChange), { minHoldingChange: holdingChange?.min }],
    ['@.holdingChange <= $maxHoldingChange', { maxHoldingChange: holdingChange?.max }],
  ]
  const signals: typeof rows = [
    ['@.persons[*] == $insiders[*]', { insiders }],
    ['@.severity == $severities[*]', { severities: minSeverity && significancesFrom(minSeverity) }],
  ]
  const isSet = ([, variables]: (typeof rows)[number]) => Object.values(variables)[0] !== undefined
  const [rowConditions, signalConditions] = [rows.filter(isSet), signals.filter(isSet)]
  const all = [...rowConditions, ...signalConditions]
  if (all.length === 0) return null
  const joined = (conditions: typeof rows) => conditions.map(([condition]) => `(${condition})`).join(' && ')
  const row = rowConditions.length === 0 ? 'exists(@.rows)' : `exists(@.rows[*] ? (${joined(rowConditions)}))`
  const signal = `exists(@.severity)${signalConditions.length === 0 ? '' : ` && ${joined(signalConditions)}`}`
  const variables = Object.assign({}, ...all.map(([, values]) => values)) as object
  return [`$ ? (${row} || (${signal}))`, JSON.stringify(variables)]
}

/** A new holding is above every least change. */
const leastChange = (bounds: Bounds<number> = {}): string =>
  bounds.max === undefined
    ? '@.holdingChange >= $minHoldingChange || @.newHolding == true'
    : '@.holdingChange >= $minHoldingChange'
