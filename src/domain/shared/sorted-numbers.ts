// Numbers in order of size, from which the middle or the lowest is read while they come and go. Kept in short runs, so
// that adding one moves few others.
import { lowerBound } from './lower-bound.ts'

const LONGEST_RUN = 512

export class SortedNumbers {
  #runs: number[][] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(number: number): void {
    this.#count++
    const at = Math.min(this.#runOf(number), this.#runs.length - 1)
    const run = this.#runs[at]
    if (!run) {
      this.#runs.push([number])
      return
    }
    run.splice(firstFrom(run, number), 0, number)
    if (run.length > LONGEST_RUN) this.#runs.splice(at + 1, 0, run.splice(run.length >> 1))
  }

  /** Removes one of those that equal this one. */
  remove(number: number): void {
    const at = this.#runOf(number)
    const run = this.#runs[at]
    const place = run ? firstFrom(run, number) : 0
    if (run?.[place] !== number) return
    this.#count--
    run.splice(place, 1)
    if (run.length === 0) this.#runs.splice(at, 1)
  }

  /** Returns the one at a place counted from 0, the lowest first. */
  at(place: number): number | undefined {
    let left = place
    for (const run of this.#runs) {
      if (left < run.length) return run[left]
      left -= run.length
    }
    return undefined
  }

  /** Returns the lowest that is at least this one. */
  lowestFrom(number: number): number | undefined {
    const run = this.#runs[this.#runOf(number)]
    return run?.[firstFrom(run, number)]
  }

  /** The first run whose last number is at least this one. */
  #runOf(number: number): number {
    return lowerBound(this.#runs, (run) => run.at(-1)! < number)
  }
}

const firstFrom = (run: readonly number[], number: number): number => lowerBound(run, (each) => each < number)
