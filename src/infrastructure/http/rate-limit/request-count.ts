// Counts each caller's requests in fixed windows, which begin with its first request. Where several processes count
// together, most requests are counted here at once and added to the shared total soon after: waiting for Redis would
// cost an answer from memory half of its speed.
import { LRUCache } from 'lru-cache'
import type { AddToTotal, Total } from './shared-totals.ts'

/** Callers that are counted at once; beyond that those are forgotten that have not called for longest. */
const MAX_CALLERS = 100_000
/** The time after a request until it is added to the shared total. */
const SETTLE_MS = 50
/** A request waits for the shared total where what is known of it is older than this, */
const FRESH_MS = 150
/**
 * or where this process would count more than this part of what is left without asking. So a caller can exceed its
 * limit by a tenth of it for each process at most, and a small limit is kept exactly.
 */
const UNASKED = 0.1
/** The longest wait for the shared total; then this process counts alone, for a second without trying again. */
const MAX_WAIT_MS = 100
const ALONE_MS = 1_000

interface Window {
  /** The shared total, as last heard. */
  known: number
  /** When that was asked for. */
  askedAt: number
  /** Requests being added to it, */
  sent: number
  /** and requests not yet sent. */
  unsent: number
  endsAt: number
}

export class RequestCount {
  readonly #limit: { requests: number; seconds: number }
  readonly #add: AddToTotal | undefined
  readonly #maxWaitMs: number
  readonly #windows = new LRUCache<string, Window>({ max: MAX_CALLERS })
  /** Those with requests to send. */
  readonly #unsettled = new Map<string, Window>()
  #aloneUntil = 0

  /** Counts alone unless there is a shared total to `add` to, and while that takes longer than `maxWaitMs`. */
  constructor(limit: { requests: number; seconds: number }, add?: AddToTotal, maxWaitMs = MAX_WAIT_MS) {
    this.#limit = limit
    this.#add = add
    this.#maxWaitMs = maxWaitMs
  }

  /** Counts a request; returns the total with it. The promise, where it is one, never rejects. */
  count(name: string): Total | Promise<Total> {
    const now = performance.now()
    const window = this.#windowOf(name, now)
    const unasked = window.sent + window.unsent + 1
    const state = { total: window.known + unasked, msBeforeEnd: window.endsAt - now }
    // A caller above its limit costs Redis nothing more until its window ends.
    const left = this.#limit.requests - window.known
    if (left < 0) return state
    window.unsent += 1
    if (this.#add === undefined || now < this.#aloneUntil) return state
    if (now - window.askedAt > FRESH_MS || unasked > left * UNASKED) return this.#shared(name, window, state)
    if (this.#unsettled.size === 0) setTimeout(() => this.#settle(), SETTLE_MS).unref()
    this.#unsettled.set(name, window)
    return state
  }

  #windowOf(name: string, now: number): Window {
    const kept = this.#windows.get(name)
    if (kept !== undefined && kept.endsAt > now) return kept
    const window = { known: 0, askedAt: -Infinity, sent: 0, unsent: 0, endsAt: now + this.#limit.seconds * 1_000 }
    this.#windows.set(name, window)
    return window
  }

  /** Returns the state by the shared total, or in its absence `alone`. */
  async #shared(name: string, window: Window, alone: Total): Promise<Total> {
    const state = await inTime(this.#send(name, window), this.#maxWaitMs)
    if (state === null) this.#countAlone()
    return state ?? alone
  }

  #countAlone(): void {
    this.#aloneUntil = performance.now() + ALONE_MS
  }

  #settle(): void {
    const now = performance.now()
    for (const [name, window] of this.#unsettled)
      if (window.unsent > 0 && window.endsAt > now) void this.#send(name, window)
    this.#unsettled.clear()
  }

  /** Adds what is unsent to the shared total. Null if it could not be added; then it is sent with the next. */
  async #send(name: string, window: Window): Promise<Total | null> {
    const { unsent } = window
    const askedAt = performance.now()
    window.unsent = 0
    window.sent += unsent
    try {
      const state = await this.#add!(name, unsent)
      // Answers come in the order of their questions.
      window.known = state.total
      window.askedAt = askedAt
      window.endsAt = performance.now() + state.msBeforeEnd
      return state
    } catch {
      window.unsent += unsent
      this.#countAlone()
      return null
    } finally {
      window.sent -= unsent
    }
  }
}

/** Returns what comes within the time, or null. */
function inTime<Value>(coming: Promise<Value>, milliseconds: number): Promise<Value | null> {
  const { promise, resolve } = Promise.withResolvers<Value | null>()
  // After a pause of this process timers run before sockets are read: an answer that lies there by then was in time.
  const timer = setTimeout(() => setImmediate(() => resolve(null)), milliseconds)
  void coming.then(resolve).finally(() => clearTimeout(timer))
  return promise
}
