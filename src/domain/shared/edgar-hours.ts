// EDGAR's opening hours, 06:00 to 22:00 New York time on federal business days, and how often to poll it. Instants are
// seconds since 1970.
import { addDays, isBusinessDay } from './calendar.ts'
import type { DateText } from './identifiers.ts'
import { newYorkDay, newYorkInstant } from './new-york-time.ts'

const OPENING = '060000'
const CLOSING = '220000'

/** Filings show up 1 to 3 minutes after acceptance, so the last of a day show up after EDGAR has closed. */
const TRAILING = 600
const BUSY_WAIT = 10
/**
 * Polls at night and on weekends too: what the calendar takes for a holiday may not be one, and a request a minute
 * costs little.
 */
const QUIET_WAIT = 60
/**
 * Open time without a Form 4. The quietest day of a measured quarter had 227; by the hours of another day some 3 an
 * hour of them came from 06:00 to 10:00, the slowest stretch, where two hours without one are a chance of 1 in 400.
 */
const SUSPICIOUS_SILENCE = 2 * 3600
/** Longer than any gap between two openings; a first start has no last filing at all. */
const LOOK_BACK = 14 * 86_400

/** Returns whether EDGAR accepts filings. Closings by executive order or for bad weather are not known here. */
export function isEdgarOpen(at: number): boolean {
  const { from, to } = openingOf(newYorkDay(at))
  return at >= from && at < to
}

/** Returns the seconds between two polls of the current feed: 10 while it moves, else 60 or up to the next opening. */
export function pollWait(at: number): number {
  const day = newYorkDay(at)
  const { from, to } = openingOf(day)
  if (at >= from && at < to + TRAILING) return BUSY_WAIT
  return at < from && from - at < QUIET_WAIT ? from - at : QUIET_WAIT
}

/** Returns whether more than two hours of open time have passed since the last filing seen (null: none ever). */
export function isSilenceSuspicious(at: number, lastFilingAt: number | null): boolean {
  return openSeconds(Math.max(lastFilingAt ?? -Infinity, at - LOOK_BACK), at) > SUSPICIOUS_SILENCE
}

/** Returns the last business day before `date`, which need not be one itself. */
export function previousBusinessDay(date: DateText): DateText {
  let day = addDays(date, -1)
  while (!isBusinessDay(day)) day = addDays(day, -1)
  return day
}

/** Returns the seconds of open time from one instant to a later one. */
function openSeconds(since: number, until: number): number {
  let sum = 0
  for (let day = newYorkDay(since); day <= newYorkDay(until); day = addDays(day, 1)) {
    const { from, to } = openingOf(day)
    sum += Math.max(0, Math.min(to, until) - Math.max(from, since))
  }
  return sum
}

/** Returns the opening and closing instants of a day; an empty span if it is not a business day. */
function openingOf(day: DateText): { from: number; to: number } {
  const at = (time: string): number => newYorkInstant(day.replaceAll('-', '') + time)!
  return isBusinessDay(day) ? { from: at(OPENING), to: at(CLOSING) } : { from: Infinity, to: -Infinity }
}
