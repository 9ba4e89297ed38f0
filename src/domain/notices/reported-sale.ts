// A sale in a Form 4 or 5, with the fields that linking notices needs.
import type { AccessionNumber, Cik, DateText, DecimalText } from '../shared/identifiers.ts'

/**
 * A reported sale: a Table I row of a Form 4 or 5 with code S that disposes of securities and is not a duplicate of
 * another. `Trade` has these fields.
 */
export interface ReportedSale {
  id: string
  accession: AccessionNumber
  /** 1-based place among the Table I transactions of its document. */
  place: number
  /** Acceptance, in seconds since 1970. */
  filedAt: number
  /** Null if the filed date is not plausible: then no notice fits. */
  tradeDay: DateText | null
  shares: DecimalText
  securityTitle: string
  owners: readonly { cik: Cik; name: string }[]
  /** Entities and persons that the nature of ownership and the row's footnotes name, as `holdingOf` returns them. */
  holderNames: readonly string[]
  /** When an amendment superseded it or its filing was withdrawn, in seconds; 0 if neither happened. */
  supersededAt: number
}
