// Returns after filings: how the close of a share changed from the first one after a filing became public to those some
// trading days later. A trading day of a share is a day on which it has a close. Days as numbers since 1970.
import { dayNumber } from '../shared/calendar.ts'
import type { Ticker } from '../shared/identifiers.ts'
import { lowerBound } from '../shared/lower-bound.ts'
import { newYorkDay, newYorkToUtc } from '../shared/new-york-time.ts'

/**
 * After how many trading days a return is measured. A close more than a week later than usual is another matter, such
 * as that of a company that took over the symbol.
 */
const HORIZONS = {
  return1w: { closes: 5, mostDays: 14 },
  return1m: { closes: 21, mostDays: 38 },
  return6m: { closes: 126, mostDays: 190 },
} as const
export type Horizon = keyof typeof HORIZONS
const NAMES = Object.keys(HORIZONS) as Horizon[]

/** Days after the filing within which the first close is looked for. */
const FIRST_WITHIN_DAYS = 7
/** Days after the first possible one in which all closes lie that a return needs. */
export const LONGEST_DAYS = FIRST_WITHIN_DAYS + HORIZONS.return6m.mostDays

const CLOSE_OF_TRADING = 16 * 3600

/** The closes of a share, by day. */
export interface Closes {
  days: readonly number[]
  closes: readonly number[]
}

/** Which close of a share is needed: that of the day `from`, or of one of the next days. */
export interface PriceLookup {
  symbol: Ticker
  from: number
}

/** The days between which a return is measured, and the return as a fraction. */
interface Measured {
  from: number
  to: number
  change: number
}

/** What is null is not known: the time is not over, or there is no close. */
export type Measures = Record<Horizon, Measured | null>
export type Returns = Record<Horizon, number | null>

/** Returns the day whose close is the first after an instant, in seconds: closes are at 16:00 in New York. */
export function dayOfNextClose(at: number): number {
  const day = newYorkDay(at)
  return dayNumber(day) + (at < newYorkToUtc(day, CLOSE_OF_TRADING) ? 0 : 1)
}

/** Returns the last day whose close is known at an instant, in seconds. */
export const dayOfLastClose = (at: number): number => dayOfNextClose(at) - 1

/** Measures from the first close on `from` or within a week. No close after `last` is used. */
export function measure({ days, closes }: Closes, from: number, last = Number.POSITIVE_INFINITY): Measures {
  const first = lowerBound(days, (each) => each < from)
  const [day, close] = [days[first], closes[first]]
  const at = (name: Horizon): Measured | null => {
    const { closes: after, mostDays } = HORIZONS[name]
    const [to, later] = [days[first + after], closes[first + after]]
    if (day === undefined || day > from + FIRST_WITHIN_DAYS) return null
    if (to === undefined || to > last || to > day + mostDays) return null
    return { from: day, to, change: later! / close! - 1 }
  }
  return { return1w: at('return1w'), return1m: at('return1m'), return6m: at('return6m') }
}

export const returnsOf = ({ return1w, return1m, return6m }: Measures): Returns => ({
  return1w: return1w && rounded(return1w.change),
  return1m: return1m && rounded(return1m.change),
  return6m: return6m && rounded(return6m.change),
})

const rounded = (fraction: number): number => Math.floor(fraction * 10_000 + 0.5) / 10_000

/** An average over `n` returns, and that of the benchmark over those of the same days for which it has closes. */
export interface ReturnAverage {
  n: number
  average: number | null
  benchmark?: number | null
  benchmarkN?: number
}
export type ReturnAverages = Record<Horizon, ReturnAverage>

/** A sum of returns to be averaged, with the benchmark's over the same days if there is one. */
export class ReturnTally {
  readonly #benchmark: Closes | null
  readonly #sums = new Map(NAMES.map((name) => [name, { n: 0, sum: 0, benchmarkN: 0, benchmarkSum: 0 }]))

  constructor(benchmark: Closes | null) {
    this.#benchmark = benchmark
  }

  add(measures: Measures): void {
    for (const name of NAMES) {
      const measured = measures[name]
      if (measured === null) continue
      const sums = this.#sums.get(name)!
      sums.n += 1
      sums.sum += measured.change
      const [before, after] = [this.#benchmarkOn(measured.from), this.#benchmarkOn(measured.to)]
      if (before === undefined || after === undefined) continue
      sums.benchmarkN += 1
      sums.benchmarkSum += after / before - 1
    }
  }

  averages(): ReturnAverages {
    return {
      return1w: this.#average('return1w'),
      return1m: this.#average('return1m'),
      return6m: this.#average('return6m'),
    }
  }

  #average(name: Horizon): ReturnAverage {
    const { n, sum, benchmarkN, benchmarkSum } = this.#sums.get(name)!
    const mean = (total: number, count: number) => (count === 0 ? null : rounded(total / count))
    const own = { n, average: mean(sum, n) }
    return this.#benchmark === null ? own : { ...own, benchmark: mean(benchmarkSum, benchmarkN), benchmarkN }
  }

  #benchmarkOn(day: number): number | undefined {
    if (this.#benchmark === null) return undefined
    const { days, closes } = this.#benchmark
    const place = lowerBound(days, (each) => each < day)
    return days[place] === day ? closes[place] : undefined
  }
}
