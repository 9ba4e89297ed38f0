// Price history of an issuer: compares its prices filing by filing with the clean prices accepted in the 12 months
// before.
import { addYears } from '../../shared/calendar.ts'
import { medianPrice, priceStatus, type PriceStatus } from '../price-status.ts'
import type { ReconciliationInput } from './inputs.ts'
import type { DateText } from '../../shared/identifiers.ts'

type PricedTrade = Pick<ReconciliationInput, 'id' | 'filedDay' | 'foreign' | 'securityTitle' | 'shares' | 'priceFiled'>

interface CleanPrice {
  id: string
  day: DateText
  value: number
  text: string
}

/** Must be given the filings in the order of (acceptance, accession); keeps what it has seen. */
export class PriceChecker {
  /** Newest last. */
  #byTime: CleanPrice[] = []
  /** Lowest first; the same prices. */
  #byValue: CleanPrice[] = []

  /**
   * Returns the status of each row of the filing, which are in place order. Rows it `supersedes` leave the history
   * first; its own clean rows join it afterwards, except duplicates: an event is counted once.
   */
  check(filing: PricedTrade[], supersedes: (id: string) => boolean, duplicate: (id: string) => boolean): PriceStatus[] {
    const yearBefore = addYears(filing[0]!.filedDay, -1)
    this.#forget((price) => price.day < yearBefore || supersedes(price.id))
    const statuses = filing.map((trade) => this.#status(trade))
    filing.forEach((trade, index) => {
      if (statuses[index] === 'as_filed' && !duplicate(trade.id)) this.#remember(trade)
    })
    return statuses
  }

  #status(trade: PricedTrade): PriceStatus {
    if (trade.foreign) return 'foreign'
    const row = { securityTitle: trade.securityTitle, shares: trade.shares, price: trade.priceFiled }
    const history = { median: this.#median(), rows: this.#byValue.length }
    return priceStatus(row, { foreignTickerRaw: null, tickerRaw: '' }, history)
  }

  #median(): string | null {
    const count = this.#byValue.length
    const middle = count === 0 ? [] : [this.#byValue[(count - 1) >> 1]!.text, this.#byValue[count >> 1]!.text]
    return medianPrice(middle)
  }

  #remember(trade: PricedTrade): void {
    const price = { id: trade.id, day: trade.filedDay, value: Number(trade.priceFiled), text: trade.priceFiled! }
    this.#byTime.push(price)
    let [low, high] = [0, this.#byValue.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#byValue[middle]!.value < price.value) low = middle + 1
      else high = middle
    }
    this.#byValue.splice(low, 0, price)
  }

  #forget(gone: (price: CleanPrice) => boolean): void {
    if (!this.#byTime.some(gone)) return
    this.#byTime = this.#byTime.filter((price) => !gone(price))
    this.#byValue = this.#byValue.filter((price) => !gone(price))
  }
}
