// Decides whether a purchase is the insider's first in years at this issuer, by filings accepted before its own: later
// filings never change that, nor do filings whose day is only estimated. If no earlier purchase is stored, the years are
// counted from the beginning of the issuer's stored history, since nobody knows what happened before.
import { addYears } from '../shared/calendar.ts'
import type { Cik, DateText } from '../shared/identifiers.ts'
import { lowerBound } from '../shared/lower-bound.ts'
import { byAcceptance } from '../shared/order.ts'
import type { SignalTrade } from '../signals/signal.ts'

/** An open-market trade of one issuer, as far as this matters. */
export type MarketTrade = Pick<
  SignalTrade,
  | 'id'
  | 'accession'
  | 'filedAt'
  | 'filedDay'
  | 'isDayKnown'
  | 'day'
  | 'direction'
  | 'ownerCiks'
  | 'byIssuer'
  | 'duplicateOf'
  | 'supersededBy'
  | 'supersededAt'
>

export interface FirstBuy {
  /** Whole years before the purchase in which none of its owners is known to have bought; null for all others. */
  firstBuyYears: number | null
  /** The newest purchase of its owners in filings accepted before; null where none is stored. */
  previousBuy: DateText | null
}

export const NO_PURCHASE: FirstBuy = { firstBuyYears: null, previousBuy: null }

/** The largest number of years that is given. */
const MOST_YEARS = 20

interface EarlierBuy {
  day: DateText
  /** The instant at which the purchase was superseded, in seconds since 1970; Infinity if it was not. */
  until: number
}

/** Returns the purchases among one issuer's trades of code P or S, by id. */
export function firstBuys(trades: readonly MarketTrade[]): Map<string, FirstBuy> {
  const inOrder = trades.toSorted(byAcceptance)
  const buysOf = new Map<Cik, EarlierBuy[]>()
  const found = new Map<string, FirstBuy>()
  const begin = inOrder.find(({ isDayKnown }) => isDayKnown)?.filedDay
  for (const filing of Map.groupBy(inOrder, ({ accession }) => accession).values()) {
    const buys = filing.filter(isPurchase)
    for (const buy of buys) {
      const days = buy.ownerCiks.map((owner) => newest(buysOf.get(owner), buy.filedAt) ?? '')
      const previousBuy = days.reduce((a, b) => (a > b ? a : b), '') || null
      found.set(buy.id, { firstBuyYears: yearsBetween(previousBuy ?? begin ?? buy.day, buy.day), previousBuy })
    }
    for (const { day, isDayKnown, ownerCiks, duplicateOf, supersededBy, supersededAt } of buys) {
      if (duplicateOf !== '' || !isDayKnown) continue
      for (const owner of ownerCiks) add(buysOf, owner, { day, until: supersededBy === '' ? Infinity : supersededAt })
    }
  }
  return found
}

const isPurchase = (trade: MarketTrade): trade is MarketTrade & { day: DateText } =>
  trade.direction === 'buy' && !trade.byIssuer && trade.day !== null

/** Keeps an owner's purchases by day. Most are filed in the order of their days, so that most are added at the end. */
function add(buysOf: Map<Cik, EarlierBuy[]>, owner: Cik, buy: EarlierBuy): void {
  const buys = buysOf.get(owner)
  if (!buys) return void buysOf.set(owner, [buy])
  const place = lowerBound(buys, ({ day }) => day <= buy.day)
  const before = buys[place - 1]
  if (before?.day === buy.day && before.until >= buy.until) return
  buys.splice(place, 0, buy)
}

/** Returns the newest day that holds at this time, and forgets newer ones that were superseded: time only goes on. */
function newest(buys: EarlierBuy[] | undefined, at: number): DateText | undefined {
  while (buys && buys.length > 0 && buys.at(-1)!.until <= at) buys.pop()
  return buys?.at(-1)?.day
}

/** Returns the whole years from one day to a later one, none if it is not later. */
function yearsBetween(from: DateText, to: DateText): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4))
  const wholeYears = addYears(from, years) > to ? years - 1 : years
  return Math.min(MOST_YEARS, Math.max(0, wholeYears))
}
