// Detects prices that are averages of several trades. Filers give one row for a day's trades, and the lowest and highest
// price in a footnote. A footnote that is not understood is ignored, and the price stands as filed.
import { oncePerObject } from '../shared/once-per-object.ts'
import type { Filing, Footnote, NonDerivativeRow } from '../filings/filing.ts'
import { sentencesOf } from '../filings/trading-plan/normalize-footnote.ts'
import { compare, parseDecimal, round, toText, type Decimal } from '../shared/decimal.ts'
import type { DecimalText } from '../shared/identifiers.ts'
import { unitFlags } from './price-unit.ts'

export interface AveragePrice {
  averagePrice: boolean
  /** In dollars, where a footnote gives both; else both are null. */
  lowPrice: DecimalText | null
  highPrice: DecimalText | null
}

const AVERAGE = /\bweight(?:ed)?[- ]?(?:sales? |purchase )?average|\baverage[- ]weighted\b|\bwtd\.? (?:avg|average)\b/i
/** Of the market, over days, by which companies price what they issue. */
const OF_MARKET = /\bvolume[- ]weighted\b.{0,200}?\bdays?\b|\bdays? volume[- ]weighted\b|\bday vwap\b/i

// Nine digits and five places: more is no price, and would not fit into the stores.
const AMOUNT = String.raw`(?:us|u\.s\.)? ?\$? ?(\d{1,3}(?:,\d{3}){1,2}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?|\.\d{1,6})(?!\.?\d|,\d{3}| ?%)`
const BETWEEN = String.raw`(?:,? (?:per share|inclusive|of|from|between|was|were|is|for|these|the|shares|in|at|a|price|prices|range|ranging|low|lows|approximately)\b:?){0,8}`
const RANGES = new RegExp(
  String.raw`\b(?:rang(?:e|es|ed|ing)|prices?)\b${BETWEEN} ?${AMOUNT},?(?: (?:each|per share)\b,?)?` +
    String.raw`(?: ?- ?| (?:to|and|through|up to)(?: (?:a|the)? ?high of)? ?)${AMOUNT}`,
  'gi',
)
const EXTREME = (word: string) =>
  String.raw`\b${word} (?:(?:sales?|purchase|selling|trade|trading) )?price\b[^$\d;]{0,60}${AMOUNT}`
const EXTREMES = [
  new RegExp(String.raw`${EXTREME('lowest')}[^$\d;]{0,30}${EXTREME('highest')}`, 'gi'),
  new RegExp(String.raw`${EXTREME('highest')}[^$\d;]{0,30}${EXTREME('lowest')}`, 'gi'),
]

/**
 * The source of a regular expression that matches every text of which anything is found, and means the same in
 * JavaScript and RE2. Without regard to case.
 */
export const MENTIONS_AVERAGE = 'weight|wtd|rang(?:e|ing)|prices\\b|between|lowest'
const MENTION = new RegExp(MENTIONS_AVERAGE, 'i')

interface Found {
  isAverage: boolean
  prices: Decimal[]
}

const NOTHING: Found = { isAverage: false, prices: [] }
/** Reads a footnote once, however many rows refer to it. */
const readOnce = oncePerObject((footnote: Footnote) => pricesIn(footnote.text))

function pricesIn(footnote: string): Found {
  if (!MENTION.test(footnote)) return NOTHING
  const text = sentencesOf(footnote).join(' ')
  const ranges = [
    ...[...text.matchAll(RANGES)].filter(([whole]) => isRange(whole)),
    ...EXTREMES.flatMap((extremes) => [...text.matchAll(extremes)]),
  ]
  // A range in another currency is not one of the price, which is in dollars or marked.
  const isForeign = ranges.length > 0 && unitFlags(footnote).some((flag) => flag === 'currency')
  const amounts = ranges.flatMap(([, low, high]) => [parsed(low!), parsed(high!)]).filter(({ units }) => units > 0n)
  const isAverage = AVERAGE.test(text) && !OF_MARKET.test(text)
  return { isAverage: isAverage || ranges.length > 0, prices: isForeign ? [] : amounts }
}

/** `prices from $10 to $11`, `range of $10 to $11`; not `price of $10 and $11`. */
function isRange(text: string): boolean {
  if (/\b(?:rang|between\b)/i.test(text)) return /\$|price/i.test(text)
  return /\bprices\b/i.test(text) && !/ and /i.test(text)
}

const parsed = (amount: string): Decimal => round(parseDecimal(amount.replaceAll(',', ''))!, 4)

/** Returns whether the row's price is an average, by its footnotes, and the lowest and highest price of their ranges. */
export function averagePriceOf(
  { footnotes: { price } }: Pick<NonDerivativeRow, 'footnotes'>,
  { footnotes }: Pick<Filing, 'footnotes'>,
): AveragePrice {
  const readings = price.length === 0 ? [] : footnotes.filter(({ id }) => price.includes(id)).map(readOnce)
  const prices = readings.flatMap((reading) => reading.prices).toSorted(compare)
  return {
    averagePrice: readings.some(({ isAverage }) => isAverage),
    lowPrice: prices.length === 0 ? null : toText(prices[0]!),
    highPrice: prices.length === 0 ? null : toText(prices.at(-1)!),
  }
}
