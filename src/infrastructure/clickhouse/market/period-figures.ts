// What is stored of a period of the market: its trades by class, and how many persons traded in which classes, so that
// sums and numbers of persons follow for any classes asked for.
import type { TransactionFilter } from '../../../domain/trades/transaction-filter.ts'
import { PLANS } from '../../../domain/trades/transaction-filter.ts'
import { sql } from '../connection/sql.ts'
import type { PeriodSums } from '../queries/aggregates/trade-sums.ts'

/** Direction, the classes in which a person traded, one of them, persons, and their trades in that class. */
export type Figure = [
  type: 'buy' | 'sell',
  classes: number,
  one: number,
  persons: number,
  trades: number,
  shares: string,
  value: string,
]

/** As the table has them: numbers of the Enum `plan` in `transaction_lists`. */
const PLAN_NUMBERS = { unknown: 0, no: 1, yes: 2 } as const

/** The bit of a row's class. */
export const classSql = sql`toUInt8(bitShiftLeft(1, CAST(plan, 'Int8') * 2 + routine))`

/** Returns the bits of the classes that are asked for. */
export function classesOf({ plans = PLANS, routine }: Pick<TransactionFilter, 'plans' | 'routine'>): number {
  const habits = routine === undefined ? [0, 1] : [routine ? 1 : 0]
  return plans.reduce(
    (bits, plan) => habits.reduce((all, habit) => all | (1 << (PLAN_NUMBERS[plan] * 2 + habit)), bits),
    0,
  )
}

/** Returns the sums over the trades of these classes. */
export function sumFigures(figures: readonly Figure[], classes: number): PeriodSums {
  const sums = { buy: emptySums(), sell: emptySums() }
  for (const [type, mask, one, persons, trades, shares, value] of figures) {
    if ((one & classes) === 0) continue
    const sum = sums[type]
    // Somebody who traded in several classes is counted with the lowest one asked for.
    if (one === lowestBit(mask & classes)) sum.persons += persons
    sum.trades += trades
    sum.shares += unitsOf(shares, 4)
    sum.value += unitsOf(value, 2)
  }
  const { buy, sell } = sums
  return {
    buys: buy.trades,
    sells: sell.trades,
    buyers: buy.persons,
    sellers: sell.persons,
    sharesBought: textOf(buy.shares, 4),
    sharesSold: textOf(sell.shares, 4),
    buyValue: textOf(buy.value, 2),
    sellValue: textOf(sell.value, 2),
  }
}

const emptySums = () => ({ persons: 0, trades: 0, shares: 0n, value: 0n })
const lowestBit = (bits: number): number => bits & -bits

/** Returns a decimal of the engine, never negative and with at most `places`, in its smallest units. */
export function unitsOf(text: string, places: number): bigint {
  const point = text.indexOf('.')
  if (point < 0) return BigInt(text + '0'.repeat(places))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(places, '0'))
}

function textOf(units: bigint, places: number): string {
  const digits = String(units).padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
