// Spans of months before a day, for rules whose spans an operator may set.
import { addDays, addYears, daysBetween } from './calendar.ts'
import type { DateText } from '../filings/filing.ts'

/** The same day `months` later (or earlier); the month's last day where it has no such day. */
export function addMonths(date: DateText, months: number): DateText {
  if (months % 12 === 0) return addYears(date, months / 12)
  const total = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months
  const month = `${digits(Math.floor(total / 12), 4)}-${digits((total % 12) + 1, 2)}`
  // 31 days on from its first day is in the next month.
  const next = addDays(`${month}-01`, 31).slice(0, 7)
  return `${month}-${digits(Math.min(Number(date.slice(8, 10)), daysBetween(`${month}-01`, `${next}-01`)), 2)}`
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0')
}
