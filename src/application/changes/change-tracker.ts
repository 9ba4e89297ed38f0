// Tracker of changed parts of the stored data, and when they changed. Numbers of changes stand for instants: an answer
// that began at version 7 is current as long as nothing it depends on has a change above 7, whether it was kept by then
// or still being made.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Dependence, DataPart } from './dependence.ts'

/** What a write may have changed; `feed` holds filing times in seconds since 1970. */
export interface ChangeScope {
  parts: Iterable<DataPart>
  feed: Iterable<number>
}

export const NOTHING_TOUCHED: ChangeScope = { parts: [], feed: [] }

// 100,000 parts are 10 MB, and 10,000 filing times 0.2 MB.
const MAX_PARTS = 100_000
const MAX_FEED = 10_000

export class ChangeTracker {
  #version = 0
  /** Everything up to this version counts as changed. */
  #floor = 0
  #parts = new Map<DataPart, number>()
  #feed: { version: number; filedAt: number }[] = []
  #onEverything: () => void = () => {}

  /** Returns the number of the last change. An answer that is about to be made reads it first. */
  version(): number {
    return this.#version
  }

  /** Records a change of these parts, after which the stores show it. */
  record(scope: ChangeScope): void {
    const version = ++this.#version
    for (const part of scope.parts) this.#parts.set(part, version)
    for (const filedAt of new Set(scope.feed)) this.#feed.push({ version, filedAt })
    if (this.#parts.size > MAX_PARTS || this.#feed.length > MAX_FEED) this.dropAll()
  }

  /** Records a change of unknown or great extent. */
  recordEverything(): void {
    this.dropAll()
    this.#onEverything()
  }

  /** Calls `listener` at each `recordEverything`, for changes that no log entry announces to other processes. */
  onEverything(listener: () => void): void {
    this.#onEverything = listener
  }

  /** Makes everything known so far stale, as after a change of everything in another process. */
  dropAll(): void {
    this.#floor = ++this.#version
    this.#parts.clear()
    this.#feed = []
  }

  /**
   * Returns whether nothing of `dependence` has changed after version `since`. Costs as much as changes came after it.
   */
  isCurrent({ parts, feed }: Dependence, since: number): boolean {
    if (since === this.#version) return true
    if (since < this.#floor) return false
    if (parts.some((part) => (this.#parts.get(part) ?? 0) > since)) return false
    return feed === undefined || !this.#feedChanged(feed, since)
  }

  /** Returns the issuers that changed after version `since`; null where any may have. */
  issuersSince(since: number): Cik[] | null {
    if (since < this.#floor) return null
    const changed = [...this.#parts].filter(([part, version]) => version > since && part.startsWith('issuer:'))
    return changed.map(([part]) => part.slice('issuer:'.length))
  }

  #feedChanged({ from, to }: { from: number; to: number }, since: number): boolean {
    for (let place = this.#feed.length - 1; place >= 0; place -= 1) {
      const { version, filedAt } = this.#feed[place]!
      if (version <= since) return false
      if (filedAt >= from && filedAt <= to) return true
    }
    return false
  }
}
