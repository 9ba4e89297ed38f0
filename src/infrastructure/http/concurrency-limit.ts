// Limits how many streams, downloads or connections are open at once, in total and per caller.

export class ConcurrencyLimit {
  readonly #most: number
  readonly #perCaller: number
  readonly #open = new Map<string, number>()
  #inUse = 0

  constructor(most: number, perCaller: number) {
    this.#most = most
    this.#perCaller = perCaller
  }

  get inUse(): number {
    return this.#inUse
  }

  /** Returns a function that releases the place, or null if a limit is reached. `null` is a caller without a limit. */
  acquire(caller: string | null): (() => void) | null {
    const own = caller === null ? 0 : (this.#open.get(caller) ?? 0)
    if (this.#inUse >= this.#most || own >= this.#perCaller) return null
    this.#inUse += 1
    if (caller !== null) this.#open.set(caller, own + 1)
    return () => {
      this.#inUse -= 1
      if (caller === null) return
      const left = this.#open.get(caller)! - 1
      if (left > 0) this.#open.set(caller, left)
      else this.#open.delete(caller)
    }
  }
}
