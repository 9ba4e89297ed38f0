// SignalStore on ClickHouse: signals, and the trades from which they are detected.
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { JointFiling, Signal } from '../../../domain/signals/signal.ts'
import { signalTrade } from '../../../domain/signals/signal-trade.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { markedRows } from './change-rows.ts'
import { readTrades } from './trade-rows.ts'
import { goneSignalListRow, goneSignalRow, signalListRow, signalRow, signalStatesRow } from './signal-rows.ts'
import { sql, type Sql, toCik } from '../connection/sql.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { MarkedTrade, ShownSignal, StatesKey, SignalStore } from '../../../application/ports/analytics.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'

const SIGNALS_PER_INSERT = 5_000
/** Trades whose ids are in one statement, whose length ClickHouse limits. */
const MARKS_BATCH = 2_000

export class ClickHouseSignalStore implements SignalStore {
  readonly #store: ClickHouse
  /** The connections for long statements, since a load of history reads and marks many trades at a time. */
  readonly #bulk: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
    this.#bulk = store.forBulk
  }

  async trades(issuers: Cik[]): Promise<MarkedTrade[]> {
    const condition = sql`issuer_cik IN ${issuers.map(cikNumber)} AND code IN ('P', 'S')`
    const trades = await readTrades(this.#bulk, condition, sql`SETTINGS max_execution_time = 0`)
    const marked: MarkedTrade[] = []
    for await (const trade of inSlices(trades)) marked.push(markedTrade(trade))
    return marked
  }

  async jointFilings(issuers: Cik[]): Promise<(JointFiling & { issuerCik: Cik })[]> {
    const filings = await this.#store.rows<{
      issuerCik: Cik
      accession: string
      filedAt: number
      owners: number[]
      isDayKnown: boolean
    }>(sql`
      SELECT
        key AS issuerCik, accession, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners,
        NOT estimated AS isDayKnown
      FROM directory FINAL
      WHERE kind = 'issuer' AND key IN ${issuers} AND length(owner_ciks) > 1 AND NOT withdrawn`)
    return filings.map(({ owners, ...filing }) => ({
      ...filing,
      filedDay: newYorkDay(filing.filedAt),
      ownerCiks: owners.map(cikOf),
    }))
  }

  async signals(issuers: Cik[]): Promise<ShownSignal[]> {
    const rows = await this.#store.rows<{ whole: string }>(sql`
      SELECT whole
      FROM signals FINAL
      WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`)
    const signals: ShownSignal[] = []
    for await (const { whole } of inSlices(rows)) signals.push(JSON.parse(whole) as ShownSignal)
    return signals
  }

  async write(signals: ShownSignal[], gone: Signal[], version: number, formerStates: StatesKey[] = []): Promise<void> {
    // `signals` comes last: changes are found by comparing with it, so a process killed in between writes all again.
    await this.#insert('signal_list', [
      gone.values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalListRow(shown, version)),
    ])
    await this.#insert('signal_states', [
      [...gone, ...formerStates].values().map((signal) => goneSignalListRow(signal, version)),
      signals.values().map((shown) => signalStatesRow(shown, version)),
    ])
    await this.#insert('signals', [
      gone.values().map((signal) => goneSignalRow(signal, version)),
      signals.values().map((shown) => signalRow(shown, version)),
    ])
  }

  // `trades` comes last: changes are found by comparing with it, so a process killed in between writes both again.
  async mark(marked: MarkedTrade[], version: number): Promise<void> {
    for (let from = 0; from < marked.length; from += MARKS_BATCH) {
      const batch = new Map(marked.slice(from, from + MARKS_BATCH).map((trade) => [trade.id, trade]))
      const trades = await readTrades(this.#bulk, ofTrades([...batch.values()]), sql`SETTINGS max_execution_time = 0`)
      const remarked: Trade[] = []
      for await (const trade of inSlices(trades)) {
        const { signals, signalled, routine, significance, earlier, firstBuyYears, previousBuy } = batch.get(trade.id)!
        const marks = { signals, signalled, routine, significance, earlier, firstBuyYears, previousBuy }
        remarked.push({ ...trade, ...marks })
      }
      const { shown, beside, last } = markedRows(remarked, version)
      for (const tables of [shown, beside, last])
        for (const [table, rows] of Object.entries(tables)) await this.#bulk.insertBatches(table, rows)
    }
  }

  async issuers(): Promise<Cik[]> {
    const issuers = await this.#bulk.rows<{ cik: Cik }>(sql`
      SELECT DISTINCT ${toCik('subject')} AS cik
      FROM (
        SELECT issuer_cik AS subject
        FROM trades
        WHERE code IN ('P', 'S')
        UNION ALL
        SELECT subject
        FROM signals
        WHERE path = 'issuer'
      )
      ORDER BY cik
      SETTINGS max_execution_time = 0`)
    return issuers.map(({ cik }) => cik)
  }

  #insert(table: string, sources: Iterable<InsertRow>[]): Promise<void> {
    const rows = sources.values().flatMap((source) => source)
    return this.#store.insertBatches(table, rows, SIGNALS_PER_INSERT)
  }
}

/** Returns the condition that selects these trades. */
const ofTrades = (trades: MarkedTrade[]): Sql => sql`
  issuer_cik IN ${[...new Set(trades.map(({ issuerCik }) => cikNumber(issuerCik)))]}
  AND toUnixTimestamp(filed_at) IN ${[...new Set(trades.map(({ filedAt }) => filedAt))]}
  AND id IN ${trades.map(({ id }) => id)}`

function markedTrade(trade: Trade): MarkedTrade {
  const { issuerCik, companyName, ticker, signals, signalled, routine, earlier, significance } = trade
  const { firstBuyYears, previousBuy } = trade
  return {
    ...signalTrade(trade),
    issuerCik,
    companyName,
    ticker,
    signals,
    signalled,
    routine,
    earlier,
    significance,
    firstBuyYears,
    previousBuy,
  }
}
