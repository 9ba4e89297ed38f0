// Calendar dates as `YYYY-MM-DD` text, and the business days of the SEC. Own arithmetic instead of Date: filed years
// such as 0023 occur, which Date moves to the 1900s, and no time zone can interfere.
import type { DateText } from './identifiers.ts'

/** Checks for a four-digit year and a day that exists; does not judge whether the year is plausible. */
export function isRealDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const { year, month, day } = parts(text)
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** Returns the days since 1970-01-01 of a real date (Gregorian throughout). */
export function dayNumber(date: DateText): number {
  const { year, month, day } = parts(date)
  // Years counted from March put the leap day last, so that months have fixed offsets.
  const marchYear = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  return marchYear * 365 + leapDays + dayOfYear - 719468
}

/** Returns the date of a day number; the inverse of `dayNumber`. */
export function dateOfDay(day: number): DateText {
  const shifted = day + 719468
  const era = Math.floor(shifted / 146097)
  const dayOfEra = shifted - era * 146097
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return dateText(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth)
}

/** Returns the days from `from` to `to`, negative if `to` is earlier. Both must be real dates. */
export function daysBetween(from: DateText, to: DateText): number {
  return dayNumber(to) - dayNumber(from)
}

export function addDays(date: DateText, days: number): DateText {
  return dateOfDay(dayNumber(date) + days)
}

/** Returns the same day `years` later (or earlier); 29 February becomes the 28th if the year has none. */
export function addYears(date: DateText, years: number): DateText {
  const { year, month, day } = parts(date)
  return dateText(year + years, month, Math.min(day, daysInMonth(year + years, month)))
}

/** Returns the same day `months` later (or earlier), or the last day of that month if it has no such day. */
export function addMonths(date: DateText, months: number): DateText {
  const { year, month, day } = parts(date)
  const total = year * 12 + month - 1 + months
  const [newYear, newMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1]
  return dateText(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)))
}

/** Returns the first business day after `date`, which need not be one itself. */
export function nextBusinessDay(date: DateText): DateText {
  let day = addDays(date, 1)
  while (!isBusinessDay(day)) day = addDays(day, 1)
  return day
}

/** Checks for Monday to Friday and no federal holiday. Single closings by executive order are not known here. */
export function isBusinessDay(date: DateText): boolean {
  const weekday = weekdayOf(date)
  return weekday !== 0 && weekday !== 6 && !isFederalHoliday(date, weekday)
}

/** Checks for a holiday on a weekday, or a Friday or Monday on which one that falls on a weekend is observed. */
function isFederalHoliday(date: DateText, weekday: number): boolean {
  if (isFixedHoliday(date)) return true
  if (weekday === 5 && isFixedHoliday(addDays(date, 1))) return true
  if (weekday === 1 && isFixedHoliday(addDays(date, -1))) return true
  return isMovingHoliday(date, weekday)
}

/** Returns the `count`-th `weekday` (0 = Sunday) of a month; -1 is the last. */
export function nthWeekday(year: number, month: number, weekday: number, count: number): DateText {
  const last = count < 0
  const edge = dateText(year, month, last ? daysInMonth(year, month) : 1)
  const gap = last ? -((weekdayOf(edge) - weekday + 7) % 7) : ((weekday - weekdayOf(edge) + 7) % 7) + 7 * (count - 1)
  return addDays(edge, gap)
}

/** Returns the day of the week, 0 = Sunday. */
export function weekdayOf(date: DateText): number {
  return (((dayNumber(date) + 4) % 7) + 7) % 7
}

const FIXED_HOLIDAYS: ReadonlySet<string> = new Set(['01-01', '06-19', '07-04', '11-11', '12-25'])

function isFixedHoliday(date: DateText): boolean {
  const monthDay = date.slice(5)
  // Juneteenth is a holiday since 2021.
  return FIXED_HOLIDAYS.has(monthDay) && (monthDay !== '06-19' || date >= '2021')
}

function isMovingHoliday(date: DateText, weekday: number): boolean {
  if (weekday !== 1 && weekday !== 4) return false
  const { month, day } = parts(date)
  const week = Math.ceil(day / 7)
  if (weekday === 4) return month === 11 && week === 4
  const third = week === 3 && (month === 1 || month === 2)
  return third || (month === 5 && day > 24) || (month === 9 && week === 1) || (month === 10 && week === 2)
}

function parts(date: DateText): { year: number; month: number; day: number } {
  return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), day: Number(date.slice(8, 10)) }
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function dateText(year: number, month: number, day: number): DateText {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** Returns the business days from one date to another, both included. */
export function businessDays(from: DateText, to: DateText): DateText[] {
  const days: DateText[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) if (isBusinessDay(day)) days.push(day)
  return days
}
