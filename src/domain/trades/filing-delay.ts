// Decides how long a transaction took to be filed, and whether that was late. Form 4 is due before the end of the second
// business day after the transaction; transactions that are due by other rules are never late.
import type { Filing, NonDerivativeRow } from '../filings/filing.ts'
import { filingDayFrom, filingDaysAfter } from '../shared/filing-days.ts'
import type { DateText } from '../shared/identifiers.ts'
import { addDays, isRealDate } from '../shared/calendar.ts'
import { dashed } from '../shared/new-york-time.ts'
import { isEstimated } from '../filings/acceptance-time.ts'

export interface FilingDelay {
  /** Business days after the trade up to the filing; null where either day is not known. */
  businessDays: number | null
  /** Filed after it was due; null where it was not due within two days, or that can't be told. */
  late: boolean | null
}

/** The rules, in business days unless said otherwise. */
export const DELAY_RULES = {
  /** Business days within which Form 4 is due. */
  due: 2,
  /**
   * Codes of what is due then. Not: gifts and inheritance, small acquisitions, deposits into voting trusts and
   * expirations, which may wait for Form 5; and `J`, which may be anything.
   */
  codes: ['P', 'S', 'A', 'D', 'F', 'I', 'M', 'C', 'O', 'X', 'U', 'K'],
  /** Before, Form 4 was due in the month after. */
  since: '2002-08-29',
  /** Gifts made are due as well since then; gifts received are not. */
  giftsSince: '2023-02-27',
  /** Business days by which the date of execution is deemed to be later, at most: Rule 16a-3(g). */
  deemed: 3,
} as const

/** EDGAR closes at ten in the evening; what is accepted later is filed on the next day on which it is open. */
const CLOSING = '220000'

/**
 * Returns the day on which a filing counts as filed: FILED AS OF DATE where the header has it, else by the time of
 * acceptance. Null where the day is only made out from the document.
 */
export function filingDayOf(header: Filing['header'], time: { day: DateText; basis: string }): DateText | null {
  if (isEstimated(time.basis)) return null
  const accepted = header?.acceptedAt ?? ''
  if (time.basis !== 'accepted' || dashed(header?.filedAsOf ?? '') === time.day) return time.day
  return filingDayFrom(accepted.slice(8) >= CLOSING ? addDays(time.day, 1) : time.day)
}

type DelayedRow = Pick<
  NonDerivativeRow,
  'code' | 'acquiredDisposed' | 'formType' | 'timeliness' | 'deemedExecutionDate'
> & { tradeDay: DateText | null }

/** Returns how long the row took. `filedOn`: the day on which its filing counts as filed, if that is known. */
export function filingDelay(row: DelayedRow, filedOn: DateText | null, isAmendment: boolean): FilingDelay {
  const { tradeDay } = row
  if (tradeDay === null || filedOn === null) return { businessDays: null, late: null }
  const businessDays = filingDaysAfter(tradeDay, filedOn)
  if (isAmendment || !isDueInTwoDays(row, tradeDay)) return { businessDays, late: null }
  const deemed = deemedDay(row, tradeDay, filedOn)
  const counted = deemed === null ? businessDays : filingDaysAfter(deemed, filedOn)
  return { businessDays, late: counted > DELAY_RULES.due }
}

/** Returns the day on which the trade is deemed to have been executed, where the row gives a possible one. */
export function deemedDay(
  { deemedExecutionDate: deemed }: Pick<NonDerivativeRow, 'deemedExecutionDate'>,
  tradeDay: DateText,
  filedOn: DateText,
): DateText | null {
  if (deemed === null || deemed <= tradeDay || deemed > filedOn || !isRealDate(deemed)) return null
  return filingDaysAfter(tradeDay, deemed) <= DELAY_RULES.deemed ? deemed : null
}

/** Checks whether the row was due two business days after it, if it was of that day. */
export function isDueInTwoDays(
  { code, acquiredDisposed, formType, timeliness }: Omit<DelayedRow, 'deemedExecutionDate' | 'tradeDay'>,
  tradeDay: DateText,
): boolean {
  // A row that could wait for Form 5 says so, or that it is early.
  if (formType === '5' || timeliness === 'E' || tradeDay < DELAY_RULES.since) return false
  const isGift = code === 'G' && acquiredDisposed === 'D' && tradeDay >= DELAY_RULES.giftsSince
  return isGift || DELAY_RULES.codes.some((each) => each === code)
}
