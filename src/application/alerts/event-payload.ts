// Makes the data of events as JSON, with transactions and signals as the API returns them. It is made from the trades
// and signals in memory, without querying ClickHouse again.
import type { components } from '../../contract.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import { parseDecimal, toText } from '../../domain/shared/decimal.ts'
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { ShownSignal } from '../ports/analytics.ts'
import { toDetail, toTransaction } from '../queries/transactions/transaction-fields.ts'
import { rawJson } from '../shared/raw-json.ts'

type Schemas = components['schemas']

/** Bytes of an event's data in the log of changes and in the outbox, of which a delivery sends a part. */
export const LOGGED_BYTES = 256 * 1024

/** Returns a transaction as JSON, with decimals as filed: doubles would round them beyond 15 digits. */
function transactionJson(trade: Trade, sector: Sector | undefined): string {
  const transaction = toTransaction(trade, exactly)
  return JSON.stringify(
    sector === undefined ? transaction : { ...transaction, detail: { ...toDetail(trade, exactly), sector } },
  )
}

const exactly = (value: DecimalText): object => rawJson(toText(parseDecimal(value)!))

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
