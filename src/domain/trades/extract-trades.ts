// Trades of a filing: each Table I transaction of a Form 4 or 4/A with everything the filing itself says of it.
import { parseDecimal, round, toText, totalValue } from '../shared/decimal.ts'
import type { Filing, NonDerivativeRow } from '../filings/filing.ts'
import { filingTime } from '../filings/acceptance-time.ts'
import { transactionId, type DateText, type DecimalText } from '../shared/identifiers.ts'
import { tradeDayOf } from './trade-date.ts'
import { isForeignPrice, otherUnit } from './price-unit.ts'
import { actingOwner, chiefOffices, ownerTitle } from '../filings/insider-title.ts'
import { cleanSymbols } from '../filings/ticker-symbol.ts'
import type { TradeFacts, TradeOwner } from './trade.ts'
import { averagePriceOf } from './average-price.ts'
import { filingDayOf, filingDelay } from './filing-delay.ts'
import { amendmentWords } from './reconciliation/amendment-words.ts'
import { holdingOf } from './holding.ts'
import { sharesStatuses } from './shares-status.ts'
import { planOf } from '../filings/trading-plan/trading-plan.ts'
import { transactionType } from './transaction-codes.ts'

/**
 * Returns none for Forms 3 and 5. `receivedAt` is when the document was first received, in seconds since 1970. By
 * default, transactions have the places at which they stand.
 */
export function tradeFacts(filing: Filing, receivedAt: number, placeOf: PlaceOf = inOrder(filing)): TradeFacts[] {
  if (filing.formType !== '4' && filing.formType !== '4/A') return []
  const common = filingFacts(filing, receivedAt)
  const rows = filing.nonDerivative.filter((row) => row.kind === 'transaction')
  const counted = sharesStatuses(rows)
  const filedOn = filingDayOf(filing.header, { day: common.filedDay, basis: common.filedBasis })
  return rows.map((row, index) => ({
    ...common,
    ...rowFacts(row, filing, common.filedDay, filedOn),
    sharesStatus: counted[index]!,
    ...placeOf(index),
  }))
}

/** Returns id and place of the transaction with this index among those of Table I. */
export type PlaceOf = (index: number) => Pick<TradeFacts, 'id' | 'place'>

const inOrder =
  ({ accession }: Filing): PlaceOf =>
  (index) => ({ id: transactionId(accession, index + 1), place: index + 1 })

function filingFacts(filing: Filing, receivedAt: number) {
  const time = filingTime(filing, receivedAt)
  const owners = filing.owners.map((owner): TradeOwner => ({
    cik: owner.cik,
    name: owner.name,
    title: ownerTitle(owner, filing),
    isDirector: owner.isDirector === true,
    isOfficer: owner.isOfficer === true,
    isTenPercentOwner: owner.isTenPercentOwner === true,
    isOther: owner.isOther === true,
  }))
  const chiefs = filing.owners.map((owner) => chiefOffices(owner, filing))
  const acting = owners[filing.owners.indexOf(actingOwner(filing.owners)!)]!
  return {
    accession: filing.accession,
    issuerCik: filing.issuer.cik,
    filedAt: time.at,
    filedDay: time.day,
    filedBasis: time.basis,
    companyName: filing.issuer.name,
    amendment: isAmendment(filing),
    originalDate: filing.dateOfOriginalSubmission,
    period: filing.periodOfReport,
    amendmentWords: amendmentWords(filing),
    owners,
    ownerCiks: owners.map((owner) => owner.cik),
    insiderCik: acting.cik,
    insiderName: acting.name,
    insiderTitle: acting.title,
    ceo: chiefs.some(({ ceo }) => ceo),
    cfo: chiefs.some(({ cfo }) => cfo),
    symbols: cleanSymbols(filing.issuer.tickerRaw),
  }
}

function rowFacts(row: NonDerivativeRow, filing: Filing, filedDay: DateText, filedOn: DateText | null) {
  const { plan, source: planSource } = planOf(row, filing)
  const tradeDay = tradeDayOf(row, {
    filedDay,
    filedOn: filedOn ?? filedDay,
    period: filing.periodOfReport,
    originalDate: isAmendment(filing) ? filing.dateOfOriginalSubmission : null,
  })
  return {
    type: transactionType(row.code, row.acquiredDisposed),
    code: row.code ?? '',
    acquiredDisposed: row.acquiredDisposed ?? '',
    directIndirect: row.directIndirect ?? '',
    ...holdingOf(row, footnoteTexts(row.footnotes.all, filing)),
    securityTitle: row.securityTitle,
    date: row.date ?? '',
    tradeDay,
    ...filingDelay({ ...row, tradeDay }, filedOn, isAmendment(filing)),
    shares: filedAmount(row.shares) ?? '0',
    priceFiled: filedAmount(row.price),
    sharesAfter: filedAmount(row.sharesAfter),
    totalValue: totalValue(row.shares, row.price),
    ...averagePriceOf(row, filing),
    foreign: isForeignPrice(row, filing),
    otherUnit: otherUnit(row, filing),
    plan,
    planSource,
  }
}

const isAmendment = ({ formType }: Filing): boolean => formType === '4/A'

const footnoteTexts = (ids: readonly string[], { footnotes }: Filing): string[] =>
  footnotes.filter(({ id }) => ids.includes(id)).map(({ text }) => text)

// EDGAR keeps 4 places; documents of 2003 and vendors' copies have more, and forms such as `.5` or `7.`.
function filedAmount(text: DecimalText | null): DecimalText | null {
  const amount = text === null ? null : parseDecimal(text)
  return amount && toText(round(amount, 4))
}
