// The rule `ceo_trade`: the chief executive buys, or sells outside a plan.
import type { DayTrade } from '../daily-trades.ts'
import { centsOf, stepReached } from '../severity-steps.ts'
import type { RuleMatch } from '../signal-registry.ts'
import type { SignalRules } from '../rule-thresholds.ts'

/** Returns null if the rule does not hold. */
export function ceoTrade(trade: DayTrade, rules: SignalRules['ceo_trade']): RuleMatch | null {
  const { direction } = trade.slot
  const rows = trade.rows.filter((row) => row.trade.ceo && (direction === 'buy' || row.trade.plan !== 'yes'))
  if (rows.length === 0) return null
  const sum = rows.reduce((cents, row) => cents + row.trade.valueCents, 0)
  const severity = stepReached(rules[direction], (from) => sum >= centsOf(from))
  return severity && { severity, totalCents: sum, rows, evidence: { kind: 'ceo' } }
}
