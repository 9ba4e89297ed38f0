// Concurrency limits, such as of streams and downloads: in total and per caller.

export class Places {
  readonly #most: number
  readonly #perCaller: number
  readonly #open = new Map<string, number>()
  #taken = 0

  constructor(most: number, perCaller: number) {
    this.#most = most
    this.#perCaller = perCaller
  }

  get taken(): number {
    return this.#taken
  }

  /** Returns what gives the place back; null where none is left. The places of `null`, this machine, are not counted. */
  take(caller: string | null): (() => void) | null {
    const own = caller === null ? 0 : (this.#open.get(caller) ?? 0)
    if (this.#taken >= this.#most || own >= this.#perCaller) return null
    this.#taken += 1
    if (caller !== null) this.#open.set(caller, own + 1)
    return () => {
      this.#taken -= 1
      if (caller === null) return
      const left = this.#open.get(caller)! - 1
      if (left > 0) this.#open.set(caller, left)
      else this.#open.delete(caller)
    }
  }
}
