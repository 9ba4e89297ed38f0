// A sale as Forms 4 and 5 report it, as far as notices are linked to it.
import type { AccessionNumber, Cik, DateText, DecimalText } from '../shared/identifiers.ts'

/**
 * A sale that was reported: a Table I row of a Form 4 or 5 with code S that disposes of securities and is no duplicate
 * of another. The trades of the service are such, with these names.
 */
export interface ReportedSale {
  id: string
  accession: AccessionNumber
  /** 1-based place among the Table I transactions of its document. */
  place: number
  /** Acceptance, in seconds since 1970. */
  filedAt: number
  /** Null where the filed date is impossible: then no notice fits. */
  tradeDay: DateText | null
  shares: DecimalText
  securityTitle: string
  owners: readonly { cik: Cik; name: string }[]
  /** Entities and persons that the nature of ownership and the row's footnotes name, as `holdingOf` returns them. */
  holderNames: readonly string[]
  /** When an amendment superseded it or its filing was withdrawn, in seconds; 0 where it stands. */
  supersededAt: number
}
