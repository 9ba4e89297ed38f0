// The instant a filing counts from. EDGAR stamps acceptance on the New York clock without a zone; without a stamp the
// document's own dates stand in, at 22:00, when EDGAR closes, so that a guess never runs ahead of a stamped filing.
import type { DateText, Filing } from './filing.ts'
import { dateOfDay, dayNumber, daysBetween, isRealDate, nthWeekday } from '../shared/calendar.ts'

/** What the instant rests on. Only `accepted` is exact; an alert is raised for nothing else. */
type TimeBasis = 'accepted' | 'filed-date' | 'signature' | 'period' | 'unknown'

export interface FilingTime {
  /** Seconds since 1970. */
  at: number
  basis: TimeBasis
  /** The New York day of filing: FILED AS OF DATE where the header has it, else the day of `at`. */
  day: DateText
}

/** What `filingTime` reads of a filing. */
export type DatedFiling = Pick<Filing, 'header' | 'signatures' | 'periodOfReport' | 'dateOfOriginalSubmission'> & {
  nonDerivative: { date: DateText | null }[]
  derivative: { date: DateText | null }[]
}

const DAY = 86_400
const CLOSING = 22 * 3600
/** EDGAR opened to all in 1994; beyond 2100 is a slip of the pen. */
const FIRST_YEAR = '1994'
const LAST_YEAR = '2101'
/**
 * A signature may stand a little before the period (early signing, a wrong day); a year before is January's old year.
 */
const SIGNED_EARLY_DAYS = 31

/**
 * The acceptance; else 22:00 New York on FILED AS OF DATE, else on the last plausible signature date, else on the
 * period, else (`unknown`) on the latest plausible date anywhere in the document, else 1970. `receivedAt` (seconds)
 * is when the document first came in, as recorded: nothing was filed after that, so later dates are typing errors (41
 * of 36,075 filings of a quarter were signed after their filing date). Plausible: a real date, 1994 to 2100, not
 * after the day of receipt; a signature also not over 31 days before a plausible period.
 */
export function filingTime(filing: DatedFiling, receivedAt: number): FilingTime {
  const filedDay = possible(filing.header?.filedAsOf) ? dashed(filing.header!.filedAsOf!) : null
  const accepted = possible(filing.header?.acceptedAt) ? newYorkInstant(filing.header!.acceptedAt!) : null
  if (accepted !== null) return { at: accepted, basis: 'accepted', day: filedDay ?? newYorkDay(accepted) }
  if (filedDay) return atClosing(filedDay, 'filed-date')

  const latest = newYorkDay(receivedAt)
  const plausible = (date: DateText | null): date is DateText =>
    date !== null && isRealDate(date) && date >= FIRST_YEAR && date < LAST_YEAR && date <= latest
  const period = plausible(filing.periodOfReport) ? filing.periodOfReport : null
  const signed = last(
    filing.signatures
      .map((signature) => signature.date)
      .filter(plausible)
      .filter((date) => period === null || daysBetween(date, period) <= SIGNED_EARLY_DAYS),
  )
  if (signed) return atClosing(signed, 'signature')
  if (period) return atClosing(period, 'period')
  const dates = [
    filing.dateOfOriginalSubmission,
    ...filing.signatures.map((signature) => signature.date),
    ...filing.nonDerivative.map((row) => row.date),
    ...filing.derivative.map((row) => row.date),
  ]
  const any = last(dates.filter(plausible))
  return any ? atClosing(any, 'unknown') : { at: 0, basis: 'unknown', day: '1970-01-01' }
}

/** A header's stamp in a year EDGAR can have written it. */
function possible(stamp: string | null | undefined): boolean {
  return typeof stamp === 'string' && stamp >= FIRST_YEAR && stamp < LAST_YEAR
}

/**
 * `YYYYMMDDHHMMSS` on the New York clock, in seconds since 1970; null where that is no time of day.
 * In the hour that comes twice the first is meant; in the hour that never comes the clock is read an hour on.
 */
export function newYorkInstant(stamp: string): number | null {
  const day = /^\d{14}$/.test(stamp) ? dashed(stamp.slice(0, 8)) : null
  if (!day) return null
  const [hour, minute, second] = [8, 10, 12].map((at) => Number(stamp.slice(at, at + 2))) as [number, number, number]
  return hour < 24 && minute < 60 && second < 60 ? newYorkToUtc(day, hour * 3600 + minute * 60 + second) : null
}

/** The day it is in New York at an instant given in seconds since 1970. */
export function newYorkDay(at: number): DateText {
  const standard = dateOfDay(Math.floor((at - 5 * 3600) / DAY))
  const { start, end } = daylightSaving(Number(standard.slice(0, 4)))
  const daylight = at >= start + 7 * 3600 && at < end + 6 * 3600
  return dateOfDay(Math.floor((at - (daylight ? 4 : 5) * 3600) / DAY))
}

/** `YYYYMMDD` with dashes, or null where there is no such day. */
function dashed(day: string): DateText | null {
  const text = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`
  return day.length === 8 && isRealDate(text) ? text : null
}

function atClosing(day: DateText, basis: TimeBasis): FilingTime {
  return { at: newYorkToUtc(day, CLOSING), basis, day }
}

function newYorkToUtc(day: DateText, secondOfDay: number): number {
  const wall = dayNumber(day) * DAY + secondOfDay
  const { start, end } = daylightSaving(Number(day.slice(0, 4)))
  const daylight = wall >= start + 3 * 3600 && wall < end + 2 * 3600
  return wall + (daylight ? 4 : 5) * 3600
}

/** Seconds since 1970 as `YYYY-MM-DDThh:mm:ssZ`. */
export function timestampOf(at: number): string {
  const day = Math.floor(at / DAY)
  const parts = [3600, 60, 1].map((unit) =>
    String(Math.floor((at - day * DAY) / unit) % (unit === 3600 ? 24 : 60)).padStart(2, '0'),
  )
  return `${dateOfDay(day)}T${parts.join(':')}Z`
}

/**
 * Midnights (wall clock, in seconds) of the days on which daylight time begins and ends: second Sunday of March and
 * first of November since 2007, before that first Sunday of April and last of October (so from 1987; EDGAR is
 * younger).
 */
function daylightSaving(year: number): { start: number; end: number } {
  const start = year >= 2007 ? nthWeekday(year, 3, 0, 2) : nthWeekday(year, 4, 0, 1)
  const end = year >= 2007 ? nthWeekday(year, 11, 0, 1) : nthWeekday(year, 10, 0, -1)
  return { start: dayNumber(start) * DAY, end: dayNumber(end) * DAY }
}

function last(dates: DateText[]): DateText | undefined {
  return dates.sort().at(-1)
}
