// Measures long work whose rows go through several phases, and estimates how long the rest takes. Phases may take
// turns, as when each quarter is fetched and then staged.
import type { Monotonic, Progress } from '../ports/system.ts'

/**
 * What a row costs in each phase, in any unit: the share of a phase in the work, and its duration until it was
 * measured. 0 for a phase whose duration has nothing to do with that of the others, such as a download.
 */
export type PhaseCosts<Phase extends string> = Readonly<Record<Phase, number>>

interface Measured {
  /** Of all rows, as far as known. */
  expected: number
  done: number
  /** Rows of `done` that this run did not have to do. */
  skipped: number
  milliseconds: number
}

/** The cost of a phase of which there is none, for its share in the work. */
const APART_COST = 0.1

export class WorkMeter<Phase extends string> {
  readonly #report: Progress
  readonly #monotonic: Monotonic
  readonly #costs: PhaseCosts<Phase>
  readonly #phases = new Map<Phase, Measured>()
  #rows: number | null = null
  #phase: Phase
  #since: number

  /** Begins in the first phase of `costs`. `report` may end the work by throwing. */
  constructor(report: Progress, monotonic: Monotonic, costs: PhaseCosts<Phase>) {
    this.#report = report
    this.#monotonic = monotonic
    this.#costs = costs
    this.#since = monotonic()
    for (const phase of Object.keys(costs) as Phase[])
      this.#phases.set(phase, { expected: 0, done: 0, skipped: 0, milliseconds: 0 })
    this.#phase = this.#phases.keys().next().value!
  }

  /** Sets how many rows the work has, and how many of them go through single phases, which are all unless named. */
  expect(rows: number, inPhase: Partial<Record<Phase, number>> = {}): void {
    this.#rows = rows
    for (const [phase, measured] of this.#phases) measured.expected = inPhase[phase] ?? rows
  }

  /** Reports that the work is in this phase from now on. */
  enter(phase: Phase): void {
    this.#phase = phase
    this.#since = this.#monotonic()
    this.#tell()
  }

  /** Sets how many rows of this phase were done before, and takes no time now. */
  skip(rows: number): void {
    const measured = this.#phases.get(this.#phase)!
    measured.skipped = rows
    measured.done = rows
  }

  /** Reports that the present phase is through with so many rows more. */
  add(rows: number): void {
    this.reach(this.#phases.get(this.#phase)!.done + rows)
  }

  /** Reports that the present phase is through with so many rows. */
  reach(rows: number): void {
    const measured = this.#phases.get(this.#phase)!
    const now = this.#monotonic()
    // Only with the rows that were done in it: a phase that has begun something has nothing to show for its time yet.
    measured.milliseconds += now - this.#since
    measured.done = rows
    this.#since = now
    this.#tell()
  }

  /** Reports the same once more. */
  repeat(): void {
    this.#tell()
  }

  #tell(): void {
    const { expected, done, skipped, milliseconds } = this.#phases.get(this.#phase)!
    const perSecond = milliseconds > 0 ? Math.round((done - skipped) / (milliseconds / 1_000)) : 0
    const pace = {
      phase: this.#phase,
      rows: done,
      totalRows: Math.max(done, expected),
      rowsPerSecond: perSecond > 0 ? perSecond : null,
      secondsLeft: this.#secondsLeft(),
    }
    this.#report(Math.round((this.#rows ?? 0) * this.#share()), this.#rows, pace)
  }

  /** Returns how much of the work is done, from 0 to 1. */
  #share(): number {
    let [done, all] = [0, 0]
    for (const [phase, measured] of this.#phases) {
      const cost = this.#costs[phase] || APART_COST
      done += cost * Math.min(measured.done, measured.expected)
      all += cost * measured.expected
    }
    return all > 0 ? done / all : 0
  }

  /** Returns null as long as nothing tells how fast this machine is. */
  #secondsLeft(): number | null {
    let [milliseconds, cost] = [0, 0]
    for (const [phase, measured] of this.#phases) {
      if (this.#costs[phase] === 0) continue
      milliseconds += measured.milliseconds
      cost += this.#costs[phase] * (measured.done - measured.skipped)
    }
    if (this.#rows === null || cost === 0) return null
    let left = 0
    for (const [phase, measured] of this.#phases) {
      const own = measured.done - measured.skipped
      const perRow = own > 0 ? measured.milliseconds / own : (this.#costs[phase] * milliseconds) / cost
      left += Math.max(0, measured.expected - measured.done) * perRow
    }
    return Math.round(left / 1_000)
  }
}
