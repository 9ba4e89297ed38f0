// Computes returns after filings from the closing prices that the operator has loaded. Without prices nothing is added.
import type { RuleReturns } from '../../../../application/ports/prices.ts'
import type { components } from '../../../../contract.ts'
import {
  dayOfLastClose,
  dayOfNextClose,
  measure,
  ReturnTally,
  returnsOf,
  type Closes,
  type PriceLookup,
} from '../../../../domain/prices/returns.ts'
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { closesOf } from '../../stores/price-store.ts'
import { keepCurrent, type Freshness } from './freshness.ts'
import { placeOf, withinList, type TransactionList } from './transaction-list.ts'

type Transaction = components['schemas']['Transaction']

/** The benchmark, and the average returns by rule. */
interface PriceState {
  benchmark: Ticker | null
  rules: RuleReturns
}

/** Reads the present state of prices; null if the operator has loaded none. */
export type PresentPrices = () => Promise<PriceState | null>

export const PRICE_STATE_SQL = sql`SELECT benchmark, rules FROM price_state FINAL`

export function presentPrices(store: ClickHouse, freshness: Freshness): PresentPrices {
  const read = async () => {
    const [found] = await store.rows<{ benchmark: Ticker; rules: string }>(PRICE_STATE_SQL)
    if (!found) return null
    return { benchmark: found.benchmark || null, rules: JSON.parse(found.rules) as RuleReturns }
  }
  return keepCurrent(read, freshness, (version) => freshness.changes.areListsCurrent(version))
}

/** Returns the returns after these transactions, in their order. No close after `asOf`, in seconds, is used. */
export async function returnsAfter(
  store: ClickHouse,
  prices: PresentPrices,
  transactions: readonly Pick<Transaction, 'ticker' | 'filingDate'>[],
  asOf?: number,
): Promise<object[]> {
  if (transactions.length === 0 || (await prices()) === null) return transactions.map(() => ({}))
  const lookups = transactions.map(({ ticker, filingDate }): PriceLookup | null =>
    ticker === '' ? null : { symbol: ticker, from: dayOfNextClose(Date.parse(filingDate) / 1000) },
  )
  const closes = await closesOf(
    store,
    lookups.filter((lookup) => lookup !== null),
  )
  const last = asOf === undefined ? undefined : dayOfLastClose(asOf)
  return lookups.map((lookup) =>
    returnsOf(measure((lookup && closes.get(lookup.symbol)) ?? NONE, lookup?.from ?? 0, last)),
  )
}

const NONE: Closes = { days: [], closes: [] }

/** Selects an insider's open-market trades at a credible price, with the symbol. */
export const symbolsOfTradesSql = (list: TransactionList): Sql => sql`
  SELECT key, toString(type) AS type, ticker AS symbol
  FROM transaction_lists FINAL
  WHERE ${withinList(list)} AND trader != 0`

/** Averages the returns after an insider's trades. Trades of one filing in the same direction count once. */
export async function returnsOfInsider(
  store: ClickHouse,
  prices: PresentPrices,
  list: TransactionList,
): Promise<components['schemas']['SideReturns'] | null> {
  const state = await prices()
  if (state === null) return null
  const trades = await store.rows<{ key: string; type: 'buy' | 'sell'; symbol: Ticker }>(symbolsOfTradesSql(list))
  const filed = new Map<string, PriceLookup & { type: 'buy' | 'sell' }>()
  for (const { key, type, symbol } of trades) {
    const { accession, filedAt } = placeOf(key)
    if (symbol !== '') filed.set(`${accession} ${type}`, { type, symbol, from: dayOfNextClose(filedAt) })
  }
  const lookups = filed.values().toArray()
  const compared = state.benchmark === null ? [] : lookups.map(({ from }) => ({ symbol: state.benchmark!, from }))
  const closes = await closesOf(store, [...lookups, ...compared])
  const benchmark = state.benchmark === null ? null : (closes.get(state.benchmark) ?? NONE)
  const averagesOf = (side: 'buy' | 'sell') => {
    const tally = new ReturnTally(benchmark)
    for (const { type, symbol, from } of lookups)
      if (type === side) tally.add(measure(closes.get(symbol) ?? NONE, from))
    return tally.averages()
  }
  return { buys: averagesOf('buy'), sells: averagesOf('sell') }
}
