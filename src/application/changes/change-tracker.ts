// Tracks which parts of the stored data changed, and in which order. Changes are numbered: an answer whose making began
// at version 7 is current while nothing that it depends on has a change above 7.
import type { DataDependencies, DataPart } from './data-dependencies.ts'

/** The data that a write may have changed; `feed` holds filing times in seconds since 1970. */
export interface ChangeScope {
  parts: Iterable<DataPart>
  feed: Iterable<number>
}

/**
 * A change of many or unknown parts. `filings`: everything that comes from filings, as when a quarter is loaded.
 * `everything`: the SEC's company list and the sectors from EDGAR too.
 */
export type Extent = 'filings' | 'everything'

export const NOTHING_TOUCHED: ChangeScope = { parts: [], feed: [] }

// Limits of memory; beyond them, everything counts as changed.
const MAX_PARTS = 100_000
const MAX_FEED = 10_000

export class ChangeTracker {
  #version = 0
  /** The versions up to which everything, all that comes from filings, and the feed count as changed. */
  #floors = { everything: 0, filings: 0, feed: 0 }
  #parts = new Map<DataPart, number>()
  #feed: { version: number; filedAt: number }[] = []
  #onExtent: (extent: Extent) => void = () => {}

  /** Returns the number of the last change. It has to be read before an answer is made. */
  version(): number {
    return this.#version
  }

  /** Records a change that the stores show by now. */
  record(scope: ChangeScope): void {
    const version = ++this.#version
    for (const part of scope.parts) this.#parts.set(part, version)
    for (const filedAt of new Set(scope.feed)) this.#feed.push({ version, filedAt })
    if (this.#parts.size > MAX_PARTS) this.drop('filings')
    else if (this.#feed.length > MAX_FEED) this.#dropFeed()
  }

  /** Records a change of many or unknown parts, and has it announced to other processes. */
  recordExtent(extent: Extent): void {
    this.drop(extent)
    this.#onExtent(extent)
  }

  /** Calls `listener` at each `recordExtent`, for changes that no log entry announces to other processes. */
  onExtent(listener: (extent: Extent) => void): void {
    this.#onExtent = listener
  }

  /** Makes answers stale without an announcement, as after a change in another process. */
  drop(extent: Extent): void {
    this.#dropFeed()
    this.#floors.filings = this.#version
    if (extent === 'everything') this.#floors.everything = this.#version
    this.#parts.clear()
  }

  /**
   * Returns whether nothing of `dependencies` has changed after version `since`. Costs as much as changes came after it.
   */
  isCurrent({ parts, feed, readsFilings }: DataDependencies, since: number): boolean {
    if (since === this.#version) return true
    if (readsFilings === false) return this.areListsCurrent(since)
    if (since < this.#floors.filings) return false
    if (parts.some((part) => (this.#parts.get(part) ?? 0) > since)) return false
    return feed === undefined || !this.#feedChanged(feed, since)
  }

  /** Returns whether the SEC's company list and the sectors of EDGAR are as they were at version `since`. */
  areListsCurrent(since: number): boolean {
    return since >= this.#floors.everything
  }

  #dropFeed(): void {
    this.#floors.feed = ++this.#version
    this.#feed = []
  }

  #feedChanged({ from, to }: { from: number; to: number }, since: number): boolean {
    if (since < this.#floors.feed) return true
    for (let place = this.#feed.length - 1; place >= 0; place -= 1) {
      const { version, filedAt } = this.#feed[place]!
      if (version <= since) return false
      if (filedAt >= from && filedAt <= to) return true
    }
    return false
  }
}
