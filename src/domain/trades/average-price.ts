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
  /** In dollars, where a footnote gives both and the row's price lies between them; else both are null. */
  lowPrice: DecimalText | null
  highPrice: DecimalText | null
}

const WEIGHTED = /\bweight(?:ed)?[- ]?(?:sales? |purchase )?average|\baverage[- ]weighted\b|\bwtd\.? (?:avg|average)\b/i
const KIND = '(?:net|gross|per[- ]share|sales?|selling|purchase|buying|execution|transaction|trade)'
const AVERAGE = new RegExp(String.raw`(?<!% of (?:the |an )?)\b(?:average|avg\.?) (?:${KIND} )*prices?\b`, 'i')
/** Of the market, over days, by which companies price what they issue. */
const OF_MARKET = /\bvolume[- ]weighted\b.{0,200}?\bdays?\b|\bdays? volume[- ]weighted\b|\bday vwap\b/i
const OVER_DAYS =
  /\baverage\b.{0,200}?\b(?:trading|business|consecutive|preceding|previous|prior|\d+)[- ]days?\b|\bdays?'? average\b/i

// Nine digits and five places: more is no price, and would not fit into the stores.
const amount = (name: 'first' | 'second') =>
  String.raw`(?:usd?|u\.s\.)? ?\$? ?(?<${name}>\d{1,3}(?:,\d{3}){1,2}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?|\.\d{1,6})` +
  String.raw`(?!\.?\d|,\d{3}| ?%)`
const TRADES =
  '(?:sold|bought|purchased|acquired|disposed of|executed|effected|transactions?|trades?|sales?|purchases?|lots)'
/**
 * What may stand between the subject and the lower amount: `range of sale prices for the transactions reported was`.
 */
const FILLER =
  '(?:per share|inclusive|of|from|between|was|were|is|are|for|on|by|this|these|those|the|each|all|such|' +
  'shares?|in|at|an?|' +
  'prices?|rang(?:e|ed|ing)|lows?|approximately|selling|individual|separate|actual|actually|received|reported|herein|' +
  `above|line|row|multiple|several|various|${TRADES})`
const RANGES = new RegExp(
  String.raw`(?<lead>\b(?:rang(?:e|es|ed|ing)|prices?|average|` +
    String.raw`${TRADES})\b(?:[,.:;]? ?\(?${FILLER}\b){0,14}[,.:;]? ?\(?)` +
    String.raw`${amount('first')},?(?: (?:each|per share)\b,?)?(?<joint> ?- ?| (?:to|and|through|up to)` +
    String.raw`(?: (?:a|the)? ?high of)? ?)${amount('second')}(?:,? (?:each|per share)\b)?`,
  'gi',
)
const extreme = (word: string) => String.raw`\b${word}(?: ${KIND}| trading)*(?: prices?)?\b[^$\d]{0,60}`
const [LOWEST, HIGHEST] = [extreme('(?:low|lowest|minimum)'), extreme('(?:high|highest|maximum)')]
const EXTREMES = [
  new RegExp(String.raw`${LOWEST}${amount('first')}[^$\d]{0,30}${HIGHEST}${amount('second')}`, 'gi'),
  new RegExp(String.raw`${HIGHEST}${amount('first')}[^$\d]{0,30}${LOWEST}${amount('second')}`, 'gi'),
]

/** Prices and ranges at which nobody needs to have traded. */
const OF_NO_TRADE = new RegExp(
  String.raw`\b(?:closing|exercise|strike|conversion|bid|ask(?:ed|ing)?|quoted|offering|grant|hurdle|target|` +
    String.raw`threshold) ` +
    String.raw`(?:sales? )?prices?\b|\b(?:5\d|fifty[- ]\w+)[- ]weeks?\b|` +
    String.raw`\b(?:trading|daily|day's|intra-?day|market) range\b(?! (?:for|of) (?:the|these|such) (?:shares|` +
    String.raw`sales|trades))`,
  'i',
)
/** Of the market, unless the sentence speaks of trades that were made. */
const OF_STOCK =
  /\b(?:market|stock|share|trading)(?:'s)? (?:price|low|high)s?\b|\bprices? of (?:[\w']+ ){0,4}(?:stock|shares)\b/i
const MADE = new RegExp(
  String.raw`(?<!\b(?:date|day|time) of (?:the |such )?)\b(?:weighted|average|trades|sell\w*|${TRADES})\b`,
  'i',
)

/**
 * The source of a regular expression that matches every text of which anything is found, without regard to case.
 */
export const MENTIONS_AVERAGE =
  String.raw`weight|wtd|average|avg|rang(?:e|ing)|prices\b|between|\b(?:low|lowest|minimum)\b|` +
  String.raw`\b(?:from|at)(?:\s+(?:an?|the))*\s*[(]?\s*(?:usd?|u\.s\.)?\s*[$]?\s*[0-9.]`
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
  const text = sentencesOf(footnote).join('; ')
  const ranges = [
    ...[...text.matchAll(RANGES)].filter(isRange),
    ...EXTREMES.flatMap((extremes) => [...text.matchAll(extremes)]).filter(isOfTrades),
  ]
  // A range in another currency is not one of the price, which is in dollars or marked.
  const isForeign = ranges.length > 0 && unitFlags(footnote).some((flag) => flag === 'currency')
  const amounts = ranges.flatMap(({ groups }) => [parsed(groups!.first!), parsed(groups!.second!)])
  return {
    isAverage: saysAverage(text) || ranges.length > 0,
    prices: isForeign ? [] : amounts.filter(({ units }) => units > 0n),
  }
}

const saysAverage = (text: string): boolean =>
  !OF_MARKET.test(text) && (WEIGHTED.test(text) || (AVERAGE.test(text) && !OVER_DAYS.test(text)))

/** `prices from $10 to $11`, `sold between $10 and $11`; not `price of $10 and $11`. */
function isRange(match: RegExpExecArray): boolean {
  const { lead, joint } = match.groups as { lead: string; joint: string }
  if (!isOfTrades(match)) return false
  const inDollars = /\$|\busd?\b|per share/i.test(match[0])
  if (/\brang|\bbetween\b/i.test(lead)) return inDollars || /price|average/i.test(match.input)
  if (joint === ' and ') return false
  return /\bprices\b/i.test(lead) || (inDollars && /\b(?:from|at) \(?$|^average\b/i.test(lead))
}

/** Checks that the sentence, from the last amount on, speaks of trades that were made. */
function isOfTrades({ index, input, 0: whole }: RegExpExecArray): boolean {
  const before = input.slice(Math.max(0, index - 200), index).split(/[.;] |\$ ?[\d.,]*\d/)
  const said = `${before.at(-1)}${whole}`
  return !OF_NO_TRADE.test(said) && (MADE.test(said) || !OF_STOCK.test(said))
}

const parsed = (amount: string): Decimal => round(parseDecimal(amount.replaceAll(',', ''))!, 4)

/**
 * Returns whether the row's price is an average, by its footnotes, and the lowest and highest price of their ranges.
 */
export function averagePriceOf(
  { price, footnotes: { price: ids } }: Pick<NonDerivativeRow, 'footnotes' | 'price'>,
  { footnotes }: Pick<Filing, 'footnotes'>,
): AveragePrice {
  const readings = ids.length === 0 ? [] : footnotes.filter(({ id }) => ids.includes(id)).map(readOnce)
  const prices = readings.flatMap((reading) => reading.prices).toSorted(compare)
  const averagePrice = readings.some(({ isAverage }) => isAverage)
  const [low, high] = [prices[0], prices.at(-1)]
  if (!low || !high || !contains(low, high, price)) return { averagePrice, lowPrice: null, highPrice: null }
  return { averagePrice, lowPrice: toText(low), highPrice: toText(high) }
}

/**
 * Checks whether the price lies in the range; otherwise the range is a mistake, or that of something else. A row
 * without a price has any. Compared with as many places as the price has, since data sets round it to cents.
 */
function contains(low: Decimal, high: Decimal, price: DecimalText | null): boolean {
  const filed = price === null ? null : parseDecimal(price)
  if (filed === null) return true
  const places = Math.min(Math.max(filed.scale, 2), 4)
  const [from, at, to] = [low, filed, high].map((value) => round(value, places)) as [Decimal, Decimal, Decimal]
  return compare(from, at) <= 0 && compare(at, to) <= 0
}
