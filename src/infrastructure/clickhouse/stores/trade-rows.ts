// Makes the rows of trades: in `trades`, which the service reads back to decide again, and in `transactions`, from
// which month files are made. Reads trades from `trades`.
import { STORED_COLUMNS } from '../../../application/queries/transactions/transaction-fields.ts'
import { isEstimated } from '../../../domain/filings/acceptance-time.ts'
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey } from '../../../domain/trades/trade.ts'
import { parseRows } from '../connection/answer-shape.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { valuesOf } from './declared-columns.ts'

const keyOf = ({ issuerCik, filedAt, accession, place }: TradeKey): InsertRow => ({
  ...{ issuer_cik: cikNumber(issuerCik), filed_at: filedAt, accession, n: place },
})

/** Returns the row of a trade in `trades`. */
export const tradeRow = (trade: Trade, version: number): InsertRow => ({
  ...keyOf(trade),
  id: trade.id,
  ticker: trade.ticker,
  code: trade.code,
  acquired_disposed: trade.acquiredDisposed,
  filed_basis: trade.filedBasis,
  superseded_by: trade.supersededBy,
  // The store keeps an object as its text.
  whole: trade,
  version,
  deleted: 0,
})

/** Returns the row of a trade in `transactions`. */
export const transactionRow = (trade: Trade, version: number): InsertRow => ({
  ...keyOf(trade),
  ...valuesOf(STORED_COLUMNS, trade),
  listed: trade.listed,
  duplicate_of: trade.duplicateOf,
  superseded_by: trade.supersededBy,
  superseded_at: trade.supersededAt,
  suspect_until: trade.suspectUntil,
  earlier: trade.earlier,
  estimated: isEstimated(trade.filedBasis),
  version,
  deleted: 0,
})

/** Returns the row that removes a trade, from either table. */
export const goneTradeRow = (trade: TradeKey, version: number): InsertRow => ({ ...keyOf(trade), version, deleted: 1 })

/** Reads trades unparsed, for a thread of computations, in which `tradesOfLines` returns them. */
export const readTradeLines = (store: ClickHouse, condition: Sql, settings = sql``): Promise<Uint8Array> =>
  store.lines(sql`
    SELECT whole
    FROM trades FINAL
    WHERE ${condition}
    ${settings}`)

export const tradesOfLines = (lines: Uint8Array): Trade[] =>
  parseRows<[whole: string]>(lines).map(([whole]) => JSON.parse(whole) as Trade)

export const readTrades = async (store: ClickHouse, condition: Sql): Promise<Trade[]> =>
  tradesOfLines(await readTradeLines(store, condition))
