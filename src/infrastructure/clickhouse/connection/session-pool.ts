// Pool of sessions, each running a fixed number of statements at a time. First come, first served: left to the
// engine's own lock, the p99 of 8 callers was 1.5 s instead of 37 ms. Work in the background can be kept from taking
// all of them: behind its statements, of up to a second each, callers waited for 400 ms.

interface Waiting<T> {
  take(session: T): void
  isWork: boolean
}

export class SessionPool<T> {
  readonly #slots: number
  readonly #idle: T[]
  readonly #mostWork: number
  #work = 0
  readonly #waiting: Waiting<T>[] = []

  /** Each of `sessions` runs `statementsEach` statements at a time; `keptFree` of all those do no work. */
  constructor(sessions: T[], statementsEach: number, keptFree = 0) {
    this.#idle = sessions.flatMap((session) => Array<T>(statementsEach).fill(session))
    this.#slots = this.#idle.length
    this.#mostWork = this.#slots - keptFree
  }

  /** Running statements, and those waiting for a session. */
  get load(): { busy: number; waiting: number } {
    return { busy: this.#slots - this.#idle.length, waiting: this.#waiting.length }
  }

  /** Rejects when the signal comes first. `isWork`: nobody waits for an answer. */
  acquire(signal?: AbortSignal, isWork = false): Promise<T> | T {
    if (this.#hasTurn({ isWork })) {
      const idle = this.#idle.pop()
      if (idle) {
        if (isWork) this.#work += 1
        return idle
      }
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const waiting = { take: resolve, isWork }
    this.#waiting.push(waiting)
    signal?.addEventListener('abort', () => {
      const place = this.#waiting.indexOf(waiting)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      reject(new Error('no connection came free'))
    })
    return promise
  }

  /** `isWork` as when it was acquired. */
  release(session: T, isWork = false): void {
    if (isWork) this.#work -= 1
    const place = this.#waiting.findIndex((each) => this.#hasTurn(each))
    if (place < 0) return void this.#idle.push(session)
    const [next] = this.#waiting.splice(place, 1)
    if (next!.isWork) this.#work += 1
    next!.take(session)
  }

  /** Resolves when no statement is running any more; no session is handed out after that. */
  async drain(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot += 1) await this.acquire()
  }

  #hasTurn({ isWork }: Pick<Waiting<T>, 'isWork'>): boolean {
    return !isWork || this.#work < this.#mostWork
  }
}
