// Ports of the closing prices that the operator brings: the record of them (PostgreSQL), and the copy that questions
// are answered from (ClickHouse).
import type { Closes, PriceLookup, ReturnAverages } from '../../domain/prices/returns.ts'
import type { Ticker } from '../../domain/shared/identifiers.ts'
import type { Direction, SignalType } from '../../domain/signals/signal.ts'

/** The closes of a share in a year, by day, in numbers since 1970. */
export interface PriceYear {
  symbol: Ticker
  year: number
  days: number[]
  closes: number[]
}

/** A file of prices: CSV, with the places of its columns, or Parquet, with columns of these names. */
export type PriceFile =
  | { path: string; format: 'parquet' }
  | { path: string; format: 'csv'; columns: { ticker: number; date: number; close: number } }

/** What was read of a file. */
export interface ReadPrices {
  /** Those that can be used, of which the last of a symbol and day counts. */
  rows: number
  symbols: number
  /** Symbols that no filing and no list of companies names. */
  unknownSymbols: number
  firstDay: string | null
  lastDay: string | null
  rejected: number
  /** The first of them; `line` of a Parquet file is the number of its row. */
  rejects: { line: number; reason: string }[]
}

export interface PriceLedger {
  /** Adds closes; those of the same day are replaced. Returns the years with all that is recorded of them. */
  record(years: PriceYear[]): Promise<PriceYear[]>
  /** Records the end of a load. `benchmark`: null for the one before. */
  loaded(source: string, read: ReadPrices, benchmark: string | null): Promise<void>
  /** Returns what all loads together brought; null if there was none. */
  state(): Promise<{ benchmark: Ticker | null } | null>
  has(symbol: Ticker): Promise<boolean>
  /** Returns all that is recorded, in pieces. */
  all(): AsyncIterable<PriceYear[]>
}

/** The averages of the returns after the signals of a rule. */
export type RuleReturns = Record<SignalType, Record<'buys' | 'sells', ReturnAverages>>

/** A signal that holds. */
export interface RaisedSignal extends PriceLookup {
  type: SignalType
  direction: Direction
}

export interface PriceStore {
  /** Reads a file on its way in, in place of the one before. `today` is the last day that counts. */
  stage(file: PriceFile, today: number): Promise<ReadPrices>
  /** Removes what was read. */
  empty(): Promise<void>
  hasStaged(symbol: Ticker): Promise<boolean>
  /** Returns the closes of the staged file, in pieces. */
  staged(): AsyncIterable<PriceYear[]>
  /** Replaces years. */
  write(years: PriceYear[], version: number): Promise<void>
  /** Makes prices known to questions. */
  publish(state: { benchmark: Ticker | null; rules: RuleReturns }, version: number): Promise<void>
  /** Returns the closes of these shares on these days and those that a return from them needs. */
  closes(lookups: readonly PriceLookup[]): Promise<Map<Ticker, Closes>>
  /** Returns all closes of a share. */
  allCloses(symbol: Ticker): Promise<Closes>
  /** Returns the signals that hold, of companies with a symbol, by symbol and in pieces. */
  raisedSignals(): AsyncIterable<RaisedSignal[]>
}
