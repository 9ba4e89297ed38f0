// Routine trades: the insider traded in the same calendar month in each of the three years before (Cohen, Malloy and
// Pomorski 2012, whose routine trades had no predictive value, while the others' did). Their size gives them no
// significance; no rule of signals uses them.
import type { Cik, DateText } from '../shared/identifiers.ts'
import type { MarketTrade } from '../trades/first-buys.ts'

/** How many years before a trade its month is looked for. */
const YEARS_BEFORE = [1, 2, 3]

/**
 * Returns the ids of one issuer's routine trades, by what had been accepted by then: trades of the same owner here, in
 * either direction, with a possible date, not superseded when the trade was accepted, no duplicates.
 */
export function routineTrades(trades: readonly MarketTrade[]): Set<string> {
  const routine = new Set<string>()
  // Owner and month -> until when a trade of that month stands, of those accepted so far.
  const standing = new Map<string, number>()
  const counting = trades.filter(isCounting).toSorted((a, b) => a.filedAt - b.filedAt)
  for (const accepted of Map.groupBy(counting, ({ filedAt }) => filedAt).values()) {
    for (const { day, ownerCiks, supersededBy, supersededAt } of accepted) {
      const until = supersededBy === '' ? Infinity : supersededAt
      for (const owner of ownerCiks) {
        const month = monthKey(owner, day, 0)
        standing.set(month, Math.max(standing.get(month) ?? 0, until))
      }
    }
    for (const { id, day, ownerCiks, filedAt } of accepted) {
      const traded = (owner: Cik, years: number) => (standing.get(monthKey(owner, day, years)) ?? 0) > filedAt
      if (ownerCiks.some((owner) => YEARS_BEFORE.every((years) => traded(owner, years)))) routine.add(id)
    }
  }
  return routine
}

const isCounting = (trade: MarketTrade): trade is MarketTrade & { day: DateText } =>
  trade.day !== null && trade.duplicateOf === ''

/** Returns the key of an owner and the month of a day, so many years before. */
const monthKey = (owner: Cik, day: DateText, yearsBefore: number): string =>
  `${owner} ${Number(day.slice(0, 4)) - yearsBefore}${day.slice(4, 7)}`
