// A pool of sessions, each of which runs a fixed number of statements at a time. Statements get a session in the order
// in which they came, which the engine's own lock does not ensure. Those that would wait too long are refused at once.
import { ServiceError } from '../../../application/errors.ts'
import { timeToBegin } from '../../deadline.ts'

/** A session that one statement has for itself. */
export interface Lease<T> {
  session: T
  /** Gives the session back, or `successor` in its place. */
  release(successor?: T): void
}

interface Waiting<T> {
  take(lease: Lease<T>): void
  timer: NodeJS.Timeout | undefined
}

/** The weight of the newest lease in the mean of how long leases last. */
const NEWEST = 1 / 8

export class SessionPool<T> {
  readonly #slots: number
  readonly #idle: T[]
  readonly #waiting = new Set<Waiting<T>>()
  /** How long leases last, in milliseconds: a mean in which older ones fade. */
  #meanMs = 0

  /** Each of `sessions` runs `statementsEach` statements at a time. */
  constructor(sessions: T[], statementsEach: number) {
    this.#idle = sessions.flatMap((session) => Array<T>(statementsEach).fill(session))
    this.#slots = this.#idle.length
  }

  /** Running statements, and those waiting for a session. */
  get load(): { busy: number; waiting: number } {
    return { busy: this.#slots - this.#idle.length, waiting: this.#waiting.size }
  }

  /**
   * Leases a session. Throws `unavailable` if none comes free within `waitMs`, and at once if the queue is so long that
   * none is expected to: the caller learns early that it should come back, and nobody waits behind it.
   */
  async acquire(waitMs = Infinity): Promise<Lease<T>> {
    if (waitMs < 0) throw busy()
    if (this.#idle.length > 0) return this.#lease(this.#idle.pop()!)
    if (this.#meanMs * (this.#waiting.size / this.#slots) > waitMs) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<Lease<T>>()
    const waiting: Waiting<T> = { take: resolve, timer: undefined }
    const giveUp = () => {
      this.#waiting.delete(waiting)
      reject(busy())
    }
    if (waitMs !== Infinity) waiting.timer = setTimeout(giveUp, waitMs)
    this.#waiting.add(waiting)
    return promise
  }

  /** Resolves when no statement is running any more; no session is handed out after that. */
  async drain(): Promise<void> {
    for (let slot = 0; slot < this.#slots; slot += 1) await this.acquire()
  }

  #lease(session: T): Lease<T> {
    const begun = performance.now()
    return {
      session,
      release: (successor = session) => {
        this.#meanMs += NEWEST * (performance.now() - begun - this.#meanMs)
        this.#handOn(successor)
      },
    }
  }

  #handOn(session: T): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#idle.push(session)
      return
    }
    this.#waiting.delete(next)
    clearTimeout(next.timer)
    next.take(this.#lease(session))
  }
}

const busy = () => new ServiceError('unavailable', 'too many statements are waiting')

/** Returns the function so that its calls share a limit with those of other functions. */
export type Limit = <Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>

/**
 * Makes a limit: of all calls of the functions that it returns, only this many run at a time. The others wait, as long
 * as they could still be answered. A function under the limit must not call another one under it.
 */
export function limitTo(atOnce: number): Limit {
  const turns = new SessionPool(['turn'], atOnce)
  return (run) =>
    async (...args) => {
      const turn = await turns.acquire(timeToBegin())
      try {
        return await run(...args)
      } finally {
        turn.release()
      }
    }
}
