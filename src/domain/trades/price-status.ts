// Plausibility of a row's price and date. Filers type totals as prices and years such as 0023; such rows are shown as
// filed and marked, and the mark keeps them out of sums and signals. Nothing is repaired.
import { addYears, isRealDate } from '../shared/calendar.ts'
import { add, compare, multiply, parseDecimal, toText } from '../shared/decimal.ts'
import type { Decimal } from '../shared/decimal.ts'
import type { Issuer } from '../filings/filing.ts'
import type { DateText, DecimalText } from '../shared/identifiers.ts'

/**
 * `as_filed`: a clean price above 0. `zero`: 0 was filed (gifts, awards). `footnote_only`: no number was filed, with a
 * footnote in its place or, against the form's rules, with nothing. `suspect`: implausibly high. `foreign`: the row is
 * in a security that trades abroad, so its price may be in another currency.
 */
export type PriceStatus = 'as_filed' | 'zero' | 'footnote_only' | 'suspect' | 'foreign' | 'other_unit'

/** The issuer's other rows with a clean price, accepted in the 12 months before. */
export interface PriceHistory {
  /** Null without rows. */
  median: DecimalText | null
  rows: number
}

/** The symbols in the issuer element. */
type IssuerSymbols = Pick<Issuer, 'foreignTickerRaw' | 'tickerRaw'>

interface PricedRow {
  securityTitle: string
  shares: DecimalText | null
  price: DecimalText | null
}

/** Dollars, shares and ratios of the suspect rule. */
export const PRICE_LIMITS = {
  price: whole(1_000_000n),
  timesMedian: whole(20n),
  historyRows: 3,
  /** Above this a price far above the median is suspect on its own. */
  highPrice: whole(100_000n),
  /** Within this factor of the median, price / shares says that the total was typed. */
  factor: whole(3n),
  value: whole(50_000_000_000n),
} as const

/** Returns the status of a row's price; a row in a foreign security is `foreign` whatever its price. */
export function priceStatus(row: PricedRow, issuer: IssuerSymbols, history: PriceHistory): PriceStatus {
  if (isForeignSecurity(row.securityTitle, issuer)) return 'foreign'
  const price = row.price === null ? null : parseDecimal(row.price)
  if (price === null) return 'footnote_only'
  if (price.units === 0n) return 'zero'
  return isSuspect(price, row.shares === null ? null : parseDecimal(row.shares), history) ? 'suspect' : 'as_filed'
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

/** Returns the middle price, or the mean of the two middle ones; null for none. */
export function medianPrice(prices: readonly DecimalText[]): DecimalText | null {
  const sorted = prices
    .map(parseDecimal)
    .filter((price) => price !== null)
    .sort(compare)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  if (!low || !high) return null
  return toText(multiply(add(low, high), { units: 5n, scale: 1 }))
}

/**
 * Returns `impossible` if there is no such day, or it is after the filing or more than 3 years before it. Signals leave
 * out such a row.
 */
export function tradeDateStatus(date: DateText | null, filedDay: DateText): 'plausible' | 'impossible' {
  if (date === null || !isRealDate(date)) return 'impossible'
  return date > filedDay || date < addYears(filedDay, -3) ? 'impossible' : 'plausible'
}

function isSuspect(price: Decimal, shares: Decimal | null, history: PriceHistory): boolean {
  if (compare(price, PRICE_LIMITS.price) > 0) return true
  if (shares && compare(multiply(price, shares), PRICE_LIMITS.value) > 0) return true
  const median = history.median === null ? null : parseDecimal(history.median)
  if (!median || history.rows < PRICE_LIMITS.historyRows) return false
  if (compare(price, multiply(median, PRICE_LIMITS.timesMedian)) <= 0) return false
  return compare(price, PRICE_LIMITS.highPrice) > 0 || (shares !== null && isTypedTotal(price, shares, median))
}

/** Checks that price / shares lies between median / 3 and median * 3; without a division, so exact. */
function isTypedTotal(price: Decimal, shares: Decimal, median: Decimal): boolean {
  if (shares.units === 0n) return false
  const expected = multiply(median, shares)
  if (compare(expected, multiply(price, PRICE_LIMITS.factor)) > 0) return false
  return compare(price, multiply(expected, PRICE_LIMITS.factor)) <= 0
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
