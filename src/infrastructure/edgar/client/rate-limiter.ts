// The rate limiter of all requests to EDGAR. The SEC allows 10 requests a second in total, and bursts within a second may
// be blocked, so requests are spread evenly. A process may have one limiter.

/**
 * Priorities, the first one first: the live feed comes before filings that were missed, and other forms and background
 * data come last.
 */
const PRIORITIES = ['live', 'catch-up', 'background', 'other-forms'] as const
export type Priority = (typeof PRIORITIES)[number]

/** A monotonic clock with timers; tests bring their own. */
export interface Timer {
  /** Milliseconds; never goes back. */
  now(): number
  /** Runs once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The SEC's limit. */
const MAX_PER_SECOND = 10

/** Added to the gap: with exactly 1/rate, one request too many would fit into a second with both its ends. */
const SLACK_MS = 1

export const systemTimer: Timer = {
  now: () => performance.now(),
  after(ms, run) {
    const timeout = setTimeout(run, Math.ceil(ms))
    return () => clearTimeout(timeout)
  },
}

/** Grants requests by priority, evenly spaced. Throws RangeError unless 0 < `perSecond` <= 10. */
export class RateLimiter {
  readonly #timer: Timer
  readonly #gap: number
  readonly #waiting: Record<Priority, (() => void)[]> = {
    live: [],
    'catch-up': [],
    background: [],
    'other-forms': [],
  }
  #freeAt = -Infinity
  #cancel = (): void => {}

  constructor(perSecond: number, timer: Timer = systemTimer) {
    if (!(perSecond > 0 && perSecond <= MAX_PER_SECOND)) {
      throw new RangeError(`requests per second must be above 0 and at most ${MAX_PER_SECOND}, not ${perSecond}`)
    }
    this.#timer = timer
    this.#gap = 1000 / perSecond + SLACK_MS
  }

  /** Resolves when one request may be sent; rejects with the signal's reason if that comes first. */
  turn(priority: Priority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const queue = this.#waiting[priority]
      const go = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        queue.splice(queue.indexOf(go), 1)
        reject(signal!.reason)
        this.#grant()
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(go)
      this.#grant()
    })
  }

  /** Grants nothing within the next `ms`, nor before the end of an earlier pause. */
  pause(ms: number): void {
    this.#freeAt = Math.max(this.#freeAt, this.#timer.now() + ms)
    this.#grant()
  }

  #grant(): void {
    this.#cancel()
    const next = PRIORITIES.find((priority) => this.#waiting[priority].length > 0)
    if (next === undefined) return
    const wait = this.#freeAt - this.#timer.now()
    // A timer can fire a little early: then it is set again for the rest.
    if (wait > 0) {
      this.#cancel = this.#timer.after(wait, () => this.#grant())
      return
    }
    this.#freeAt = this.#timer.now() + this.#gap
    this.#waiting[next].shift()!()
    this.#grant()
  }
}
