// A pool of sessions, each of which runs a fixed number of statements at a time. Statements get a session in the order
// in which they came, which the engine's own lock does not ensure.

export class SessionPool<T> {
  readonly #slots: number
  readonly #idle: T[]
  readonly #waiting: ((session: T) => void)[] = []

  /** Each of `sessions` runs `statementsEach` statements at a time. */
  constructor(sessions: T[], statementsEach: number) {
    this.#idle = sessions.flatMap((session) => Array<T>(statementsEach).fill(session))
    this.#slots = this.#idle.length
  }

  /** Running statements, and those waiting for a session. */
  get load(): { busy: number; waiting: number } {
    return { busy: this.#slots - this.#idle.length, waiting: this.#waiting.length }
  }

  /** Rejects when the signal comes first. */
  acquire(signal?: AbortSignal): Promise<T> | T {
    const idle = this.#idle.pop()
    if (idle) return idle
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push(resolve)
    signal?.addEventListener('abort', () => {
      const place = this.#waiting.indexOf(resolve)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      reject(new Error('no connection came free'))
    })
    return promise
  }

  release(session: T): void {
    const take = this.#waiting.shift()
    if (take) take(session)
    else this.#idle.push(session)
  }

  /** Resolves when no statement is running any more; no session is handed out after that. */
  async drain(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot += 1) await this.acquire()
  }
}

/** Returns the function so that only this many calls run at a time; the others wait. */
export function limited<Args extends unknown[], Result>(
  atOnce: number,
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const turns = new SessionPool(['turn'], atOnce)
  return async (...args) => {
    const turn = await turns.acquire()
    try {
      return await run(...args)
    } finally {
      turns.release(turn)
    }
  }
}
