// How long to leave EDGAR alone after it refused or failed. The pause holds for the whole process: what is limited is
// the address, not one request.
import type { RateLimiter, Timer } from './rate-limiter.ts'

const FIRST_MS = 1000
const MAX_MS = 60_000
/** The SEC lifts its limit once an address has stayed below the rate for 10 minutes. */
const REFUSED_MS = 600_000
/** A server that names a longer time is asked again after an hour all the same. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** `sentAt` is the timer's time at which the request was sent. */
export class BackOff {
  readonly #limiter: Pick<RateLimiter, 'pause'>
  readonly #timer: Timer
  #failures = 0
  #failedAt = -Infinity

  constructor(limiter: Pick<RateLimiter, 'pause'>, timer: Timer) {
    this.#limiter = limiter
    this.#timer = timer
  }

  /** After 429, 5xx or no answer: `retryAfterMs` if the server named it, else doubling. Returns the pause in ms. */
  busy(sentAt: number, retryAfterMs: number | null): number {
    // Requests under way together fail together: that is one failure, not a reason to double once for each.
    if (sentAt >= this.#failedAt) {
      this.#failures += 1
      this.#failedAt = this.#timer.now()
    }
    if (retryAfterMs !== null) return this.#pause(Math.min(Math.max(retryAfterMs, FIRST_MS), MAX_RETRY_AFTER_MS))
    return this.#pause(Math.min(FIRST_MS * 2 ** (this.#failures - 1), MAX_MS))
  }

  /** After a 403. Returns the pause in ms. */
  refused(): number {
    return this.#pause(REFUSED_MS)
  }

  /** After any other answer: the doubling begins anew. */
  answered(sentAt: number): void {
    if (sentAt >= this.#failedAt) this.#failures = 0
  }

  #pause(ms: number): number {
    this.#limiter.pause(ms)
    return ms
  }
}

/** The header's seconds or HTTP date in ms from `now` (ms since 1970); null where it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
