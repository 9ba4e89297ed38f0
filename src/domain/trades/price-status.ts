// Plausibility of a row's price. Filers type totals as prices; such rows are shown as filed and marked, and the mark
// keeps them out of sums and signals. Nothing is repaired.
import { compare, multiply, parseDecimal } from '../shared/decimal.ts'
import type { Decimal } from '../shared/decimal.ts'
import type { Issuer } from '../filings/filing.ts'
import type { TradeFacts } from './trade.ts'

/**
 * `as_filed`: a clean price above 0. `zero`: 0 was filed (gifts, awards). `footnote_only`: no number was filed, with a
 * footnote in its place or, against the form's rules, with nothing. `suspect`: implausibly high. `foreign`: the row is
 * in a security that trades abroad, so its price may be in another currency. `other_unit`: the number is not US dollars
 * for one unit of the security.
 */
export type PriceStatus = 'as_filed' | 'zero' | 'footnote_only' | 'suspect' | 'foreign' | 'other_unit'

/** What filings accepted before, and other rows of the same filing, show of prices of the row's class. */
export interface PriceHistory {
  /** Middle of the clean prices of the last 12 months, or mean of the two middle ones; null without any. */
  median: Decimal | null
  /** Number of those clean prices. */
  rows: number
  /** A filing accepted before has a price within a factor of 3, clean or not, at any time. */
  seenBefore: boolean
  /**
   * Balances of this filing, or of one accepted within the year before, show a reverse split by the factor of this
   * price to the median, within a factor of 3.
   */
  splitShown: boolean
}

/** The symbols in the issuer element. */
type IssuerSymbols = Pick<Issuer, 'foreignTickerRaw' | 'tickerRaw'>

/** A row, with what its filing says of the unit of its price. */
export interface PricedRow extends Pick<TradeFacts, 'priceFiled' | 'shares' | 'foreign' | 'otherUnit'> {
  /** An owner of the filing holds more than 10 % of the class. */
  tenPercentOwner: boolean
}

/** Dollars, shares and ratios of the suspect rule. */
export const PRICE_LIMITS = {
  price: whole(1_000_000n),
  value: whole(50_000_000_000n),
  timesMedian: whole(20n),
  /** Fewer clean prices than these have no median, and the next two limits apply. */
  historyRows: 3,
  highPrice: whole(10_000n),
  highValue: whole(1_000_000_000n),
  /** Within this factor of each other, one price confirms the other. */
  factor: whole(3n),
} as const

/**
 * Returns the status of a row's price, the first of these that applies: `foreign`, whatever the price; `footnote_only`;
 * `zero`; `other_unit`; `suspect`; `as_filed`. A price is suspect
 *
 * 1. above 1,000,000, or if price times shares is above 50 billion
 * 2. with at least 3 clean prices: above 20 medians, unless seen before, or balances show the reverse split
 * 3. with fewer: above 10,000, unless seen before; or if price times shares is above 1 billion, unless an owner holds
 *    more than 10 %
 */
export function priceStatus(row: PricedRow, history: PriceHistory): PriceStatus {
  if (row.foreign) return 'foreign'
  const price = row.priceFiled === null ? null : parseDecimal(row.priceFiled)
  if (price === null) return 'footnote_only'
  if (price.units === 0n) return 'zero'
  if (row.otherUnit) return 'other_unit'
  const shares = parseDecimal(row.shares)
  const value = shares && multiply(price, shares)
  return isSuspect(price, value, history, row.tenPercentOwner) ? 'suspect' : 'as_filed'
}

/**
 * Checks whether the title holds a symbol under which the issuer trades abroad, as whole words: `Common Shares
 * (2330.TW)`, `PETR4`.
 */
export function isForeignSecurity(title: string, issuer: IssuerSymbols): boolean {
  const words = ` ${wordsOf(title)} `
  const own = wordsOf(issuer.tickerRaw).split(' ')
  return foreignSymbols(issuer.foreignTickerRaw ?? '').some((symbol) => {
    // The same letters at home and abroad say nothing about where this security trades.
    if (own.includes(symbol)) return false
    // Two letters may be any word (AG, SA, NO), so they must stand alone or in brackets.
    if (symbol.length < 3) return new RegExp(`^\\s*${symbol}\\s*$|\\(\\s*${symbol}\\s*\\)`, 'i').test(title)
    return words.includes(` ${symbol} `)
  })
}

/** Checks whether the issuer names a symbol under which it trades abroad. */
export const hasForeignSymbol = ({ foreignTickerRaw }: Pick<Issuer, 'foreignTickerRaw'>): boolean =>
  foreignSymbols(foreignTickerRaw ?? '').length > 0

function isSuspect(price: Decimal, value: Decimal | null, history: PriceHistory, tenPercentOwner: boolean): boolean {
  const isAbove = (limit: Decimal) => compare(price, limit) > 0
  const isWorthOver = (limit: Decimal) => value !== null && compare(value, limit) > 0
  if (isAbove(PRICE_LIMITS.price) || isWorthOver(PRICE_LIMITS.value)) return true
  const { median, rows, seenBefore, splitShown } = history
  if (median && rows >= PRICE_LIMITS.historyRows) {
    return !seenBefore && !splitShown && isAbove(multiply(median, PRICE_LIMITS.timesMedian))
  }
  return (!seenBefore && isAbove(PRICE_LIMITS.highPrice)) || (!tenPercentOwner && isWorthOver(PRICE_LIMITS.highValue))
}

/** Splits the field, which may hold several, with the exchange before a colon. */
function foreignSymbols(raw: string): string[] {
  if (/^\W*(N\W?A|NONE|NOT APPLICABLE)\W*$/i.test(raw)) return []
  return raw
    .split(/[,;|/]|\band\b/i)
    .map((part) => wordsOf(part.replace(/^.*:/, '')))
    .filter(Boolean)
}

function wordsOf(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()
}

function whole(units: bigint): Decimal {
  return { units, scale: 0 }
}
