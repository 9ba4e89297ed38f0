// Makes the data of events as JSON, with transactions and signals as the API returns them. It is made from the trades
// and signals in memory, without querying ClickHouse again.
import type { components } from '../../contract.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import { holdingChange, holdingChangeKind } from '../../domain/trades/holding-change.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { tradeDateStatus } from '../../domain/trades/trade-date.ts'
import { ownershipOf } from '../../domain/trades/transaction-filter.ts'
import type { Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { ShownSignal } from '../ports/analytics.ts'
import { rawJson } from '../shared/raw-json.ts'
import { urlOf } from '../queries/filings/filing-answer.ts'

type Schemas = components['schemas']

/** Bytes of an event's data in the log of changes and in the outbox, of which a delivery sends a part. */
export const LOGGED_BYTES = 256 * 1024

/** Returns a transaction as JSON, with decimals as filed: doubles would round them beyond 15 digits. */
function transactionJson(trade: Trade, sector: Sector | undefined): string {
  const transaction: Record<keyof Omit<Schemas['Transaction'], 'detail'>, unknown> = {
    id: trade.id,
    ticker: trade.ticker,
    companyName: trade.companyName,
    insiderName: trade.insiderName,
    insiderTitle: trade.insiderTitle,
    transactionType: trade.type,
    shares: decimal(trade.shares),
    pricePerShare: decimal(trade.priceFiled ?? '0'),
    totalValue: decimal(trade.totalValue),
    filingDate: timestampOf(trade.filedAt),
    significance: trade.significance,
    signals: trade.signals,
  }
  return JSON.stringify(sector === undefined ? transaction : { ...transaction, detail: detailOf(trade, sector) })
}

/** Fields that are known only later, from notices and prices. */
type LaterFields = 'notices' | 'planAdoptedOn' | 'planAdoptedSource' | 'return1w' | 'return1m' | 'return6m'

/** Returns what `detail=full` adds. The store computes the same in SQL; a test holds both equal. */
function detailOf(trade: Trade, sector: Sector): object {
  const detail: Record<Exclude<keyof Schemas['TransactionDetail'], LaterFields>, unknown> = {
    accessionNumber: trade.accession,
    transactionCode: trade.code,
    acquiredDisposed: trade.acquiredDisposed,
    ownership: ownershipOf(trade),
    tradeDate: trade.date,
    tradeDateStatus: tradeDateStatus(trade),
    sharesOwnedAfter: decimal(trade.sharesAfter),
    sharesStatus: trade.sharesStatus,
    priceStatus: trade.priceStatus,
    filingDateBasis: trade.filedBasis,
    plan10b51: trade.plan,
    planSource: trade.planSource,
    ambiguousAmendment: trade.ambiguous,
    issuerCik: trade.issuerCik,
    sector,
    insiderCik: trade.insiderCik,
    form: trade.amendment ? '4/A' : '4',
    securityTitle: trade.securityTitle,
    routine: trade.routine,
    holdingChange: holdingChange(trade),
    holdingChangeKind: holdingChangeKind(trade),
    businessDaysToFile: trade.businessDays,
    late: trade.late,
    isWeightedAverage: trade.averagePrice,
    lowPrice: decimal(trade.lowPrice),
    highPrice: decimal(trade.highPrice),
    coOwners: coOwnersOf(trade),
    firstBuyInYears: trade.firstBuyYears,
    previousBuyDate: trade.previousBuy,
    url: urlOf(trade.accession, trade.issuerCik),
  }
  return detail
}

/** Returns the other owners of the filing, without the insider. */
const coOwnersOf = ({ owners, insiderCik }: Trade): Schemas['CoOwner'][] =>
  owners
    .filter(({ cik }) => cik !== insiderCik)
    .map(({ cik, name, title, isDirector, isOfficer, isTenPercentOwner, isOther }) => ({
      cik,
      name,
      roles: [
        ...(isDirector ? (['director'] as const) : []),
        ...(isOfficer ? (['officer'] as const) : []),
        ...(isTenPercentOwner ? (['tenPercentOwner'] as const) : []),
        ...(isOther ? (['other'] as const) : []),
      ],
      title,
    }))

const decimal = (value: DecimalText | null): object | null =>
  value === null ? null : rawJson(toText(parseDecimal(value)!))

export function signalData({ signal, ticker, companyName }: ShownSignal): Schemas['SignalEventData'] {
  return {
    signal: {
      id: signal.id,
      type: signal.type,
      severity: signal.severity,
      ticker,
      companyName,
      description: describeSignal(signal, { ticker, companyName }),
      insiderCount: signal.insiderCount,
      totalValue: signal.totalCents / 100,
      detectedAt: timestampOf(signal.detectedAt),
    },
  }
}

/** What an event says about a filing. */
interface ReportedFiling {
  accession: string
  /** Absent, like `issuerCik`, in the outbox: each delivery adds the ticker that its key watches. */
  ticker?: string
  issuerCik?: Cik
  companyName: string
  listed: Trade[]
  /** Ids of an amendment; null or absent for other filings. */
  superseded?: string[] | null
  /** Ids that are no longer listed for another reason; absent in events that do not report these. */
  removed?: string[]
}

/**
 * Returns the data of an event about a filing as JSON. Transactions and ids that do not fit into `most` bytes are
 * counted in `omitted`. Transactions have their details if the company's sector is given.
 */
export function filingData(filing: ReportedFiling, most: number, sector?: Sector): string {
  const { accession, ticker, issuerCik, companyName, listed, superseded, removed } = filing
  let room = most - Buffer.byteLength(companyName)
  const fits = (json: string) => (room -= Buffer.byteLength(json) + 1) >= 0
  const transactions = listed.map((trade) => transactionJson(trade, sector)).filter(fits)
  const fitting = (list: string[]) => list.map((id) => JSON.stringify(id)).filter(fits)
  const supersededJson = superseded && fitting(superseded)
  const removedJson = removed && fitting(removed)
  const all = listed.length + (superseded?.length ?? 0) + (removed?.length ?? 0)
  const omitted = all - transactions.length - (supersededJson?.length ?? 0) - (removedJson?.length ?? 0)
  const parts = [
    ...(ticker === undefined ? [] : [`"ticker":${JSON.stringify(ticker)}`]),
    ...(issuerCik === undefined ? [] : [`"issuerCik":"${issuerCik}"`]),
    `"companyName":${JSON.stringify(companyName)}`,
    `"accessionNumber":"${accession}"`,
    `"transactions":[${transactions.join(',')}]`,
    ...(supersededJson ? [`"superseded":[${supersededJson.join(',')}]`] : []),
    ...(removedJson ? [`"removed":[${removedJson.join(',')}]`] : []),
    ...(omitted > 0 ? [`"omitted":${omitted}`] : []),
  ]
  return `{${parts.join(',')}}`
}
