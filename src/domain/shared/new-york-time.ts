// New York time: instants (seconds since 1970, UTC) from readings of the New York clock and back, by the rules of
// daylight saving time since 1987. Own arithmetic, because filed years and texts occur that Date and Intl misread.
import { dateOfDay, dayNumber, isRealDate, nthWeekday } from './calendar.ts'
import type { DateText } from './identifiers.ts'

const DAY = 86_400

/**
 * Converts `YYYYMMDDHHMMSS` on the New York clock to an instant; null if that is not a time of day. In the hour that
 * occurs twice the first is meant; in the hour that is skipped the clock is read an hour later.
 */
export function newYorkInstant(stamp: string): number | null {
  const day = /^\d{14}$/.test(stamp) ? dashed(stamp.slice(0, 8)) : null
  if (!day) return null
  const [hour, minute, second] = [8, 10, 12].map((at) => Number(stamp.slice(at, at + 2))) as [number, number, number]
  return hour < 24 && minute < 60 && second < 60 ? newYorkToUtc(day, hour * 3600 + minute * 60 + second) : null
}

/** Returns the date in New York at an instant. */
export function newYorkDay(at: number): DateText {
  const standard = dateOfDay(Math.floor((at - 5 * 3600) / DAY))
  const { start, end } = daylightSaving(Number(standard.slice(0, 4)))
  const daylight = at >= start + 7 * 3600 && at < end + 6 * 3600
  return dateOfDay(Math.floor((at - (daylight ? 4 : 5) * 3600) / DAY))
}

/** Converts a time of day, in seconds, on a New York date to an instant. */
export function newYorkToUtc(day: DateText, secondOfDay: number): number {
  const wall = dayNumber(day) * DAY + secondOfDay
  const { start, end } = daylightSaving(Number(day.slice(0, 4)))
  const daylight = wall >= start + 3 * 3600 && wall < end + 2 * 3600
  return wall + (daylight ? 4 : 5) * 3600
}

/** Formats an instant as `YYYY-MM-DDThh:mm:ssZ`. */
export function timestampOf(at: number): string {
  const day = Math.floor(at / DAY)
  const parts = [3600, 60, 1].map((unit) =>
    String(Math.floor((at - day * DAY) / unit) % (unit === 3600 ? 24 : 60)).padStart(2, '0'),
  )
  return `${dateOfDay(day)}T${parts.join(':')}Z`
}

/** Converts `YYYYMMDD` to a date with dashes; null if there is no such day. */
export function dashed(day: string): DateText | null {
  const text = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`
  return day.length === 8 && isRealDate(text) ? text : null
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
