// The time of a filing, by which it is ordered. EDGAR stamps acceptance in New York time without a zone; without a
// stamp the document's own dates are used, at 22:00, when EDGAR closes, so that an estimate is never earlier than a
// stamped filing.
import type { Filing } from './filing.ts'
import { daysBetween, isRealDate } from '../shared/calendar.ts'
import type { DateText } from '../shared/identifiers.ts'
import { dashed, newYorkDay, newYorkInstant, newYorkToUtc } from '../shared/new-york-time.ts'

/** What the instant is based on. Only `accepted` is exact; alerts are raised for nothing else. */
type TimeBasis = 'accepted' | 'filed-date' | 'signature' | 'period' | 'unknown'

/**
 * The bases of a time that no record of the filing gives: the day may be too early, so such filings are left out of
 * answers as of an instant.
 */
export const ESTIMATED_BASES = ['signature', 'period', 'unknown'] as const satisfies readonly TimeBasis[]

/** Returns whether a time of this basis is only made out from the document. */
export const isEstimated = (basis: string): boolean => ESTIMATED_BASES.some((each) => each === basis)

interface FilingTime {
  /** Seconds since 1970. */
  at: number
  basis: TimeBasis
  /** The New York day of filing: FILED AS OF DATE where the header has it, else the day of `at`. */
  day: DateText
}

/** The parts of a filing that `filingTime` reads. */
export type DatedFiling = Pick<Filing, 'header' | 'signatures' | 'periodOfReport' | 'dateOfOriginalSubmission'> & {
  nonDerivative: { date: DateText | null }[]
  derivative: { date: DateText | null }[]
}

const CLOSING = 22 * 3600
/** EDGAR opened to all in 1994; a year beyond 2100 is a typing error. */
const FIRST_YEAR = '1994'
const LAST_YEAR = '2101'
/**
 * A signature may be dated a little before the period (early signing, a wrong day); a year before is last year's date,
 * typed in January.
 */
const SIGNED_EARLY_DAYS = 31

/**
 * Returns the acceptance; else 22:00 New York time on FILED AS OF DATE, else on the last plausible signature date, else
 * on the period, else (`unknown`) on the latest plausible date anywhere in the document, else 1970. `receivedAt`
 * (seconds) is when the document was first received: nothing was filed after that, so later dates are typing errors.
 * Plausible: a real date, 1994 to 2100, not after the day of receipt; a signature also not over 31 days before a
 * plausible period.
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

/** Checks that a header's stamp is in a year in which EDGAR can have written it. */
function possible(stamp: string | null | undefined): boolean {
  return typeof stamp === 'string' && stamp >= FIRST_YEAR && stamp < LAST_YEAR
}

function atClosing(day: DateText, basis: TimeBasis): FilingTime {
  return { at: newYorkToUtc(day, CLOSING), basis, day }
}

function last(dates: DateText[]): DateText | undefined {
  return dates.sort().at(-1)
}
