// Price history of an issuer, class by class: compares prices filing by filing with what was accepted before.
import { addYears } from '../../shared/calendar.ts'
import { parseDecimal, round, unitsAt } from '../../shared/decimal.ts'
import { PRICE_LIMITS, priceStatus, type PricedRow, type PriceHistory, type PriceStatus } from '../price-status.ts'
import { comparableTitle } from '../security-title.ts'
import { SortedNumbers } from '../../shared/sorted-numbers.ts'
import type { TradeFacts } from '../trade.ts'
import type { DateText } from '../../shared/identifiers.ts'

export interface PricedTrade extends PricedRow, Pick<TradeFacts, 'id' | 'filedDay' | 'code' | 'securityTitle'> {}

interface SeenPrice {
  day: DateText
  /** In ten-thousandths of a dollar, the places that EDGAR keeps. */
  price: number
  class: ClassPrices
  clean: boolean
  /** Superseded, or its year is over. */
  gone: boolean
}

interface ClassPrices {
  /** Clean prices of the last 12 months. */
  clean: SortedNumbers
  /** All prices in US dollars for one unit, clean or not. */
  seen: SortedNumbers
  /** Those clean ones, oldest first, from `oldest` on. */
  queue: SeenPrice[]
  oldest: number
}

/** Codes of prices in the market; what an option costs to exercise says nothing of what a share is worth. */
const MARKET_CODES = ['P', 'S', 'F']
const FACTOR = Number(PRICE_LIMITS.factor.units)

/** Must be given the filings in the order of (acceptance, accession); keeps what it has seen. */
export class PriceChecker {
  #classes = new Map<string, ClassPrices>()
  #seen = new Map<string, SeenPrice>()
  #statuses = new Map<string, PriceStatus>()

  /**
   * Returns the status of each row of the filing, in its order. Prices of rows that it supersedes leave the history
   * first: an amendment that repeats a price does not confirm it. A duplicate is judged as the row it repeats, and
   * joins no history. The rows of a class are judged from the lowest price on, so that clean lower ones of the same
   * filing count as history, equal ones alike; only those below a third of the price count among the three that it
   * takes.
   */
  check(
    filing: PricedTrade[],
    superseded: Iterable<string>,
    duplicateOf: (id: string) => string | undefined,
  ): PriceStatus[] {
    for (const id of superseded) this.#forget(id)
    const yearBefore = addYears(filing[0]!.filedDay, -1)
    for (const [key, rows] of Map.groupBy(filing, ({ securityTitle }) => comparableTitle(securityTitle))) {
      const prices = this.#classes.get(key) ?? {
        clean: new SortedNumbers(),
        seen: new SortedNumbers(),
        queue: [],
        oldest: 0,
      }
      this.#classes.set(key, prices)
      expire(prices, yearBefore)
      this.#judge(rows, prices, duplicateOf)
    }
    return filing.map(({ id }) => this.#statuses.get(id)!)
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
      const history: PriceHistory = {
        median: middleOf(prices.clean),
        rows: earlier + below,
        seenBefore: (prices.seen.lowestFrom(price / FACTOR) ?? Infinity) <= price * FACTOR,
      }
      const clean: SeenPrice[] = []
      for (const { row } of equal) {
        const repeated = duplicateOf(row.id)
        const shownStatus = repeated === undefined ? undefined : this.#statuses.get(repeated)
        const own = priceStatus(row, history)
        const isJudged = own === 'as_filed' || own === 'suspect'
        const status = isJudged && (shownStatus === 'as_filed' || shownStatus === 'suspect') ? shownStatus : own
        this.#statuses.set(row.id, status)
        if (!isJudged || repeated !== undefined) continue
        const isClean = status === 'as_filed' && MARKET_CODES.includes(row.code)
        const one = { day: row.filedDay, price, class: prices, clean: isClean, gone: false }
        this.#seen.set(row.id, one)
        joining.push(one)
        if (isClean) clean.push(one)
      }
      for (const one of clean) {
        prices.clean.add(price)
        prices.queue.push(one)
        low.push(price)
      }
    }
    // Only another filing confirms a price.
    for (const one of joining) prices.seen.add(one.price)
  }

  #forget(id: string): void {
    const one = this.#seen.get(id)
    if (!one) return
    this.#seen.delete(id)
    one.class.seen.remove(one.price)
    if (one.clean && !one.gone) one.class.clean.remove(one.price)
    one.gone = true
  }
}

/** Takes prices of days before this one out of the clean ones. Days follow the order of acceptance. */
function expire(prices: ClassPrices, before: DateText): void {
  for (; prices.oldest < prices.queue.length; prices.oldest++) {
    const one = prices.queue[prices.oldest]!
    if (one.day >= before) return
    if (!one.gone) prices.clean.remove(one.price)
    one.gone = true
  }
}

function middleOf(prices: SortedNumbers): PriceHistory['median'] {
  const [low, high] = [prices.at((prices.count - 1) >> 1), prices.at(prices.count >> 1)]
  return low === undefined || high === undefined ? null : { units: BigInt(low + high) * 5n, scale: 5 }
}

function unitsOf(price: string | null): number {
  const value = price === null ? null : parseDecimal(price)
  return value ? Number(unitsAt(round(value, 4), 4)) : 0
}
