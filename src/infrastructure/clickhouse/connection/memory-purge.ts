// Memory that the embedded engine has done with, given back to the system. Its allocator keeps it for later statements,
// and its own threads that would return it do not run when embedded: of 650 MiB after four month files, 235.

/** A shorter statement leaves little behind. */
const LONG_MS = 100
/** Statements of these milliseconds share a purge: with one each 3 s a load wrote its trades 1.3 times as long. */
const AFTER_MS = 15_000

export class MemoryPurge {
  readonly #purge: () => Promise<unknown>
  #timer: NodeJS.Timeout | undefined

  /** `purge` does it, and does not reject. */
  constructor(purge: () => Promise<unknown>) {
    this.#purge = purge
  }

  /** Takes note of a statement that has ended after so many milliseconds. */
  ended(milliseconds: number): void {
    if (milliseconds < LONG_MS || this.#timer) return
    // Kept until it is done, so that it is not followed by another one of itself.
    this.#timer = setTimeout(() => void this.#purge().finally(() => (this.#timer = undefined)), AFTER_MS)
    this.#timer.unref()
  }

  /** Ends it: nothing is purged any more. */
  stop(): void {
    clearTimeout(this.#timer)
  }
}
