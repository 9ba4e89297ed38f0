// Parsers from a field's text to the domain's scalars. Null is a blank, undefined an invalid text: the caller decides
// what to do, and nearly always rejects the document, since a wrong number is worse than none.
import type { DateText, DecimalText } from '../../../../domain/shared/identifiers.ts'

/** EDGAR's own limit is 999,999,999,999.9999; documents before 2005 have longer fractions. */
const DECIMAL = /^(?=\.?\d)0*\d{0,15}(?:\.\d{0,20})?$/
const MAX_DECIMAL = 40

/**
 * Removes `$`, `,` and a leading `+`; the rest stays as filed, with trailing zeros. Never a minus, exponent or NaN.
 */
export function decimalText(text: string | null): DecimalText | null | undefined {
  if (text === null || isDecimal(text)) return text
  const digits = text.replace(/[$,\s]/g, '').replace(/^\+/, '')
  return digits === '' ? null : isDecimal(digits) ? digits : undefined
}

function isDecimal(text: string): boolean {
  return text.length <= MAX_DECIMAL && DECIMAL.test(text)
}

const DATE = /^\d{4}-\d\d-\d\d(?:Z|[+-]\d\d:?\d\d|T.*)?$/

/**
 * Returns the calendar day as written, without a zone suffix or time, neither of which is applied. Any year from 0001
 * on.
 */
export function dateText(text: string | null): DateText | null | undefined {
  if (text === null) return null
  const real = DATE.test(text) && isCalendarDay(+text.slice(0, 4), +text.slice(5, 7), +text.slice(8, 10))
  return real ? text.slice(0, 10) : undefined
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1 || day < 1 || day > (DAYS[month - 1] ?? 0)) return false
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0))
}

/**
 * Returns true for `1` and `true`, false for `0` and `false`, in any case, and null for everything else, blanks
 * included.
 */
export function flag(text: string | null): boolean | null {
  switch (text?.toLowerCase()) {
    case '1':
    case 'true':
      return true
    case '0':
    case 'false':
      return false
    default:
      return null
  }
}

/** Returns one of the allowed letters, in any case. */
export function letter<T extends string>(text: string | null, allowed: readonly T[]): T | null | undefined {
  return text === null ? null : allowed.find((each) => each === text.toUpperCase())
}

/** Returns the text for a message: in quotes, cut to 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)
}
