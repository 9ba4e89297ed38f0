// Related filings: what the reconciliation of an issuer's trades needs of filings beside their rows of Table I. Joint
// filings of any form show who reports together; a Form 4/A without rows may withdraw its original.
import type { FormType } from '../../filings/filing.ts'
import type { AccessionNumber, Cik, DateText } from '../../shared/identifiers.ts'
import type { AmendmentWord } from './amendment-words.ts'

export interface RelatedFiling {
  accession: AccessionNumber
  issuerCik: Cik
  form: FormType
  /** Seconds since 1970. */
  filedAt: number
  ownerCiks: Cik[]
  /** The day the original was filed; of amendments. */
  originalDate: DateText | null
  period: DateText | null
  /** What its remarks and footnotes say of the original; of Forms 4/A. */
  amendmentWords: AmendmentWord[]
}

/** Filings that the SEC has withdrawn, with the receipt of its record in seconds since 1970. */
export type WithdrawnFilings = ReadonlyMap<AccessionNumber, number>

/** Returns whether the reconciliation can need the filing. */
export const isRelated = ({
  ownerCiks,
  amendmentWords,
}: Pick<RelatedFiling, 'ownerCiks' | 'amendmentWords'>): boolean => ownerCiks.length > 1 || amendmentWords.length > 0
