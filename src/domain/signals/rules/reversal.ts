// The rule `reversal`: a trade in the opposite direction to the insider's own earlier ones.
import { dayNumber, addMonths } from '../../shared/calendar.ts'
import { daysBefore, raisingRows, type DayTrade, type DayTrades, type PersonHistory } from '../daily-trades.ts'
import { centsOf, isShare, shifted } from '../severity-steps.ts'
import type { RuleMatch } from '../signal-registry.ts'
import type { SignalRules } from '../rule-thresholds.ts'

/** Returns null if the rule does not hold. */
export function reversal(trade: DayTrade, known: DayTrades, rules: SignalRules['reversal']): RuleMatch | null {
  if (trade.raising === 0) return null
  const { direction, date, day } = trade.slot
  const history = known.historyOf(trade.persons)
  const [own, other] = direction === 'buy' ? [history.buy, history.sell] : [history.sell, history.buy]
  const earlier = daysBefore(other, day)
  if (earlier < rules.against) return null
  const against = earlier - daysBefore(other, dayNumber(addMonths(date, -rules.againstMonths)))
  if (against < rules.against) return null
  const lastOwn = own.days[daysBefore(own, day) - 1]
  if (lastOwn !== undefined && lastOwn >= dayNumber(addMonths(date, -rules.noneOwnMonths))) return null
  const { last, buys } = lastTrades(history, day, rules.lastTrades)
  const opposite = direction === 'buy' ? last - buys : buys
  const mostly = last >= rules.leastTrades && isShare(opposite, rules.oppositeShare, last)
  const large = trade.raising >= centsOf(rules.stepUpFrom)
  return {
    severity: shifted(rules[direction], Number(mostly) + Number(large)),
    totalCents: trade.raising,
    rows: raisingRows(trade),
    evidence: { kind: 'reversal', against, last, opposite },
  }
}

/**
 * Counts the last trades before `day`, `most` at most, newest first and of one day buys before sells; and how many of
 * them are buys.
 */
function lastTrades({ buy, sell }: PersonHistory, day: number, most: number): { last: number; buys: number } {
  let [nextBuy, nextSell, buys, last] = [daysBefore(buy, day) - 1, daysBefore(sell, day) - 1, 0, 0]
  for (; last < most && (nextBuy >= 0 || nextSell >= 0); last += 1) {
    if (nextBuy >= 0 && (nextSell < 0 || buy.days[nextBuy]! >= sell.days[nextSell]!)) {
      nextBuy -= 1
      buys += 1
    } else nextSell -= 1
  }
  return { last, buys }
}
