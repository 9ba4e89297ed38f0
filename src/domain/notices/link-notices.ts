// Links notices of proposed sales to the sales that Forms 4 report later.
import type { AccessionNumber, Cik, DateText, DecimalText } from '../shared/identifiers.ts'
import type { FiledNotice } from './notice.ts'

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

/** A Form 3, 4 or 5 of an owner of the issuer. Of several with the same name and `left`, the first is enough. */
export interface OwnerReport {
  cik: Cik
  name: string
  /** Acceptance, in seconds since 1970. */
  filedAt: number
  /** The period of report, else the day of filing. */
  day: DateText
  /** It says that the owner is no longer subject to Section 16. */
  left: boolean
}

/** All of one issuer, in any order. What came after `asOf`, in seconds since 1970, is left out of account. */
export interface NoticesAndSales {
  notices: readonly FiledNotice[]
  sales: readonly ReportedSale[]
  owners: readonly OwnerReport[]
  asOf: number
}

export type NoticeState = 'open' | 'partly' | 'fulfilled' | 'not_reported' | 'not_expected' | 'replaced'

/** How the seller was found among the owners of the sales: the first that found one. */
export type LinkedBy = 'cik' | 'holder' | 'name'

/** Units of a sale that count for a notice, a decimal text with at most 4 places. */
export interface SaleAllocation {
  saleId: string
  accession: AccessionNumber
  units: DecimalText
}

export interface NoticeLink {
  accession: AccessionNumber
  state: NoticeState
  /** Null where nothing is allocated. */
  linkedBy: LinkedBy | null
  /** Units of all allocations, at most those of the notice. */
  reportedUnits: DecimalText
  /** The 90 days after the sale date are not over. */
  windowOpen: boolean
  firstSale: DateText | null
  lastSale: DateText | null
  /** In the order of the sales. Those of a group are the same in each of its notices and count once. */
  allocations: SaleAllocation[]
  /** The seller sold depositary shares where the notice is of ordinary ones, or the reverse; not linked. */
  unitsDiffer: boolean
  /** Accession of the oldest of several notices for the same shares, that notice included; null for others. */
  group: AccessionNumber | null
  /** The 144/A that took its place. */
  replacedBy: AccessionNumber | null
}

/** Returns a link for each notice filed by `asOf`, the oldest first. */
export function linkNotices(_input: NoticesAndSales): NoticeLink[] {
  throw new Error('not written yet')
}
