// Exact decimals for amounts and keys. Filed numbers reach 999,999,999,999.9999 and products twice as far, where
// doubles lose cents; so a value is an integer of 10^-scale steps, and only the two callers that round say so.
import type { DecimalText } from './identifiers.ts'

/** `units / 10^scale`. Filed numbers are never negative, differences may be. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** EDGAR keeps 4 places; 8 leave room for old text. What is longer is rounded half up, once, at parsing. */
const PLACES_KEPT = 8

/**
 * Parses digits with at most one point (`9`, `9.0`, `.5`, `5.`); null for anything else, signs and exponents included.
 */
export function parseDecimal(text: DecimalText): Decimal | null {
  const match = /^(\d*)\.?(\d*)$/.exec(text.trim())
  if (!match) return null
  const [whole, fraction] = [match[1] ?? '', match[2] ?? '']
  if (whole + fraction === '') return null
  return round({ units: BigInt(whole + fraction), scale: fraction.length }, PLACES_KEPT)
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale }
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { units: -b.units, scale: b.scale })
}

/** Multiplies exactly: the places add up. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale }
}

/** Compares for sorting: negative, zero or positive. */
export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const [one, other] = [unitsAt(a, scale), unitsAt(b, scale)]
  return one < other ? -1 : one > other ? 1 : 0
}

/** Rounds to at most `places` places, half away from zero. A value with fewer places stays as it is. */
export function round(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return value
  const step = 10n ** BigInt(value.scale - places)
  const size = value.units < 0n ? -value.units : value.units
  const rounded = (size + step / 2n) / step
  return { units: value.units < 0n ? -rounded : rounded, scale: places }
}

/** Formats the shortest form: no trailing zeros, a digit before the point. Equal values give equal texts. */
export function toText(value: Decimal): DecimalText {
  const negative = value.units < 0n
  const digits = String(negative ? -value.units : value.units).padStart(value.scale + 1, '0')
  const split = digits.length - value.scale
  const fraction = digits.slice(split).replace(/0+$/, '')
  return `${negative ? '-' : ''}${digits.slice(0, split)}${fraction ? `.${fraction}` : ''}`
}

/** Returns shares times price, to the cent; `0` if either is absent, as the contract's `totalValue` has it. */
export function totalValue(shares: DecimalText | null, price: DecimalText | null): DecimalText {
  const [count, each] = [shares && parseDecimal(shares), price && parseDecimal(price)]
  return count && each ? toText(round(multiply(count, each), 2)) : '0'
}

/**
 * Returns a text for keys, one per value (`9` = `9.0`), `` for absent; text that is not a number is returned as it is.
 */
export function comparableDecimal(text: DecimalText | null): string {
  if (text === null) return ''
  const value = parseDecimal(text)
  return value ? toText(value) : text.trim()
}

export function unitsAt(value: Decimal, scale: number): bigint {
  return scale === value.scale ? value.units : value.units * 10n ** BigInt(scale - value.scale)
}
