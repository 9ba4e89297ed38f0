// Judges the dates and amounts in a notice, of which EDGAR checks only the format. Nothing is repaired: suspect values
// are shown, but left out of sums, alerts and rankings.
import { compare, multiply, parseDecimal, round, toText, unitsAt, type Decimal } from '../shared/decimal.ts'
import { daysBetween } from '../shared/calendar.ts'
import type { DateText, DecimalText } from '../shared/identifiers.ts'
import type { FiledNotice, NoticeLine } from './notice.ts'
import { noticePlan, type NoticePlan } from './notice-plan.ts'

/** `unreadable` if the document has no date that can be read. */
export type SaleDateStatus = 'plausible' | 'suspect' | 'unreadable'
/** `unreadable` if units or value can't be read. */
export type ValueStatus = 'plausible' | 'suspect' | 'unreadable'

interface LineJudgement {
  /** Market value divided by units, with at most 4 places; null if either is absent or 0. */
  pricePerUnit: DecimalText | null
  saleDateStatus: SaleDateStatus
  valueStatus: ValueStatus
}

export interface NoticeJudgement extends NoticePlan {
  /** The judgements of the lines, in their order. */
  lines: LineJudgement[]
  /** Whether the notice says that there were no past sales, and yet lists some. */
  contradictoryPastSales: boolean
}

/** What other filings show. */
export interface NoticeContext {
  /**
   * The median of the class's prices in plausible notices and in Forms 4 within 30 days of the filing; null if there
   * are none.
   */
  usualPrice(line: NoticeLine): DecimalText | null
  /** Whether the seller's CIK first appeared in a filing only weeks before. */
  isNewSeller: boolean
  /** Returns whether other sellers' notices name the broker. */
  isKnownBroker(broker: string): boolean
}

const EARLY_DAYS = 30
/** The most days from the filing to a sale date that is plausible. */
export const LATE_DAYS = 120
const TIMES_USUAL = 5n
const MOST_VALUE = parseDecimal('10000000000')!
const MOST_OF_STRANGER = parseDecimal('1000000000')!

export function judgeNotice(notice: FiledNotice, context: NoticeContext): NoticeJudgement {
  const isStranger = context.isNewSeller && notice.accession.startsWith(notice.seller.cik)
  return {
    lines: notice.lines.map((line) => ({
      pricePerUnit: pricePerUnit(line),
      saleDateStatus: saleDateStatus(line.saleDate, notice.filedDay),
      valueStatus: valueStatus(line, context, isStranger),
    })),
    contradictoryPastSales: notice.nothingSold === true && notice.pastSales.length > 0,
    ...noticePlan(notice),
  }
}

/** Returns the value divided by the units, rounded half up to 4 places; null if either is absent or 0. */
export function pricePerUnit({ units, marketValue }: Pick<NoticeLine, 'units' | 'marketValue'>): DecimalText | null {
  const value = marketValue === null ? null : parseDecimal(marketValue)
  if (!units || !value || value.units === 0n) return null
  const divisor = BigInt(units) * 10n ** BigInt(value.scale)
  const steps = (value.units * 10_000n * 2n + divisor) / (2n * divisor)
  return toText({ units: steps, scale: 4 })
}

/** Judges a sale date, which should be about the day of filing. */
export function saleDateStatus(saleDate: DateText | null, filedDay: DateText): SaleDateStatus {
  if (saleDate === null) return 'unreadable'
  const days = daysBetween(filedDay, saleDate)
  return days < -EARLY_DAYS || days > LATE_DAYS ? 'suspect' : 'plausible'
}

function valueStatus(line: NoticeLine, context: NoticeContext, isStranger: boolean): ValueStatus {
  const { units, unitsOutstanding, broker } = line
  const value = line.marketValue === null ? null : parseDecimal(line.marketValue)
  if (units !== null && unitsOutstanding && units > unitsOutstanding) return 'suspect'
  if (value !== null && compare(value, MOST_VALUE) > 0) return 'suspect'
  if (units === null || value === null) return 'unreadable'
  if (value.units === 0n && units > 0) return 'suspect'
  const isUnknown = broker === null || !context.isKnownBroker(broker)
  if (isStranger && isUnknown && compare(value, MOST_OF_STRANGER) > 0) return 'suspect'
  const usual = context.usualPrice(line)
  return usual !== null && isFarFrom(units, value, usual) ? 'suspect' : 'plausible'
}

/** Whether the price per unit is over 5 times the usual price, or less than a fifth of it. */
function isFarFrom(units: number, value: Decimal, usual: DecimalText): boolean {
  const price = parseDecimal(usual)
  if (price === null || price.units === 0n || units === 0) return false
  const expected = multiply(price, { units: BigInt(units), scale: 0 })
  const times = (amount: Decimal): Decimal => ({ units: amount.units * TIMES_USUAL, scale: amount.scale })
  return compare(value, times(expected)) > 0 || compare(times(value), expected) < 0
}

/** Returns the median, or the mean of the middle two rounded to 4 places; null for no prices. */
export function medianPrice(prices: readonly DecimalText[]): DecimalText | null {
  const sorted = prices
    .map((price) => parseDecimal(price))
    .filter((price) => price !== null && price.units > 0n)
    .sort((a, b) => compare(a!, b!)) as Decimal[]
  if (sorted.length === 0) return null
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!]
  const scale = Math.max(low.scale, high.scale)
  const twice = unitsAt(low, scale) + unitsAt(high, scale)
  return toText(round({ units: twice * 5n, scale: scale + 1 }, 4))
}
