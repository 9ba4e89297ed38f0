// Identifiers and text types of the domain. Each identifier has one written form, so that equality is string equality.

/** SEC Central Index Key, always ten digits with leading zeros. */
export type Cik = string
/** `##########-##-######`, or `local-<16 hex digits>` for a document that carries no accession number. */
export type AccessionNumber = string
/** Canonical symbol: upper case, `-` as class separator, such as `BRK-B`. */
export type Ticker = string
/** `YYYY-MM-DD`, a zone suffix cut off. The year is as filed, so `0023-03-23` occurs. */
export type DateText = string
/** Decimal digits with at most one point, such as `106150.00` or `.5`. Never negative, no exponent. */
export type DecimalText = string

/** An accession number within other text. */
export const ACCESSION_NUMBER = /\d{10}-\d{2}-\d{6}/

const ACCESSION = new RegExp(`^${ACCESSION_NUMBER.source}$`)
const ACCESSION_ALONE = new RegExp(`(?<!\\d)${ACCESSION_NUMBER.source}(?!\\d)`)

/** Pads 1 to 10 digits to ten; null for anything else. */
export function parseCik(text: string): Cik | null {
  const digits = text.trim()
  return /^\d{1,10}$/.test(digits) ? digits.padStart(10, '0') : null
}

/** Returns `CIK` and the ten digits, which stand for a company wherever a symbol may. */
export function cikAsSymbol(cik: Cik): string {
  return `CIK${cik}`
}

/** Converts to a whole number. Throws if it is not a CIK: the stores' JSON would turn it into a 0 silently. */
export function cikNumber(cik: Cik): number {
  if (!/^\d{10}$/.test(cik)) throw new Error(`not a CIK: ${cik}`)
  return Number(cik)
}

/** Parses the dashed form and 18 plain digits; null for anything else. */
export function parseAccession(text: string): AccessionNumber | null {
  const trimmed = text.trim()
  if (ACCESSION.test(trimmed)) return trimmed
  if (!/^\d{18}$/.test(trimmed)) return null
  return `${trimmed.slice(0, 10)}-${trimmed.slice(10, 12)}-${trimmed.slice(12)}`
}

/** Converts the whole number that the stores keep to a text of ten digits. */
export function cikOf(number: number | string): Cik {
  return String(number).padStart(10, '0')
}

/**
 * Finds the accession number in the name of a file or folder, searching from the last part of the path to the first.
 */
export function accessionInPath(path: string): AccessionNumber | null {
  for (const part of path.split(/[\\/]/).reverse()) {
    const dashed = ACCESSION_ALONE.exec(part)
    if (dashed) return dashed[0]
    const plain = /(?<!\d)\d{18}(?!\d)/.exec(part)
    if (plain) return parseAccession(plain[0])
  }
  return null
}

/** Returns `<accession>-nd-<n>`, the permanent id of the n-th (from 1) transaction of Table I in its document. */
export function transactionId(accession: AccessionNumber, place: number): string {
  return `${accession}-nd-${place}`
}

const TRANSACTION_ID = /^(.+)-(?:nd|ds)-(\d+)$/

/** Splits the id of a stored transaction, of a document (`-nd-`) or of a data set (`-ds-`). Throws if it is not one. */
export function parseTransactionId(id: string): { accession: AccessionNumber; place: number } {
  const [, accession, place] = TRANSACTION_ID.exec(id) ?? []
  if (accession === undefined) throw new Error(`not a transaction id: ${id}`)
  return { accession, place: Number(place) }
}
