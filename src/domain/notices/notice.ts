// A Form 144, the notice of a proposed sale, as its document and SGML header state it. Nothing is inferred but the
// roles that the words of a relationship name. Addresses, phone numbers, e-mail addresses, access codes, attachments
// and the names of signers are left out. Money stays the decimal text that was filed; null means absent or unreadable,
// never zero.
import type { DocumentKind, SubmissionHeader } from '../filings/filing.ts'
import type { AccessionNumber, Cik, DateText, DecimalText } from '../shared/identifiers.ts'

export type NoticeForm = '144' | '144/A'

export interface Notice {
  /** As in `Filing`. */
  accession: AccessionNumber
  kind: DocumentKind
  form: NoticeForm
  /** previousAccessionNumber, on amendments; EDGAR does not check that it exists. */
  previousAccession: AccessionNumber | null
  issuer: NoticeIssuer
  seller: NoticeSeller
  /** What is to be sold, one line for each class and broker, in document order. */
  lines: NoticeLine[]
  /** How and when the securities were acquired. Their units are lots, not what is to be sold. */
  acquisitions: NoticeAcquisition[]
  /** Sales of the last three months by the seller, and by persons whose sales count with the seller's. */
  pastSales: PastSale[]
  /** nothingToReportFlagOnSecuritiesSoldInPast3Months; may contradict `pastSales`. */
  nothingSold: boolean | null
  remarks: string | null
  noticeDate: DateText | null
  /** Days on which Rule 10b5-1 plans were adopted or instructions given, as filed; a day may repeat. */
  planAdoptionDates: DateText[]
  /** Fields with a text that could not be read as what they should hold, such as `lines 2, saleDate`. */
  unreadable: string[]
  /** Null for a bare document. */
  header: SubmissionHeader | null
}

export interface NoticeIssuer {
  /** issuerCik. EDGAR's feed and folders may name the seller instead. */
  cik: Cik
  /** As typed. */
  name: string
  /** secFileNumber. */
  fileNumber: string | null
}

export interface NoticeSeller {
  /** The filing person: the seller, or the insider behind the trust or company that is named. */
  cik: Cik
  /** As typed; not the name by which EDGAR knows the CIK. */
  name: string
  relationships: Relationship[]
}

export interface Relationship {
  /** As typed. */
  text: string
  /** The roles that it names, in the order of `RelationshipRole`; only `other` if it names none. */
  roles: RelationshipRole[]
}

/** `former` is given beside the roles that the person had. */
export type RelationshipRole = 'officer' | 'director' | 'tenPercent' | 'former' | 'other'

/** A row of securitiesInformation. */
export interface NoticeLine {
  classTitle: string
  /** noOfUnitsSold: units to be sold. */
  units: number | null
  /** aggregateMarketValue, in US dollars. */
  marketValue: DecimalText | null
  unitsOutstanding: number | null
  /** approxSaleDate. */
  saleDate: DateText | null
  /** As typed. */
  exchange: string | null
  /** The firm. */
  broker: string | null
}

/** A row of securitiesToBeSold. */
export interface NoticeAcquisition {
  classTitle: string
  acquiredDate: DateText | null
  nature: string | null
  /** Mostly the issuer; may be a private person. */
  from: string | null
  gift: boolean | null
  donorAcquiredDate: DateText | null
  units: number | null
  paymentDate: DateText | null
  payment: string | null
}

/** A row of securitiesSoldInPast3Months. */
export interface PastSale {
  seller: string
  classTitle: string
  saleDate: DateText | null
  units: number | null
  grossProceeds: DecimalText | null
}

/** A notice with the time of its filing, by which notices are ordered. */
export interface FiledNotice extends Notice {
  /** Acceptance or the best estimate of it, in seconds since 1970. */
  filedAt: number
  /** New York day of filing. */
  filedDay: DateText
  filedBasis: string
}
