// Pauses all requests of the process after EDGAR refused or failed to answer one: the SEC limits addresses, not requests.
import type { RateLimiter, Timer } from './rate-limiter.ts'

const FIRST_MS = 1000
const MAX_MS = 60_000
/** The SEC lifts its block once an address has stayed below the rate for 10 minutes. */
const REFUSED_MS = 600_000
/** The longest Retry-After that is respected. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Counts failures and pauses the limiter. `sentAt` is the timer's time at which the request was sent. */
export class BackOff {
  readonly #limiter: Pick<RateLimiter, 'pause'>
  readonly #timer: Timer
  #failures = 0
  #failedAt = -Infinity

  constructor(limiter: Pick<RateLimiter, 'pause'>, timer: Timer) {
    this.#limiter = limiter
    this.#timer = timer
  }

  /**
   * Pauses after 429, 5xx or no answer: `retryAfterMs` if the server sent it, else doubling. Returns the pause in ms.
   */
  busy(sentAt: number, retryAfterMs: number | null): number {
    // Requests in parallel fail together: that is one failure, not a reason to double once for each.
    if (sentAt >= this.#failedAt) {
      this.#failures += 1
      this.#failedAt = this.#timer.now()
    }
    if (retryAfterMs !== null) return this.#pause(Math.min(Math.max(retryAfterMs, FIRST_MS), MAX_RETRY_AFTER_MS))
    return this.#pause(Math.min(FIRST_MS * 2 ** (this.#failures - 1), MAX_MS))
  }

  /** Pauses after a 403. Returns the pause in ms. */
  refused(): number {
    return this.#pause(REFUSED_MS)
  }

  /** Resets the doubling after any other answer. */
  answered(sentAt: number): void {
    if (sentAt >= this.#failedAt) this.#failures = 0
  }

  #pause(ms: number): number {
    this.#limiter.pause(ms)
    return ms
  }
}

/** Returns the header's seconds or HTTP date in ms from `now` (ms since 1970); null if it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
