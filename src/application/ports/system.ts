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

/** Receives how far long work has got; `total` is null if unknown. The work ends if this throws. */
export type Progress = (done: number, total: number | null) => void

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
