// The contract's codes in words. Pure: tested without a browser.
import type { components } from '../contract.ts'
import { change, many, price, shares } from './format.ts'

type Schemas = components['schemas']
export type Transaction = Schemas['Transaction']
export type Severity = Schemas['Severity']

export const TYPE_LABELS: Record<Transaction['transactionType'], string> = {
  buy: 'Buy',
  sell: 'Sell',
  award: 'Award',
  exercise: 'Exercise',
  conversion: 'Conversion',
  tax_withholding: 'Tax withholding',
  gift: 'Gift',
  issuer_disposition: 'To the company',
  tender: 'Tender offer',
  inheritance: 'Inheritance',
  small_acquisition: 'Small acquisition',
  expiration: 'Expiration',
  plan_transaction: 'Benefit plan',
  voting_trust: 'Voting trust',
  swap: 'Swap',
  other: 'Other',
}

/** Returns whether a trade was made on the open market; all others say little about what the insider thinks. */
export const isOpenMarket = ({ transactionType }: Pick<Transaction, 'transactionType'>): boolean =>
  transactionType === 'buy' || transactionType === 'sell'

export const SIGNALS: Record<Schemas['SignalType'], string> = {
  cluster_buy: 'Cluster buy',
  cluster_sell: 'Cluster sell',
  unusual_size: 'Unusual size',
  ceo_trade: 'CEO trade',
  reversal: 'Reversal',
}

/** Events of alerts. */
export const EVENTS: Record<Schemas['Delivery']['event'], string> = {
  'transaction.created': 'New filing',
  'transaction.amended': 'Amendment',
  'signal.detected': 'Signal detected',
  'signal.escalated': 'Signal of higher severity',
  'notice.created': 'Notice of a proposed sale',
  test: 'Test event',
}

export const NOTICE_STATES: Record<Schemas['NoticeState'], string> = {
  open: 'open',
  partly: 'partly sold',
  fulfilled: 'sold',
  not_reported: 'no sale reported',
  not_expected: 'no report expected',
  replaced: 'replaced',
}

export const DELIVERY_STATUS: Record<Schemas['DeliveryStatus'], string> = {
  waiting: 'waiting',
  delivered: 'delivered',
  dead: 'given up',
}

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low']

export const PRICES: Record<NonNullable<Transaction['detail']>['priceStatus'], string> = {
  as_filed: 'as filed',
  zero: 'zero, as filed',
  footnote_only: 'in a footnote only',
  suspect: 'implausible, so it is left out of sums and signals',
  foreign: 'of a security or currency abroad, so it is left out of sums and signals',
  other_unit: 'in another currency or unit, so it is left out of sums and signals',
}

export const OWNERSHIP = { direct: 'owned directly', indirect: 'owned indirectly', unknown: 'ownership not stated' }

const PLAN_SOURCES = { box: 'the box on the form', footnote: 'a footnote', none: 'nothing in the filing' }

/** Returns whether a trade was made under a plan, and what says so. */
export function planWords({
  plan10b51,
  planSource,
}: Pick<NonNullable<Transaction['detail']>, 'plan10b51' | 'planSource'>): string {
  if (plan10b51 === 'yes') return `under a 10b5-1 plan, by ${PLAN_SOURCES[planSource]}`
  return plan10b51 === 'no' ? `not under a plan, by ${PLAN_SOURCES[planSource]}` : 'not stated'
}

/** The times that returns are of. */
export const RETURNS = [
  ['return1w', '1 week later'],
  ['return1m', '1 month later'],
  ['return6m', '6 months later'],
] as const

/** Returns what is known of some trades only: of an average price, the time to the filing, a purchase before, returns. */
export function moreFacts(detail: NonNullable<Transaction['detail']>): [name: string, words: string][] {
  const { isWeightedAverage, lowPrice, highPrice, businessDaysToFile: days, late } = detail
  const { firstBuyInYears: years, previousBuyDate } = detail
  const range = typeof lowPrice === 'number' && highPrice !== null ? `${price(lowPrice)} to ${price(highPrice)}` : ''
  const facts: [string, string][] = [
    ['Average of prices', isWeightedAverage ? range || 'not stated' : ''],
    // Rows stored by an earlier version have none of these.
    ['Filed after', typeof days === 'number' ? `${many(days, 'business day')}${late === true ? ', late' : ''}` : ''],
    [
      'Purchase before',
      typeof years !== 'number'
        ? ''
        : previousBuyDate === null
          ? `none known in the ${many(years, 'year')} that are stored`
          : `${previousBuyDate}${years > 0 ? `, so the first in ${many(years, 'year')}` : ''}`,
    ],
  ]
  // Absent without prices of the operator's, null where one is not known.
  for (const [field, after] of RETURNS) facts.push([`Close ${after}`, change(detail[field])])
  return facts.filter(([, words]) => words !== '')
}

/** Returns what is known of a line of a position, such as what is held by a trust. */
export function lineState({ status, gapUnits, since, staleSince }: StatedLine): string {
  switch (status) {
    case 'exact':
      return 'as reported'
    case 'gap':
      if (gapUnits === null) return 'does not continue the report before'
      return `${shares(Math.abs(gapUnits))} ${gapUnits < 0 ? 'fewer' : 'more'} than the report before explains`
    case 'carried':
      return `not restated with the trade of ${staleSince}`
    case 'old':
      return `nothing filed for 400 days by ${staleSince}`
    case 'ended':
      return `nothing left since ${since}`
    case 'exited':
      return `reporting ended on ${since}, so not known`
    case 'expired':
      return `expired on ${since}`
  }
}

type StatedLine = Pick<Schemas['PositionLine'], 'status' | 'gapUnits' | 'since' | 'staleSince'>

export const BASES: Record<string, string> = {
  accepted: 'time of acceptance by EDGAR',
  'filed-date': 'estimated: only the day of filing is known',
  signature: 'estimated from the day of the signature',
  period: 'estimated from the day of the report',
  unknown: 'not known',
}

/** Why a trade does not count towards a signal. */
export const REASONS: Record<Schemas['LeftOutTransaction']['reason'], string> = {
  superseded: 'replaced by an amendment',
  duplicate: 'the same event as in another filing',
  contradictory_code: 'its acquired or disposed mark contradicts its transaction code',
  issuer_itself: 'the company itself',
  suspect_price: 'implausible price',
  foreign_price: 'price of a security or currency abroad',
  other_unit: 'price in another currency or unit',
  suspect_shares: 'implausible number of shares',
  no_price: 'no price',
  plan: 'under a 10b5-1 plan',
  ten_percent_owner: 'owns more than 10%, neither officer nor director',
  other_cluster: 'counts towards another cluster',
  below_minimum: 'below the least value that the rule counts',
}

export interface Flag {
  letter: string
  words: string
}

/** Returns what a reader should know of a row, a letter each. */
export function flagsOf({ detail }: Pick<Transaction, 'detail'>): Flag[] {
  if (detail === undefined) return []
  const flags: [boolean, string, string][] = [
    [detail.plan10b51 === 'yes', 'P', 'under a 10b5-1 plan'],
    [detail.ownership === 'indirect', 'I', 'owned indirectly'],
    [detail.late === true, 'L', 'filed late'],
    [detail.form === '4/A', 'A', 'from an amendment'],
    [detail.priceStatus === 'suspect', '?', 'implausible price'],
    [detail.priceStatus === 'foreign', 'F', 'price of a security or currency abroad'],
    [detail.priceStatus === 'other_unit', 'U', 'price in another currency or unit'],
    [detail.sharesStatus === 'suspect', '#', 'implausible number of shares'],
    [detail.tradeDateStatus !== 'plausible', 'D', `${detail.tradeDateStatus} trade date`],
    [detail.routine, 'R', 'routine: the insider traded in this month in each of the three years before'],
  ]
  return flags.flatMap(([holds, letter, words]) => (holds ? [{ letter, words }] : []))
}

/** Returns whether a price is left out of sums and signals. */
export const isMarked = (priceStatus: string): boolean => ['suspect', 'foreign', 'other_unit'].includes(priceStatus)

/** Returns whether a trade's value can be shown and summed: not with a marked price or number of shares. */
export const hasValue = ({ detail }: Pick<Transaction, 'detail'>): boolean =>
  detail === undefined || (detail.sharesStatus === 'as_filed' && !isMarked(detail.priceStatus))

export const SECTORS = [
  ...['Technology', 'Health Care', 'Financials', 'Real Estate', 'Industrials', 'Consumer Discretionary'],
  ...['Consumer Staples', 'Energy', 'Materials', 'Utilities', 'Communications', 'Unknown'],
]

export const sectorWords = (sector: string): string => (sector === 'Unknown' ? 'sector not known' : sector)
