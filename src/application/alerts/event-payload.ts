// The payload of events: transactions and signals as the API returns them, built from what was just projected, without
// querying the store again.
import type { components } from '../../contract.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { LeasedDelivery } from '../ports/alerts.ts'
import type { ShownSignal } from '../ports/analytics.ts'

type Schemas = components['schemas']

/** The body of a webhook has at most 20 kB; this leaves room for its envelope. */
export const WEBHOOK_BYTES = 19_500
/** The same in the log of changes. */
export const LOGGED_BYTES = 256 * 1024

type DeliveredEvent = Pick<LeasedDelivery, 'id' | 'eventType' | 'createdAt' | 'ticker' | 'data'>

/** Returns the body of a webhook: the data as stored, with the ticker under which the key watches, if there is one. */
export function webhookBody({ id, eventType, createdAt, ticker, data }: DeliveredEvent): string {
  const at = timestampOf(Math.floor(createdAt / 1000))
  const named = ticker !== null && data.startsWith('{"') ? `{"ticker":${JSON.stringify(ticker)},${data.slice(1)}` : data
  return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(eventType)},"createdAt":"${at}","data":${named}}`
}

/** Returns JSON with decimals as filed, which doubles would round beyond 15 digits. */
function transactionJson(trade: Trade): string {
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
  return `{${Object.entries(transaction)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`
}

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

/** What is reported of a filing. */
interface ReportedFiling {
  accession: string
  /** Left out, both, where the ticker differs by watcher. */
  ticker?: string
  issuerCik?: Cik
  companyName: string
  listed: Trade[]
  /** Ids of an amendment; null or absent for other filings. */
  superseded?: string[] | null
  /** Ids that are listed no more for another reason; absent where that is not reported. */
  removed?: string[]
}

/**
 * Returns the data of an event about a filing as JSON. Transactions and ids that do not fit into `most` bytes are
 * counted in `omitted`.
 */
export function filingData(filing: ReportedFiling, most: number): string {
  const { accession, ticker, issuerCik, companyName, listed, superseded, removed } = filing
  let room = most - Buffer.byteLength(companyName)
  const fits = (json: string) => (room -= Buffer.byteLength(json) + 1) >= 0
  const transactions = listed.map(transactionJson).filter(fits)
  const fitting = (list: string[]) => list.map((id) => JSON.stringify(id)).filter(fits)
  const [gone, others] = [superseded && fitting(superseded), removed && fitting(removed)]
  const all = [listed, superseded ?? [], removed ?? []]
  const reported = [transactions, gone ?? [], others ?? []]
  const omitted = all.flat().length - reported.flat().length
  const parts = [
    ...(ticker === undefined ? [] : [`"ticker":${JSON.stringify(ticker)}`]),
    ...(issuerCik === undefined ? [] : [`"issuerCik":"${issuerCik}"`]),
    `"companyName":${JSON.stringify(companyName)}`,
    `"accessionNumber":"${accession}"`,
    `"transactions":[${transactions.join(',')}]`,
    ...(gone ? [`"superseded":[${gone.join(',')}]`] : []),
    ...(others ? [`"removed":[${others.join(',')}]`] : []),
    ...(omitted > 0 ? [`"omitted":${omitted}`] : []),
  ]
  return `{${parts.join(',')}}`
}
