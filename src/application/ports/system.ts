// Ports of the system: time, waiting, randomness and hashing, and the progress of long work.

/** Returns the time in milliseconds since 1970, which can be set back and forth; tests fix it. */
export type Clock = () => number

/**
 * Returns milliseconds since some instant, which run evenly when the time is set: for intervals and durations; tests
 * move it.
 */
export type Monotonic = () => number

/** Resolves after the time, or at once when the signal aborts. Never rejects. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/**
 * Receives how far long work has got; `total` is null if unknown, `pace` comes from work that is measured. The work
 * ends if this throws.
 */
export type Progress = (done: number, total: number | null, pace?: Pace) => void

/** What long work does at present, and how fast. */
export interface Pace {
  phase: string
  /** Rows that this phase is through with, and all that it has as far as is known. */
  rows: number
  totalRows: number
  /** Of this phase; null until it is through with some. */
  rowsPerSecond: number | null
  /** An estimate of the rest of the work, all phases; null until something could be measured. */
  secondsLeft: number | null
}

/** Runs work as a step of a trace, if traces are kept, with facts that are no secrets. */
export type Traced = <T>(name: string, facts: Record<string, string | number>, work: () => Promise<T>) => Promise<T>

/** Randomness and hashing; a port because this layer has no crypto. */
export interface Crypto {
  /** Returns `count` random bytes, fit for secrets. */
  generateBytes(count: number): Uint8Array
  sha256(text: string): Buffer
  /** Compares in a time that does not depend on where they differ. */
  isEqual(one: Buffer, other: Buffer): boolean
}
