// Intervals of the calendar into which trades are summed: days, weeks from Monday, months and quarters.
import { addDays, addMonths, weekdayOf } from './calendar.ts'
import type { DateText } from './identifiers.ts'

export const INTERVALS = ['day', 'week', 'month', 'quarter'] as const
export type Interval = (typeof INTERVALS)[number]

/** Returns the first day of the interval that the day is in. */
export function startOfInterval(day: DateText, interval: Interval): DateText {
  if (interval === 'day') return day
  if (interval === 'week') return addDays(day, -((weekdayOf(day) + 6) % 7))
  const month = Number(day.slice(5, 7))
  const first = interval === 'month' ? month : month - ((month - 1) % 3)
  return `${day.slice(0, 4)}-${String(first).padStart(2, '0')}-01`
}

/** Returns the first day of the interval `count` later, or earlier, than the one that begins on `start`. */
export function moveInterval(start: DateText, interval: Interval, count: number): DateText {
  if (interval === 'day') return addDays(start, count)
  if (interval === 'week') return addDays(start, 7 * count)
  return addMonths(start, interval === 'month' ? count : 3 * count)
}

/** Returns the first days of the intervals from one day's to another's, both included; null for over `most`. */
export function intervalsBetween(from: DateText, to: DateText, interval: Interval, most: number): DateText[] | null {
  const starts: DateText[] = []
  for (let start = startOfInterval(from, interval); start <= to; start = moveInterval(start, interval, 1)) {
    if (starts.push(start) > most) return null
  }
  return starts
}
