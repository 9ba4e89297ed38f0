// The days that count when a filing is due: business days on which the SEC accepts filings. Counted by tables of
// months.
import { addDays, dateOfDay, dayNumber, isBusinessDay } from './calendar.ts'
import type { DateText } from './identifiers.ts'

/**
 * Business days of the calendar on which federal offices were closed by executive order: EDGAR was closed too on those
 * days of mourning and Christmas Eves of which it is known. A day too many makes a filing timely, never late.
 */
const CLOSED_BY_ORDER: ReadonlySet<DateText> = new Set([
  '2001-12-24',
  '2003-12-26',
  '2004-06-11',
  '2007-01-02',
  '2007-12-24',
  '2008-12-26',
  '2012-12-24',
  '2014-12-26',
  '2018-12-05',
  '2018-12-24',
  '2019-12-24',
  '2020-12-24',
  '2024-12-24',
  '2025-01-09',
  '2025-12-24',
  '2025-12-26',
])

/** Checks for a business day on which filings can be made. Closings for bad weather are not known here. */
export const isFilingDay = (date: DateText): boolean => isBusinessDay(date) && !CLOSED_BY_ORDER.has(date)

/** Returns the first day on which filings can be made from `date` on. */
export function filingDayFrom(date: DateText): DateText {
  let day = date
  while (!isFilingDay(day)) day = addDays(day, 1)
  return day
}

interface FilingDays {
  /** Filing days before each month, from January of `FIRST_YEAR` on. */
  before: number[]
  /** The filing days of each month as bits: bit 1 is the first of the month. */
  bits: number[]
}

/** EDGAR began after the first, and the times of the stores end in the last. */
const FIRST_YEAR = 1990
const LAST_YEAR = 2106

let cached: FilingDays | undefined

/** Returns the tables, which are made once. */
function filingDays(): FilingDays {
  return (cached ??= makeFilingDays())
}

function makeFilingDays(): FilingDays {
  const days: FilingDays = { before: [], bits: [] }
  let count = 0
  const end = dayNumber(`${LAST_YEAR + 1}-01-01`)
  for (let day = dayNumber(`${FIRST_YEAR}-01-01`); day < end; day += 1) {
    const date = dateOfDay(day)
    if (date.endsWith('-01')) {
      days.before.push(count)
      days.bits.push(0)
    }
    if (!isFilingDay(date)) continue
    count += 1
    days.bits[days.bits.length - 1]! += 2 ** Number(date.slice(8))
  }
  return days
}

/** Returns the number of filing days after the first date, up to and including the second. */
export function filingDaysAfter(from: DateText, to: DateText): number {
  return filingDaysUntil(to) - filingDaysUntil(from)
}

/** Counts the filing days up to a date of these years. */
function filingDaysUntil(date: DateText): number {
  const { before, bits } = filingDays()
  const month = (Number(date.slice(0, 4)) - FIRST_YEAR) * 12 + Number(date.slice(5, 7)) - 1
  let count = before[month]!
  for (let left = bits[month]! & (2 ** (Number(date.slice(8)) + 1) - 1); left !== 0; left &= left - 1) count += 1
  return count
}
