// Returns after filings, by the closing prices that the operator brings. Without any, nothing is read or shown.
import type { RuleReturns } from '../../../../application/ports/prices.ts'
import type { components } from '../../../../contract.ts'
import {
  dayOfLastClose,
  dayOfNextClose,
  measure,
  ReturnTally,
  returnsOf,
  type Closes,
  type PriceAsk,
} from '../../../../domain/prices/returns.ts'
import type { Ticker } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { closesOf } from '../../stores/price-store.ts'
import type { Freshness } from './freshness.ts'
import { placeOf, type TransactionList } from './transaction-list.ts'

/** What is known of prices as a whole. */
interface PriceState {
  benchmark: Ticker | null
  rules: RuleReturns
}

/** Returns null where the operator brought no prices. */
export type PresentPrices = () => Promise<PriceState | null>

export const NO_PRICES: PresentPrices = async () => null

/** What is read without knowing of changes is used for this long. */
const UNSURE_MS = 250

export const PRICE_STATE_SQL = sql`SELECT benchmark, rules FROM price_state FINAL`

export function presentPrices(store: ClickHouse, { changes, isUpToDate }: Freshness): PresentPrices {
  let known: { state: Promise<PriceState | null>; version: number; at: number } | null = null
  const read = async () => {
    const [found] = await store.rows<{ benchmark: Ticker; rules: string }>(PRICE_STATE_SQL)
    if (!found) return null
    return { benchmark: found.benchmark || null, rules: JSON.parse(found.rules) as RuleReturns }
  }
  return () => {
    const isCurrent =
      known && (isUpToDate() ? changes.areListsCurrent(known.version) : performance.now() - known.at < UNSURE_MS)
    if (known && isCurrent) return known.state
    const reading = { state: read(), version: changes.version(), at: performance.now() }
    known = reading
    reading.state.catch(() => {
      if (known === reading) known = null
    })
    return reading.state
  }
}

/** The first fields of a transaction; texts can't contain what follows, since their quotes are escaped. */
const TICKER = /^\{"id":"[^"]+","ticker":"([^"]+)"/
const FILED = /"filingDate":"([^"]+)"/

/** Adds returns to the details of transactions. No close after `asOf`, in seconds, is used. */
export async function withReturns(
  store: ClickHouse,
  prices: PresentPrices,
  transactions: readonly string[],
  asOf?: number,
): Promise<(json: string, place: number) => string> {
  if (transactions.length === 0 || (await prices()) === null) return (json) => json
  const asks = transactions.map((json): PriceAsk | null => {
    const [symbol, filed] = [TICKER.exec(json)?.[1], FILED.exec(json)?.[1]]
    return symbol && filed ? { symbol, from: dayOfNextClose(Date.parse(filed) / 1000) } : null
  })
  const closes = await closesOf(
    store,
    asks.filter((ask) => ask !== null),
  )
  const last = asOf === undefined ? undefined : dayOfLastClose(asOf)
  return (json, place) => {
    const ask = asks[place]
    const returns = returnsOf(measure((ask && closes.get(ask.symbol)) ?? NONE, ask?.from ?? 0, last))
    return json.endsWith('}}') ? `${json.slice(0, -2)},${JSON.stringify(returns).slice(1)}}` : json
  }
}

const NONE: Closes = { days: [], closes: [] }

/** Selects an insider's open-market trades at a credible price, with the symbol. */
export const symbolsOfTradesSql = (list: TransactionList): Sql => sql`
  SELECT key, toString(type) AS type, JSONExtractString(transaction, 'ticker') AS symbol
  FROM transaction_lists FINAL
  WHERE key >= ${`${list}:`} AND key < ${`${list};`} AND trader != 0`

/** Averages the returns after an insider's trades; several of a filing in one direction count once. */
export async function returnsOfInsider(
  store: ClickHouse,
  prices: PresentPrices,
  list: TransactionList,
): Promise<components['schemas']['SideReturns'] | null> {
  const state = await prices()
  if (state === null) return null
  const trades = await store.rows<{ key: string; type: 'buy' | 'sell'; symbol: Ticker }>(symbolsOfTradesSql(list))
  const filed = new Map<string, PriceAsk & { type: 'buy' | 'sell' }>()
  for (const { key, type, symbol } of trades) {
    const { accession, filedAt } = placeOf(key)
    if (symbol !== '') filed.set(`${accession} ${type}`, { type, symbol, from: dayOfNextClose(filedAt) })
  }
  const asks = filed.values().toArray()
  const compared = state.benchmark === null ? [] : asks.map(({ from }) => ({ symbol: state.benchmark!, from }))
  const closes = await closesOf(store, [...asks, ...compared])
  const benchmark = state.benchmark === null ? null : (closes.get(state.benchmark) ?? NONE)
  const averagesOf = (side: 'buy' | 'sell') => {
    const tally = new ReturnTally(benchmark)
    for (const { type, symbol, from } of asks) if (type === side) tally.add(measure(closes.get(symbol) ?? NONE, from))
    return tally.averages()
  }
  return { buys: averagesOf('buy'), sells: averagesOf('sell') }
}
