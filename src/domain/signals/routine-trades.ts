// Routine trades: the insider traded in the same calendar month in each of the three years before (Cohen, Malloy and
// Pomorski 2012, whose routine trades had no predictive value, while the others' did). Their size gives them no
// significance; no rule of signals uses them.
import { append } from '../shared/append.ts'
import type { MarketTrade } from '../trades/first-buys.ts'

const YEARS = 3

/**
 * Returns the ids of one issuer's routine trades, by what had been accepted by then: trades of the same owner here, in
 * either direction, with a possible date, not superseded when the trade was accepted, no duplicates.
 */
export function routineTrades(trades: readonly MarketTrade[]): Set<string> {
  // Owner and month -> the times from and until which there was a trade.
  const months = new Map<string, { from: number; until: number }[]>()
  const counting = trades.filter(({ day, duplicateOf }) => day !== null && duplicateOf === '')
  for (const { day, ownerCiks, filedAt, supersededBy, supersededAt } of counting) {
    const time = { from: filedAt, until: supersededBy === '' ? Infinity : supersededAt }
    for (const owner of ownerCiks) {
      append(months, `${owner} ${day!.slice(0, 7)}`, time)
    }
  }
  const traded = (owner: string, day: string, yearsBefore: number, at: number) => {
    const month = `${String(Number(day.slice(0, 4)) - yearsBefore).padStart(4, '0')}${day.slice(4, 7)}`
    return (months.get(`${owner} ${month}`) ?? []).some(({ from, until }) => from <= at && until > at)
  }
  return new Set(
    counting
      .filter(({ day, ownerCiks, filedAt }) =>
        ownerCiks.some((owner) =>
          Array.from({ length: YEARS }, (_, index) => index + 1).every((years) => traded(owner, day!, years, filedAt)),
        ),
      )
      .map(({ id }) => id),
  )
}
