// A Table I transaction of a Form 4 or 4/A: what its filing says, and what was decided about it.
import type { AccessionNumber, Cik, Ticker, DateText, DecimalText } from '../shared/identifiers.ts'
import type { AveragePrice } from './average-price.ts'
import type { FilingDelay } from './filing-delay.ts'
import type { FirstBuy } from './first-buys.ts'
import type { PriceStatus } from './price-status.ts'
import type { Severity } from './significance.ts'
import type { AmendmentWord } from './reconciliation/amendment-words.ts'
import type { Holding } from './holding.ts'
import type { SharesStatus } from './shares-status.ts'
import type { Plan } from '../filings/trading-plan/trading-plan.ts'
import type { TransactionType } from './transaction-codes.ts'

/** The permanent identity of a stored row. */
export interface TradeKey {
  accession: AccessionNumber
  /** 1-based place among the Table I transactions of its document. */
  place: number
  issuerCik: Cik
  /** The instant the feed orders by, in seconds since 1970. */
  filedAt: number
  ownerCiks: Cik[]
}

/** An owner as this filing shows them. */
export interface TradeOwner {
  cik: Cik
  name: string
  /** All roles that apply, joined. */
  title: string
  isDirector: boolean
  isOfficer: boolean
  isTenPercentOwner: boolean
  isOther: boolean
}

/** Read from the filing alone; never changes while the document stands. */
export interface TradeFacts extends TradeKey, FilingDelay, AveragePrice {
  id: string
  companyName: string
  /** A Form 4/A. */
  amendment: boolean
  /** The day the original was filed, on amendments. */
  originalDate: DateText | null
  /** The period of report. */
  period: DateText | null
  /** What remarks and footnotes of an amendment say of the original. */
  amendmentWords: AmendmentWord[]
  /** New York day of filing. */
  filedDay: DateText
  filedBasis: string
  owners: TradeOwner[]
  /** The owner who acts for the filing. */
  insiderCik: Cik
  insiderName: string
  insiderTitle: string
  /** An owner is CEO. */
  ceo: boolean
  /** An owner is CFO. */
  cfo: boolean
  type: TransactionType
  code: string
  acquiredDisposed: string
  directIndirect: string
  /** How an indirect holding is held. */
  holding: Holding
  /** Entities and persons that the nature of ownership and the row's footnotes name, normalised. */
  holderNames: string[]
  securityTitle: string
  /** As filed, 10 characters; impossible and doubtful ones included. */
  date: string
  /** The trade date where it is plausible. */
  tradeDay: DateText | null
  shares: DecimalText
  /** Null where the filing gives none. */
  priceFiled: DecimalText | null
  sharesAfter: DecimalText | null
  /** Shares times price, to the cent. */
  totalValue: DecimalText
  /** In a security that trades abroad, so that the price may be in another currency. */
  foreign: boolean
  /** The price is not in US dollars for one unit of the security: another currency, a depositary share, debt. */
  otherUnit: boolean
  /** `suspect` where the holdings in the same filing contradict the number of shares. */
  sharesStatus: SharesStatus
  /** Symbols typed in the filing, cleaned. */
  symbols: Ticker[]
  /** Made under a Rule 10b5-1 plan. */
  plan: Plan['plan']
  /** What that is based on. */
  planSource: Plan['source']
}

/** Decided from all filings of the issuer together; may change when another filing comes. */
export interface TradeVerdict extends SignalMarks {
  ticker: string
  priceStatus: PriceStatus
  /**
   * Acceptance of the filing whose balances show the reverse split that explains a price that was suspect until then,
   * in seconds; 0 where it was never suspect, or still is.
   */
  suspectUntil: number
  /** Shown in the feed and counted. */
  listed: boolean
  /** Id of the shown row of the same economic event, or ''. */
  duplicateOf: string
  /** Accession of the amendment that superseded it, its own if the SEC withdrew its filing, or ''. */
  supersededBy: string
  /** Acceptance of that amendment, or receipt of the withdrawal, in seconds; 0 where there is none. */
  supersededAt: number
  /** In a 4/A that fits several originals equally well, and so supersedes nothing. */
  ambiguous: boolean
  /** Owners in whose profile the row counts, or counted until it was superseded. */
  profileCiks: Cik[]
  significance: Severity
}

/** What the signals say of a trade. */
export interface SignalMarks extends FirstBuy {
  /** Labels, newest rule result first. */
  signals: string[]
  /** The highest severity among its signals; `low` where it has none. */
  signalled: Severity
  /** The insider traded in this month of the calendar in each of the three years before. */
  routine: boolean
  /** What was shown before, oldest first; at a time the first whose `until` is later, else the present. */
  earlier: EarlierMarks[]
}

/** What was shown of a trade until an instant. */
export interface EarlierMarks {
  /** In seconds since 1970, exclusive. */
  until: number
  significance: Severity
  signals: string[]
}

export interface Trade extends TradeFacts, TradeVerdict {}
