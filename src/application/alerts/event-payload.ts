// The payload of events: transactions and signals as the API returns them, built from what was just projected, without
// querying the store again.
import type { components } from '../../contract.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { ShownSignal } from '../ports/analytics.ts'

type Schemas = components['schemas']

/** A body has at most 20 kB; this leaves room for its envelope. */
const MAX_BYTES = 19_500

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

/**
 * Returns the data of an event about a filing as JSON, without the ticker, which differs by watcher. `superseded` is
 * null unless the filing is an amendment. Transactions and ids that do not fit are counted in `omitted`.
 */
export function filingData(
  accession: string,
  companyName: string,
  listed: Trade[],
  superseded: string[] | null,
): string {
  let room = MAX_BYTES - Buffer.byteLength(companyName)
  const fits = (json: string) => (room -= Buffer.byteLength(json) + 1) >= 0
  const transactions = listed.map(transactionJson).filter(fits)
  const ids = superseded?.map((id) => JSON.stringify(id)).filter(fits)
  const omitted = listed.length - transactions.length + (superseded?.length ?? 0) - (ids?.length ?? 0)
  const parts = [
    `"companyName":${JSON.stringify(companyName)}`,
    `"accessionNumber":"${accession}"`,
    `"transactions":[${transactions.join(',')}]`,
    ...(ids ? [`"superseded":[${ids.join(',')}]`] : []),
    ...(omitted > 0 ? [`"omitted":${omitted}`] : []),
  ]
  return `{${parts.join(',')}}`
}
