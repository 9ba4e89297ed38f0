// Calendar quarters, by which the SEC names its data sets: `2024q3`. As text they sort by time.
import type { DateText } from './identifiers.ts'

/** `2024q3`: four digits of the year, `q`, 1 to 4. */
export type Quarter = string

/** Parses `2024q3`, or a data set's file name `2024q3_form345.zip`; null for anything else. */
export function quarterOf(name: string): Quarter | null {
  return /^(\d{4}q[1-4])(?:_form345\.zip)?$/.exec(name)?.[1] ?? null
}

/**
 * Returns all quarters from `first` to `last`, both included. Throws if one is not a quarter, or `last` is before
 * `first`.
 */
export function quartersBetween(first: Quarter, last: Quarter): Quarter[] {
  const [start, end] = [numberOf(first), numberOf(last)]
  if (end < start) throw new Error(`the quarters are the wrong way round: ${last} lies before ${first}`)
  return Array.from({ length: end - start + 1 }, (_, index) => quarterOfNumber(start + index))
}

/** Returns the quarters since the year 0. */
function numberOf(quarter: Quarter): number {
  const [, year, part] = /^(\d{4})q([1-4])$/.exec(quarter) ?? []
  if (year === undefined) throw new Error(`${JSON.stringify(quarter)} must be a quarter such as 2024q3`)
  return Number(year) * 4 + Number(part) - 1
}

function quarterOfNumber(number: number): Quarter {
  return `${String(Math.floor(number / 4)).padStart(4, '0')}q${(number % 4) + 1}`
}

/** Returns the first day of the quarter, such as `2024-07-01`. */
export const firstDayOf = (quarter: Quarter): DateText => `${monthsOf(quarter)[0]}-01`

/** Returns the oldest quarter from which on none is missing up to the newest, of sorted ones; null for none. */
export function startOfLastRun(quarters: readonly Quarter[]): Quarter | null {
  const isBegin = (quarter: Quarter, index: number) =>
    index === 0 || numberOf(quarters[index - 1]!) !== numberOf(quarter) - 1
  return quarters.findLast(isBegin) ?? null
}

/** Returns the quarter's months, such as `2024-07`. */
export function monthsOf(quarter: Quarter): string[] {
  const first = (numberOf(quarter) % 4) * 3 + 1
  return [first, first + 1, first + 2].map((month) => `${quarter.slice(0, 4)}-${String(month).padStart(2, '0')}`)
}
