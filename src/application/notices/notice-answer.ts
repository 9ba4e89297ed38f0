// Converts notices of proposed sales to the API's JSON, and to the facts that alert rules are matched against.
import type { components } from '../../contract.ts'
import { GRACE_DAYS, type NoticeState } from '../../domain/notices/link-notices.ts'
import { pricePerUnit, type NoticeJudgement, type ValueStatus } from '../../domain/notices/judge-notice.ts'
import type { FiledNotice, RelationshipRole } from '../../domain/notices/notice.ts'
import { addDays } from '../../domain/shared/calendar.ts'
import { add, parseDecimal, toText } from '../../domain/shared/decimal.ts'
import type { Cik, DateText, DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { FilterFacts, OwnerRole } from '../../domain/trades/transaction-filter.ts'
import type { LinkedNotice, StoredLink } from '../ports/notices.ts'
import { urlOf } from '../queries/filings/filing-answer.ts'

type Schemas = components['schemas']

/** Returns the worst status among the lines. */
export function valueStatusOf({ lines }: NoticeJudgement): ValueStatus {
  const has = (status: ValueStatus) => lines.some(({ valueStatus }) => valueStatus === status)
  return has('suspect') ? 'suspect' : has('unreadable') ? 'unreadable' : 'plausible'
}

/** Returns the units of all lines; null if one gives none. */
function unitsOf({ lines }: FiledNotice): number | null {
  return lines.reduce<number | null>((sum, { units }) => (sum === null || units === null ? null : sum + units), 0)
}

/** Returns the value of all lines in dollars; null if one gives none. */
export function marketValueOf({ lines }: FiledNotice): DecimalText | null {
  const values = lines.map(({ marketValue }) => (marketValue === null ? null : parseDecimal(marketValue)))
  if (values.some((value) => value === null)) return null
  return toText(values.reduce((sum, value) => add(sum!, value!), parseDecimal('0'))!)
}

/** Returns the day on which the final state begins if nothing else is filed. */
export function finalFrom({ finalState, windowEnd }: StoredLink): DateText {
  return addDays(windowEnd, finalState === 'not_reported' ? GRACE_DAYS : 1)
}

/** Returns the state on a day in New York. */
export const stateOn = (link: StoredLink, day: DateText): NoticeState =>
  day >= finalFrom(link) ? link.finalState : link.state

/** Returns a notice as in lists. `ticker` is the company's, empty if it has none; `day` is today in New York. */
export function noticeJson(
  { notice, judgement, link }: LinkedNotice,
  ticker: string,
  day: DateText,
): Schemas['Notice'] {
  const { lines, issuer, seller } = notice
  const units = unitsOf(notice)
  const marketValue = marketValueOf(notice)
  return {
    accessionNumber: notice.accession,
    form: notice.form,
    filingDate: timestampOf(notice.filedAt),
    filingDateBasis: notice.filedBasis as Schemas['FilingDateBasis'],
    issuerCik: issuer.cik,
    ticker,
    companyName: issuer.name,
    seller: {
      cik: seller.cik,
      name: seller.name,
      relationships: seller.relationships.map(({ text }) => text),
      roles: [...new Set(seller.relationships.flatMap(({ roles }) => roles))],
    },
    units,
    marketValue: numberOf(marketValue),
    pricePerUnit: numberOf(pricePerUnit({ units, marketValue })),
    valueStatus: valueStatusOf(judgement),
    securityTitles: [...new Set(lines.map(({ classTitle }) => classTitle))],
    saleDate: lines[0]?.saleDate ?? null,
    saleDateStatus: judgement.lines[0]?.saleDateStatus ?? 'unreadable',
    plan10b51: judgement.plan,
    planSource: judgement.source,
    planAdoptionDates: notice.planAdoptionDates,
    state: stateOn(link, day),
    linkedBy: link.linkedBy,
    reportedUnits: Number(link.reportedUnits),
    windowEnd: link.windowEnd,
    windowOpen: day <= link.windowEnd,
    firstSale: link.firstSale,
    lastSale: link.lastSale,
    unitsDiffer: link.unitsDiffer,
    group: link.group,
    previous: notice.previousAccession,
    replacedBy: link.replacedBy,
    url: urlOf(notice.accession, issuer.cik),
  }
}

/** Returns a notice with all its contents. */
export function noticeDetailJson(linked: LinkedNotice, ticker: string, day: DateText): Schemas['NoticeDetail'] {
  const { notice, judgement, link } = linked
  return {
    ...noticeJson(linked, ticker, day),
    lines: notice.lines.map(({ classTitle, marketValue, ...line }, place) => ({
      securityTitle: classTitle,
      ...line,
      marketValue: numberOf(marketValue),
      pricePerUnit: numberOf(judgement.lines[place]!.pricePerUnit),
      saleDateStatus: judgement.lines[place]!.saleDateStatus,
      valueStatus: judgement.lines[place]!.valueStatus,
    })),
    acquisitions: notice.acquisitions.map(({ classTitle, ...lot }) => ({ securityTitle: classTitle, ...lot })),
    pastSales: notice.pastSales.map(({ classTitle, grossProceeds, ...sale }) => ({
      securityTitle: classTitle,
      ...sale,
      grossProceeds: numberOf(grossProceeds),
    })),
    contradictoryPastSales: judgement.contradictoryPastSales,
    remarks: notice.remarks,
    noticeDate: notice.noticeDate,
    sales: link.allocations.map(({ saleId, accession, units }) => ({
      transactionId: saleId,
      accessionNumber: accession,
      units: Number(units),
    })),
  }
}

const numberOf = (text: DecimalText | null): number | null => (text === null ? null : Number(text))

const ROLES: Partial<Record<RelationshipRole, OwnerRole>> = {
  officer: 'officer',
  director: 'director',
  tenPercent: 'ten_percent_owner',
  other: 'other',
}

/** Returns the facts that filters test, as if the seller had sold everything. */
export function factsOfNotice(notice: Schemas['Notice']): FilterFacts & { insiders: Cik[] } {
  return {
    type: 'sell',
    code: 'S',
    roles: notice.seller.roles.flatMap((role) => ROLES[role] ?? []),
    ownership: 'unknown',
    plan: notice.plan10b51 === 'yes' ? 'yes' : 'unknown',
    routine: false,
    late: null,
    firstBuyYears: null,
    holdingChange: null,
    newHolding: false,
    significance: 'low',
    credible: notice.valueStatus === 'plausible',
    totalValue: textOf(notice.marketValue),
    shares: textOf(notice.units),
    tradeDay: null,
    insiders: [notice.seller.cik],
  }
}

const textOf = (amount: number | null): DecimalText => toText(parseDecimal((amount ?? 0).toFixed(2))!)
