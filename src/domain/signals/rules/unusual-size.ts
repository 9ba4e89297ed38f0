// The rule `unusual_size`: a trade far larger than the insider's own or, if there are too few of those, than nearly all
// of the company's.
import { addYears, dayNumber } from '../../shared/calendar.ts'
import { daysBefore, raisingRows, type DayTrade, type DayTrades } from '../daily-trades.ts'
import { centsOf, isTimesMean, nearestRank, stepReached, timesMean } from '../severity-steps.ts'
import type { RuleMatch } from '../signal-registry.ts'
import type { SignalRules } from '../rule-thresholds.ts'

/** Returns null if the rule does not hold. */
export function unusualSize(trade: DayTrade, known: DayTrades, rules: SignalRules['unusual_size']): RuleMatch | null {
  if (trade.raising === 0 || trade.raising < centsOf(rules.minimum)) return null
  const own = known.historyOf(trade.persons)[trade.slot.direction]
  const earlier = daysBefore(own, trade.slot.day)
  if (earlier < rules.earlierTrades) return byPercentile(trade, known, rules)
  let sum = 0
  for (let at = 0; at < earlier; at += 1) sum += own.cents[at]!
  const severity = stepReached(rules.ratios, (from) => isTimesMean(trade.raising, from, sum, earlier))
  if (severity === null) return null
  const [mean, ratio] = [Math.round(sum / earlier), timesMean(trade.raising, sum, earlier)]
  return {
    severity,
    totalCents: trade.raising,
    rows: raisingRows(trade),
    evidence: { kind: 'own-mean', mean, trades: earlier, ratio },
  }
}

function byPercentile(trade: DayTrade, known: DayTrades, rules: SignalRules['unusual_size']): RuleMatch | null {
  const { slot } = trade
  const first = dayNumber(addYears(slot.date, -rules.companyYears))
  let [count, smaller] = [0, 0]
  known.ofCompany(slot.direction, first, slot.day, (other) => {
    if (other === trade) return
    count += 1
    if (other.value < trade.raising) smaller += 1
  })
  if (count < rules.companyTrades) return null
  // Above the value at a rank means above as many values as the rank says; the values are sorted only if that is the
  // case.
  const rank = nearestRank(rules.percentile, count)
  if (smaller < rank) return null
  const values: number[] = []
  known.ofCompany(slot.direction, first, slot.day, (other) => {
    if (other !== trade) values.push(other.value)
  })
  return {
    severity: rules.percentileSeverity,
    totalCents: trade.raising,
    rows: raisingRows(trade),
    evidence: { kind: 'percentile', percentile: values.sort((a, b) => a - b)[rank - 1]!, trades: count },
  }
}
