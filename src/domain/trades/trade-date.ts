// Plausibility of a row's date. Filers type years such as 0023, or last year's in January; such rows are shown as filed
// and marked, and signals leave them out. Nothing is repaired.
import type { NonDerivativeRow } from '../filings/filing.ts'
import { addYears, isRealDate } from '../shared/calendar.ts'
import { filingDaysAfter } from '../shared/filing-days.ts'
import type { DateText } from '../shared/identifiers.ts'
import { deemedDay, DELAY_RULES, isDueInTwoDays } from './filing-delay.ts'

/**
 * `impossible`: there is no such day, or it is after the filing or more than 3 years before it. `doubtful`: the
 * filing's own period contradicts it.
 */
export type TradeDateStatus = 'plausible' | 'doubtful' | 'impossible'

/** Business days that a row may be dated before the period without contradicting it. */
const DAYS_BEFORE_PERIOD = 2

type DatedRow = Pick<
  NonDerivativeRow,
  'date' | 'code' | 'acquiredDisposed' | 'formType' | 'timeliness' | 'deemedExecutionDate'
>

/** The days of a filing. */
export interface FilingDates {
  filedDay: DateText
  /** The day on which it counts as filed, which after 22:00 is the next one; the day of filing if that is not known. */
  filedOn: DateText
  /** The period of report. */
  period: DateText | null
  /** The day on which the original was filed, on amendments. */
  originalDate: DateText | null
}

/** Returns the row's date if it is plausible, else null. */
export function tradeDayOf(row: DatedRow, filing: FilingDates): DateText | null {
  const { date } = row
  return date !== null && isPossible(date, filing.filedDay) && !contradictsPeriod({ ...row, date }, filing)
    ? date
    : null
}

/** Checks for a possible date that the filing's period contradicts. */
export const isDoubtful = (row: DatedRow, filing: FilingDates): boolean =>
  tradeDayOf(row, filing) === null && row.date !== null && isPossible(row.date, filing.filedDay)

/** Returns the status of a date, of which `tradeDay` is null if it is not plausible. */
export function tradeDateStatus(trade: {
  date: DateText
  tradeDay: DateText | null
  filedDay: DateText
}): TradeDateStatus {
  if (trade.tradeDay !== null) return 'plausible'
  return isPossible(trade.date, trade.filedDay) ? 'doubtful' : 'impossible'
}

const isPossible = (date: DateText, filedDay: DateText): boolean =>
  isRealDate(date) && date <= filedDay && date >= addYears(filedDay, -3)

/**
 * Checks whether a row due in two business days is dated more than two of them before the period, the date of the
 * earliest transaction, while the filing was in time for the period and not for the row: then the row's date is more
 * likely a slip than late. A belated filing, whose period is as old, contradicts nothing.
 */
function contradictsPeriod(
  row: DatedRow & { date: DateText },
  { filedOn, period, originalDate }: FilingDates,
): boolean {
  if (period === null || !isRealDate(period) || row.date >= period || !isDueInTwoDays(row, period)) return false
  const isAmendment = originalDate !== null && isRealDate(originalDate)
  const submitted = isAmendment && originalDate >= period && originalDate < filedOn ? originalDate : filedOn
  const isLate = (day: DateText) => filingDaysAfter(day, submitted) > DELAY_RULES.due
  return (
    period <= submitted &&
    filingDaysAfter(row.date, period) > DAYS_BEFORE_PERIOD &&
    !isLate(period) &&
    isLate(deemedDay(row, row.date, submitted) ?? row.date)
  )
}
