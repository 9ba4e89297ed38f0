// Reading ahead in the feed. A caller that requests the page after a page gets the following ones from one block of a
// thousand rows. A single page by a cursor of any origin is read alone.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../../application/changes/change-tracker.ts'
import { placeOf } from './transaction-list.ts'

/** How current what is kept in memory is. */
export interface Freshness {
  changes: ChangeTracker
  /** Whether changes by other processes are known up to a second ago. */
  isUpToDate: () => boolean
}

/** A transaction as JSON text, with its key in the list. */
export interface ListRow {
  key: string
  json: string
}

/** Rows after the key `before`, or from the newest on. */
export interface FoundRows {
  rows: ListRow[]
  before: string | undefined
}

interface Block {
  rows: ListRow[]
  /** Place of the first row behind each key, which is what a page after that key begins with. */
  starts: Map<string, number>
  /** Whether rows follow the last one. */
  hasMore: boolean
  feed: { from: number; to: number }
  version: number
}

/** Rows of a block: ten pages of 100, and what the last of them needs to say whether more follow. */
export const ROWS_AHEAD = 1_101
// At 1 kB a row with all details 20 MB.
const MAX_BLOCKS = 20
const MAX_WALKS = 1_000

export class ReadAhead {
  readonly #freshness: Freshness
  /** By list, and the key that the block begins after. */
  readonly #blocks = new LRUCache<string, Block>({ max: MAX_BLOCKS })
  /** By list and a key: the key of the block that has the page after it. */
  readonly #blockOf = new LRUCache<string, string>({ max: MAX_BLOCKS * (ROWS_AHEAD + 1) })
  /** Lists and keys at which pages ended that were themselves read by a cursor. */
  readonly #walks = new LRUCache<string, true>({ max: MAX_WALKS })

  constructor(freshness: Freshness) {
    this.#freshness = freshness
  }

  /** Returns `limit + 1` rows after `before`, fewer at the end, from a current block; null where none has them. */
  find(list: string, before: string, limit: number): FoundRows | null {
    const key = this.#blockOf.get(`${list} ${before}`)
    const block = key === undefined ? undefined : this.#blocks.get(key)
    if (!block || !this.#isCurrent(block)) return null
    const start = block.starts.get(before)!
    const rows = block.rows.slice(start, start + limit + 1)
    return rows.length <= limit && block.hasMore ? null : { rows, before }
  }

  /** Returns how many rows to read after `before` for a page of `limit`: a block for those who read on. */
  rowsFor(list: string, before: string, limit: number): number {
    return this.#walks.has(`${list} ${before}`) ? Math.max(ROWS_AHEAD, limit + 1) : limit + 1
  }

  /** Returns the version of the data that a reading begins at. */
  version(): number {
    return this.#freshness.changes.version()
  }

  /** Keeps rows that were read after `before`, begun at `version`, as a block. */
  keep(list: string, before: string, read: { rows: ListRow[]; wanted: number; version: number }): void {
    const { rows, wanted, version } = read
    if (!this.#freshness.isUpToDate()) return
    const hasMore = rows.length === wanted
    const from = hasMore ? placeOf(rows.at(-1)!.key).filedAt : 0
    const feed = { from, to: placeOf(before).filedAt }
    const starts = new Map([[before, 0]])
    rows.forEach((row, index) => starts.set(row.key, index + 1))
    const key = `${list} ${before}`
    this.#blocks.set(key, { rows, starts, hasMore, feed, version })
    for (const start of starts.keys()) this.#blockOf.set(`${list} ${start}`, key)
  }

  /** Remembers that a page which was read by a cursor ended at `key`. */
  readOn(list: string, key: string): void {
    this.#walks.set(`${list} ${key}`, true)
  }

  #isCurrent(block: Block): boolean {
    const { changes, isUpToDate } = this.#freshness
    if (!isUpToDate() || !changes.isCurrent({ parts: [], feed: block.feed }, block.version)) return false
    block.version = changes.version()
    return true
  }
}
