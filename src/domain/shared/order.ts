// Orders: of texts, and of filings by their acceptance.
import type { AccessionNumber } from './identifiers.ts'

/** Compares by code units: negative, zero or positive. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

interface Accepted {
  accession: AccessionNumber
  /** The time of filing, in seconds since 1970. */
  filedAt: number
}

/** Orders by acceptance, then by accession number: the order in which filings are judged, whatever that of arrival. */
export function byAcceptance(a: Accepted, b: Accepted): number {
  return a.filedAt - b.filedAt || compareText(a.accession, b.accession)
}

/** Orders rows by acceptance of their filings, then by their place in the filing: a total order. */
export function byPlace(a: Accepted & { place: number }, b: Accepted & { place: number }): number {
  return byAcceptance(a, b) || a.place - b.place
}
