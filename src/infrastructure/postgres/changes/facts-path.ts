// The conditions on the facts of changes as a path of SQL/JSON with its variables. What a change must be to pass is
// stated in application/changes/change-facts.ts; a test holds both equal.
import type { ChangeFilter } from '../../../application/queries/change-queries.ts'
import { significancesFrom } from '../../../domain/trades/transaction-filter.ts'

/** Returns the path and its variables as JSON; null where there is no condition. */
export function factsPath({
  insiders,
  transactions = {},
  minSeverity,
}: ChangeFilter): [path: string, vars: string] | null {
  const { types, codes, roles, ownership, plans, routine, minSignificance, value, shares } = transactions
  const { late, firstBuyYears, holdingChange } = transactions
  // Comparing lists, one equal element of each is enough.
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
    ['@.holdingChange >= $minHoldingChange', { minHoldingChange: holdingChange?.min }],
    ['@.holdingChange <= $maxHoldingChange', { maxHoldingChange: holdingChange?.max }],
  ]
  const signals: typeof rows = [
    ['@.persons[*] == $insiders[*]', { insiders }],
    ['@.severity == $severities[*]', { severities: minSeverity && significancesFrom(minSeverity) }],
  ]
  const given = (all: typeof rows) => all.filter(([, variables]) => Object.values(variables)[0] !== undefined)
  const all = [...given(rows), ...given(signals)]
  if (all.length === 0) return null
  const conditions = (some: typeof rows) => given(some).map(([condition]) => `(${condition})`)
  const ofRows = conditions(rows)
  const row = ofRows.length === 0 ? 'exists(@.rows)' : `exists(@.rows[*] ? (${ofRows.join(' && ')}))`
  const signal = ['exists(@.severity)', ...conditions(signals)].join(' && ')
  const variables = Object.assign({}, ...all.map(([, each]) => each)) as object
  return [`$ ? (${row} || (${signal}))`, JSON.stringify(variables)]
}
