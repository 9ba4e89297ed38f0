// The rows of the feed as they are shown: the newest pages, kept up with what changes. New rows wait while the reader
// is looking at others.
import { batch, computed, signal } from '@preact/signals'
import type { InsiderApiError, Query, Transaction } from '../../client/index.ts'
import { errorOf, isPassing, tellingClient } from '../api.ts'

export const MAX_ROWS = 500
const PAGE = 50
const MAX_PAGES = 5
/** What arrives within this is drawn together. */
const TOGETHER_MS = 700
const AGAIN_MS = 5_000

export class FeedRows {
  readonly #query: Query<'listFeed'>
  readonly #all = signal<Transaction[]>([])
  readonly #waiting = signal<ReadonlySet<string>>(new Set())
  readonly #stop = new AbortController()
  #cursor: string | undefined
  /** Rows were cut off, so that the cursor does not continue where they end. */
  #isCut = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAsking = false
  #isStale = false

  /** Ids that arrived while the page was open, for the eye. */
  readonly arrived = new Set<string>()
  readonly rows = computed(() => this.#all.value.filter(({ id }) => !this.#waiting.value.has(id)))
  readonly waiting = computed(() => this.#waiting.value.size)
  readonly hasOlder = signal(false)
  readonly isLoaded = signal(false)
  readonly error = signal<InsiderApiError | null>(null)
  readonly isHeld = signal(false)
  /** Symbols of the filter that lead to no company. */
  readonly unknown = signal<string[]>([])
  readonly #client = tellingClient((unknown) => (this.unknown.value = unknown))

  constructor(query: Query<'listFeed'>) {
    this.#query = query
    void this.#refresh()
  }

  /** Asks again, soon, once for all that comes until then. `gone` are ids that are no longer listed. */
  touch(gone: readonly string[] = []): void {
    if (gone.length > 0) this.#all.value = this.#all.value.filter(({ id }) => !gone.includes(id))
    this.#later(TOGETHER_MS)
  }

  /** Shows the rows that wait. */
  release(): void {
    this.#waiting.value = new Set()
    this.#cut()
  }

  /** Adds a page of older rows. */
  async older(): Promise<void> {
    const shown = this.#all.value
    const last = shown.at(-1)?.id
    try {
      let page = await this.#page(this.#isCut ? undefined : this.#cursor)
      for (let pages = 1; this.#isCut && pages < 2 * MAX_PAGES; pages += 1) {
        const at = page.transactions.findIndex(({ id }) => id === last)
        if (at >= 0) page = { ...page, transactions: page.transactions.slice(at + 1) }
        if (at >= 0 || !page.hasMore) break
        page = await this.#page(page.nextCursor)
      }
      const known = new Set(shown.map(({ id }) => id))
      batch(() => {
        this.#isCut = false
        this.#cursor = page.nextCursor
        this.#all.value = [...shown, ...page.transactions.filter(({ id }) => !known.has(id))]
        this.hasOlder.value = page.hasMore
      })
    } catch (reason) {
      this.#failed(reason)
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#stop.abort()
  }

  /** New rows can stand anywhere, not only before the others. */
  get #isRanked(): boolean {
    return (this.#query.sort ?? 'newest') !== 'newest'
  }

  #page(cursor: string | undefined) {
    const query = { ...this.#query, detail: 'full' as const, limit: PAGE, cursor }
    return this.#client.feed.list(query, { signal: this.#stop.signal })
  }

  #later(ms: number): void {
    this.#isStale = true
    if (this.#timer !== undefined || this.#isAsking) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#refresh()
    }, ms)
  }

  async #refresh(): Promise<void> {
    this.#isAsking = true
    this.#isStale = false
    try {
      const known = new Set(this.#all.value.map(({ id }) => id))
      const newest: Transaction[] = []
      let page = await this.#page(undefined)
      newest.push(...page.transactions)
      for (let pages = 1; this.#isBehind(known, newest, page.hasMore) && pages < MAX_PAGES; pages += 1) {
        page = await this.#page(page.nextCursor)
        newest.push(...page.transactions)
      }
      this.#merge(newest, known, page)
    } catch (reason) {
      this.#failed(reason)
    }
    this.#isAsking = false
    if (this.#isStale) this.#later(TOGETHER_MS)
  }

  /** Returns whether there may be new rows beyond those that were read. */
  #isBehind(known: ReadonlySet<string>, newest: Transaction[], hasMore: boolean): boolean {
    return known.size > 0 && hasMore && !this.#isRanked && !known.has(newest.at(-1)!.id)
  }

  #merge(newest: Transaction[], known: ReadonlySet<string>, page: { hasMore: boolean; nextCursor?: string }): void {
    const last = newest.at(-1)?.id
    const at = this.#all.value.findIndex(({ id }) => id === last)
    const isNew = newest.filter(({ id }) => !known.has(id)).map(({ id }) => id)
    batch(() => {
      this.error.value = null
      if (at < 0 || this.#isRanked) {
        this.#all.value = newest
        this.#cursor = page.nextCursor
        this.#isCut = false
        this.hasOlder.value = page.hasMore
      } else {
        this.#all.value = [...newest, ...this.#all.value.slice(at + 1)]
      }
      if (this.isLoaded.value) {
        for (const id of isNew) this.arrived.add(id)
        if (this.isHeld.value) this.#waiting.value = new Set([...this.#waiting.value, ...isNew])
      }
      this.isLoaded.value = true
      if (!this.isHeld.value) this.#cut()
    })
  }

  #cut(): void {
    if (this.#all.value.length <= MAX_ROWS) return
    this.#all.value = this.#all.value.slice(0, MAX_ROWS)
    this.#isCut = true
    this.hasOlder.value = true
  }

  #failed(reason: unknown): void {
    if (this.#stop.signal.aborted) return
    const error = errorOf(reason)
    this.error.value = error
    if (isPassing(error)) this.#later(Math.max(AGAIN_MS, (error.retryAfterSeconds ?? 0) * 1_000))
  }
}
