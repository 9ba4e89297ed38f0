// Prices in order of size, from which the middle is read while prices come and go. Kept in short runs, so that adding
// one moves few others.
import { lowerBound } from '../../shared/lower-bound.ts'

const LONGEST_RUN = 512

export class SortedPrices {
  #runs: number[][] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(price: number): void {
    this.#count++
    const at = Math.min(this.#runOf(price), this.#runs.length - 1)
    const run = this.#runs[at]
    if (!run) {
      this.#runs.push([price])
      return
    }
    run.splice(firstFrom(run, price), 0, price)
    if (run.length > LONGEST_RUN) this.#runs.splice(at + 1, 0, run.splice(run.length >> 1))
  }

  /** Removes one of the prices that equal this one. */
  remove(price: number): void {
    const at = this.#runOf(price)
    const run = this.#runs[at]
    const place = run ? firstFrom(run, price) : 0
    if (run?.[place] !== price) return
    this.#count--
    run.splice(place, 1)
    if (run.length === 0) this.#runs.splice(at, 1)
  }

  /** Returns the price at a place counted from 0, the lowest first. */
  at(place: number): number | undefined {
    let left = place
    for (const run of this.#runs) {
      if (left < run.length) return run[left]
      left -= run.length
    }
    return undefined
  }

  /** Returns the lowest price that is at least this one. */
  lowestFrom(price: number): number | undefined {
    const run = this.#runs[this.#runOf(price)]
    return run?.[firstFrom(run, price)]
  }

  /** The first run whose last price is at least this one. */
  #runOf(price: number): number {
    return lowerBound(this.#runs, (run) => run.at(-1)! < price)
  }
}

const firstFrom = (run: readonly number[], price: number): number => lowerBound(run, (each) => each < price)
