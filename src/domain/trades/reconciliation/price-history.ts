// Price history of an issuer, class by class: compares prices filing by filing with what was accepted before. A reverse
// split that a later filing shows explains prices that were suspect until then.
import { addYears } from '../../shared/calendar.ts'
import { parseDecimal, round, unitsAt } from '../../shared/decimal.ts'
import { PRICE_LIMITS, priceStatus, type PricedRow, type PriceHistory, type PriceStatus } from '../price-status.ts'
import { comparableTitle } from '../security-title.ts'
import { SortedNumbers } from '../../shared/sorted-numbers.ts'
import { ReverseSplits, type BalanceRow } from './reverse-splits.ts'
import type { TradeFacts, TradeVerdict } from '../trade.ts'
import type { DateText } from '../../shared/identifiers.ts'

export interface PricedTrade extends PricedRow, BalanceRow, Pick<TradeFacts, 'code' | 'securityTitle' | 'filedAt'> {}

export type PriceVerdict = Pick<TradeVerdict, 'priceStatus' | 'suspectUntil'>

interface SeenPrice {
  id: string
  /** In ten-thousandths of a dollar, the places that EDGAR keeps. */
  price: number
  class: ClassPrices
  /** A price in the market, which is history where it is clean. */
  ofMarket: boolean
  clean: boolean
  /** Times the median by which it was suspect, where a reverse split can still explain it; else null. */
  times: number | null
  /** Superseded, or its year is over. */
  gone: boolean
}

/** The prices of a day of filing that are clean or may become so. */
interface DayPrices {
  day: DateText
  prices: SeenPrice[]
}

interface ClassPrices {
  /** Clean prices of the last 12 months. */
  clean: SortedNumbers
  /** All prices in US dollars for one unit, clean or not. */
  seen: SortedNumbers
  /** Days of the last 12 months, oldest first, from `oldest` on. */
  queue: DayPrices[]
  oldest: number
  splits: ReverseSplits
  /** Suspect prices of the last 12 months that a reverse split would explain, by `times`, and these in order. */
  unexplained: Map<number, Set<SeenPrice>>
  times: SortedNumbers
}

/** Codes of prices in the market; what an option costs to exercise says nothing of what a share is worth. */
const MARKET_CODES = ['P', 'S', 'F']
const FACTOR = Number(PRICE_LIMITS.factor.units)

interface Judged extends PriceVerdict {
  filedAt: number
  /** The id of the row that it repeats, and as which it is judged. */
  as?: string
}

/** Must be given the filings in the order of (acceptance, accession); keeps what it has seen. */
export class PriceChecker {
  #classes = new Map<string, ClassPrices>()
  #seen = new Map<string, SeenPrice>()
  #splits = new Map<string, ReverseSplits>()
  #judged = new Map<string, Judged>()

  /**
   * Judges the rows of a filing. Prices of rows that it supersedes leave the history first: an amendment that repeats a
   * price does not confirm it. A reverse split that its balances show explains suspect prices of the year before, which
   * join the history then. A duplicate is judged as the row it repeats, and joins no history. The rows of a class are
   * judged from the lowest price on, so that clean lower ones of the same filing count as history, equal ones alike;
   * only those below a third of the price count among the three that it takes.
   */
  check(
    filing: readonly PricedTrade[],
    superseded: Iterable<string>,
    duplicateOf: (id: string) => string | undefined,
  ): void {
    for (const id of superseded) this.#forget(id)
    const yearBefore = addYears(filing[0]!.filedDay, -1)
    for (const [key, rows] of Map.groupBy(filing, ({ securityTitle }) => comparableTitle(securityTitle))) {
      const prices = this.#classes.get(key) ?? {
        clean: new SortedNumbers(),
        seen: new SortedNumbers(),
        queue: [],
        oldest: 0,
        splits: new ReverseSplits(),
        unexplained: new Map(),
        times: new SortedNumbers(),
      }
      this.#classes.set(key, prices)
      expire(prices, yearBefore)
      for (const factor of prices.splits.take(rows)) this.#explain(prices, factor, filing[0]!.filedAt)
      for (const { id } of rows) this.#splits.set(id, prices.splits)
      this.#judge(rows, prices, duplicateOf)
    }
  }

  /** Returns what was decided of a row, by all filings given until now. */
  verdict(id: string): PriceVerdict {
    const { priceStatus, suspectUntil, filedAt, as } = this.#judged.get(id)!
    if (as === undefined) return { priceStatus, suspectUntil }
    const repeated = this.verdict(as)
    // A repetition that was filed later was never suspect.
    return { ...repeated, suspectUntil: repeated.suspectUntil > filedAt ? repeated.suspectUntil : 0 }
  }

  /** Believes the suspect prices that a split by this factor explains, from an instant on. */
  #explain(prices: ClassPrices, factor: number, at: number): void {
    for (;;) {
      const times = prices.times.lowestFrom(factor / FACTOR)
      if (times === undefined || times > factor * FACTOR) return
      for (const one of prices.unexplained.get(times)!) {
        this.#judged.set(one.id, { ...this.#judged.get(one.id)!, priceStatus: 'as_filed', suspectUntil: at })
        one.times = null
        one.clean = one.ofMarket
        if (one.clean) prices.clean.add(one.price)
      }
      prices.unexplained.delete(times)
      prices.times.remove(times)
    }
  }

  #judge(rows: PricedTrade[], prices: ClassPrices, duplicateOf: (id: string) => string | undefined): void {
    const earlier = prices.clean.count
    const priced = rows.map((row) => ({ row, price: unitsOf(row.priceFiled) })).sort((a, b) => a.price - b.price)
    const low: number[] = []
    let below = 0
    const joining: SeenPrice[] = []
    for (const equal of Map.groupBy(priced, ({ price }) => price).values()) {
      const { price } = equal[0]!
      while (below < low.length && low[below]! * FACTOR < price) below++
      const middle = middleOf(prices.clean)
      const history: PriceHistory = {
        median: middle === null ? null : { units: BigInt(2 * middle) * 5n, scale: 5 },
        rows: earlier + below,
        seenBefore: (prices.seen.lowestFrom(price / FACTOR) ?? Infinity) <= price * FACTOR,
        splitShown: middle !== null && prices.splits.isShown(price / middle / FACTOR, (price / middle) * FACTOR),
      }
      let clean = 0
      for (const { row } of equal) {
        const repeated = duplicateOf(row.id)
        const status = priceStatus(row, history)
        const isJudged = isByHistory(status)
        const judged = { priceStatus: status, suspectUntil: 0, filedAt: row.filedAt }
        const isAsRepeated = isJudged && repeated !== undefined && this.#isJudgedByHistory(repeated)
        this.#judged.set(row.id, isAsRepeated ? { ...judged, as: repeated } : judged)
        if (!isJudged || repeated !== undefined) continue
        const ofMarket = MARKET_CODES.includes(row.code)
        const isExplicable = status === 'suspect' && priceStatus(row, { ...history, splitShown: true }) === 'as_filed'
        const one: SeenPrice = {
          ...{ id: row.id, price, class: prices, ofMarket, gone: false },
          clean: status === 'as_filed' && ofMarket,
          times: isExplicable ? price / middle! : null,
        }
        this.#seen.set(row.id, one)
        joining.push(one)
        if (one.clean) clean++
      }
      for (; clean > 0; clean--) {
        prices.clean.add(price)
        low.push(price)
      }
    }
    keep(prices, rows[0]!.filedDay, joining)
    // Only another filing confirms a price.
    for (const one of joining) prices.seen.add(one.price)
  }

  #forget(id: string): void {
    this.#splits.get(id)?.forget(id)
    const one = this.#seen.get(id)
    if (!one) return
    this.#seen.delete(id)
    one.class.seen.remove(one.price)
    drop(one)
  }

  #isJudgedByHistory(id: string): boolean {
    const judged = this.#judged.get(id)
    return judged !== undefined && isByHistory(judged.priceStatus)
  }
}

const isByHistory = (status: PriceStatus): boolean => status === 'as_filed' || status === 'suspect'

/** Keeps the prices of a filing that are clean or may become so. Days follow the order of acceptance. */
function keep(prices: ClassPrices, day: DateText, joining: readonly SeenPrice[]): void {
  const kept = joining.filter(({ clean, times }) => clean || times !== null)
  if (kept.length === 0) return
  const last = prices.queue.at(-1)
  if (last?.day === day) last.prices.push(...kept)
  else prices.queue.push({ day, prices: kept })
  for (const one of kept) {
    if (one.times === null) continue
    const alike = prices.unexplained.get(one.times) ?? new Set()
    if (alike.size === 0) prices.times.add(one.times)
    prices.unexplained.set(one.times, alike.add(one))
  }
}

/** Takes prices of days before this one out of the history. */
function expire(prices: ClassPrices, before: DateText): void {
  prices.splits.expire(before)
  for (; prices.oldest < prices.queue.length; prices.oldest++) {
    const { day, prices: ofDay } = prices.queue[prices.oldest]!
    if (day >= before) return
    for (const one of ofDay) drop(one)
  }
}

/** Takes a price out of the clean ones, or of those that a split may explain. */
function drop(one: SeenPrice): void {
  const { clean, unexplained, times } = one.class
  if (one.gone) return
  one.gone = true
  if (one.clean) clean.remove(one.price)
  if (one.times === null) return
  const alike = unexplained.get(one.times)!
  alike.delete(one)
  if (alike.size > 0) return
  unexplained.delete(one.times)
  times.remove(one.times)
}

/** Returns the middle price in ten-thousandths of a dollar, a half among them; null without any. */
function middleOf(prices: SortedNumbers): number | null {
  const [low, high] = [prices.at((prices.count - 1) >> 1), prices.at(prices.count >> 1)]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

function unitsOf(price: string | null): number {
  const value = price === null ? null : parseDecimal(price)
  return value ? Number(unitsAt(round(value, 4), 4)) : 0
}
