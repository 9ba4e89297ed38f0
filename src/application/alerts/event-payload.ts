// Makes the data of events as JSON, with transactions and signals as the API returns them. It is made from the trades
// and signals in memory, without querying ClickHouse again.
import type { components } from '../../contract.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import { holdingChange } from '../../domain/trades/holding-change.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { ownershipOf } from '../../domain/trades/transaction-filter.ts'
import type { Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { ShownSignal } from '../ports/analytics.ts'
import { urlOf } from '../queries/filings/filing-answer.ts'

type Schemas = components['schemas']

/** Bytes of an event's data in the log of changes and in the outbox, of which a delivery sends a part. */
export const LOGGED_BYTES = 256 * 1024

/** Returns a transaction as JSON, with decimals as filed: doubles would round them beyond 15 digits. */
function transactionJson(trade: Trade, sector: Sector | undefined): string {
  const transaction: Record<keyof Omit<Schemas['Transaction'], 'detail'>, string> = {
    id: JSON.stringify(trade.id),
    ticker: JSON.stringify(trade.ticker),
    companyName: JSON.stringify(trade.companyName),
    insiderName: JSON.stringify(trade.insiderName),
    insiderTitle: JSON.stringify(trade.insiderTitle),
    transactionType: JSON.stringify(trade.type),
    shares: numberJson(trade.shares),
    pricePerShare: numberJson(trade.priceFiled ?? '0'),
    totalValue: numberJson(trade.totalValue),
    filingDate: JSON.stringify(timestampOf(trade.filedAt)),
    significance: JSON.stringify(trade.significance),
    signals: JSON.stringify(trade.signals),
  }
  return objectJson(sector === undefined ? transaction : { ...transaction, detail: detailJson(trade, sector) })
}

/** Fields that are known only later, from notices and prices. */
type LaterFields = 'notices' | 'planAdoptedOn' | 'planAdoptedSource' | 'return1w' | 'return1m' | 'return6m'

/** Returns what `detail=full` adds. The store computes the same in SQL; a test holds both equal. */
function detailJson(trade: Trade, sector: Sector): string {
  const detail: Record<Exclude<keyof Schemas['TransactionDetail'], LaterFields>, string> = {
    accessionNumber: JSON.stringify(trade.accession),
    transactionCode: JSON.stringify(trade.code),
    acquiredDisposed: JSON.stringify(trade.acquiredDisposed),
    ownership: JSON.stringify(ownershipOf(trade)),
    tradeDate: JSON.stringify(trade.date),
    tradeDateStatus: JSON.stringify(trade.tradeDay === null ? 'impossible' : 'plausible'),
    sharesOwnedAfter: trade.sharesAfter === null ? 'null' : numberJson(trade.sharesAfter),
    sharesStatus: JSON.stringify(trade.sharesStatus),
    priceStatus: JSON.stringify(trade.priceStatus),
    filingDateBasis: JSON.stringify(trade.filedBasis),
    plan10b51: JSON.stringify(trade.plan),
    planSource: JSON.stringify(trade.planSource),
    ambiguousAmendment: JSON.stringify(trade.ambiguous),
    issuerCik: JSON.stringify(trade.issuerCik),
    sector: JSON.stringify(sector),
    insiderCik: JSON.stringify(trade.insiderCik),
    form: JSON.stringify(trade.amendment ? '4/A' : '4'),
    securityTitle: JSON.stringify(trade.securityTitle),
    routine: JSON.stringify(trade.routine),
    holdingChange: JSON.stringify(holdingChange(trade)),
    businessDaysToFile: JSON.stringify(trade.businessDays),
    late: JSON.stringify(trade.late),
    isWeightedAverage: JSON.stringify(trade.averagePrice),
    lowPrice: trade.lowPrice === null ? 'null' : numberJson(trade.lowPrice),
    highPrice: trade.highPrice === null ? 'null' : numberJson(trade.highPrice),
    coOwners: JSON.stringify(coOwnersOf(trade)),
    firstBuyInYears: JSON.stringify(trade.firstBuyYears),
    previousBuyDate: JSON.stringify(trade.previousBuy),
    url: JSON.stringify(urlOf(trade.accession, trade.issuerCik)),
  }
  return objectJson(detail)
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

const objectJson = (fields: Record<string, string>): string =>
  `{${Object.entries(fields)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`

const numberJson = (value: DecimalText): string => toText(parseDecimal(value)!)

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
