// Signals, the trades they are made from, and their evidence. Times in seconds since 1970, amounts in whole cents.
import type { AccessionNumber, Cik, DateText } from '../shared/identifiers.ts'
import type { PriceStatus } from '../trades/price-status.ts'
import type { SharesStatus } from '../trades/shares-status.ts'
import type { Severity, Standing } from '../trades/significance.ts'

export const SIGNAL_TYPES = ['cluster_buy', 'cluster_sell', 'unusual_size', 'ceo_trade', 'reversal'] as const
export type SignalType = (typeof SIGNAL_TYPES)[number]
export type Direction = 'buy' | 'sell'

/** A transaction with code P or S of a Form 4 or 4/A, with what the rules of signals need. */
export interface SignalTrade {
  id: string
  accession: AccessionNumber
  place: number
  /** The filing time, in seconds. */
  filedAt: number
  filedDay: DateText
  /** Whether the day on which it was filed is known: answers as of an instant leave out all others. */
  isDayKnown: boolean
  /** The trade date where it is possible. */
  day: DateText | null
  /** Null where the acquired/disposed code contradicts P or S. */
  direction: Direction | null
  /** P is buy, S is sell, whatever the acquired/disposed code. */
  directionByCode: Direction
  /** Shares times price. */
  valueCents: number
  /** Of a share, US dollars as filed; 0 where the filing gives none. */
  price: number
  priceStatus: PriceStatus
  /** When a suspect price was explained; 0 where it never was. Signals don't change the past, so none counts it. */
  suspectUntil: number
  sharesStatus: SharesStatus
  plan: 'unknown' | 'no' | 'yes'
  ownerCiks: Cik[]
  /** Of the owner who acts for the filing. */
  insiderName: string
  /** The same owner's role in a word or two, such as `CFO`; empty if none is known. */
  insiderRole: string
  /** An owner is an officer. */
  officer: boolean
  standing: Standing
  /** Every owner is a 10% owner and neither officer nor director. */
  tenPercentOnly: boolean
  /** An owner is the CEO. */
  ceo: boolean
  /** An owner is CEO or CFO. */
  isCeoOrCfo: boolean
  /** The owner is the issuer itself: buy-backs are not insider trades. */
  byIssuer: boolean
  duplicateOf: string
  supersededBy: string
  supersededAt: number
}

/** A filing of any form with two or more reporting owners. */
export interface JointFiling {
  accession: AccessionNumber
  filedAt: number
  filedDay: DateText
  ownerCiks: Cik[]
  isDayKnown: boolean
}

export const EXCLUSION_REASONS = [
  'superseded',
  'duplicate',
  'contradictory_code',
  'issuer_itself',
  'suspect_price',
  'foreign_price',
  'other_unit',
  'suspect_shares',
  'no_price',
  'plan',
  'ten_percent_owner',
  'other_cluster',
  'below_minimum',
] as const
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number]

export interface ExcludedTrade {
  id: string
  reason: ExclusionReason
}

/** What a rule found, for the description. */
export type Evidence =
  | { kind: 'cluster'; officers: number; chief: boolean }
  /** `mean` in cents, over `trades` earlier ones; `ratio` to one place, rounded down. */
  | { kind: 'own-mean'; mean: number; trades: number; ratio: number }
  /** `percentile` in cents, of `trades` trades of the company. */
  | { kind: 'percentile'; percentile: number; trades: number }
  | { kind: 'ceo' }
  /** Opposite ones within 24 months; of the last `last` trades `opposite` were opposite. */
  | { kind: 'reversal'; against: number; last: number; opposite: number }

export interface SignalState {
  at: number
  accession: AccessionNumber
  severity: Severity
  insiderCount: number
  totalCents: number
}

/** The values of a signal at a time, without its history. */
export type ListedSignal = Omit<Signal, 'changedAt' | 'endedAt' | 'history' | 'leftOut'>

/** The values of a signal from an instant on, until its next step. */
export interface SignalStep {
  /** In seconds; of several filings of a second the last one counts. */
  at: number
  /** Null where the signal did not hold. */
  listed: ListedSignal | null
}

export interface SignalPerson {
  cik: Cik
  /** As filed. */
  name: string
  /** In a word or two, such as `CFO`; empty if none is known. */
  role: string
  /** Their share of the total. */
  cents: number
}

export interface Signal {
  id: string
  type: SignalType
  direction: Direction
  issuerCik: Cik
  severity: Severity
  /** Acceptance of the filing that completed the rule. */
  detectedAt: number
  changedAt: number
  /** When the rule no longer held; null while it holds. */
  endedAt: number | null
  insiderCount: number
  totalCents: number
  firstDay: DateText
  lastDay: DateText
  persons: SignalPerson[]
  /** The lowest and the highest price of what is counted, US dollars as filed. */
  prices: [low: number, high: number]
  counted: string[]
  leftOut: ExcludedTrade[]
  evidence: Evidence
  /** Oldest first; the first is the detection. */
  history: SignalState[]
}
