// Reading ahead in the feed. A caller that requests the page after a page gets the following ones from one block of
// 1,400 rows, and while it reads these, the next block is read. A single page by a cursor of any origin is read
// alone.
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
  /** The reading of the block after it. */
  next?: Promise<void>
}

const MAX_PAGE = 100
/**
 * Rows of a block: thirteen pages of 100, and as many as the longest page. With these the next block begins, so that it
 * has the page after any that this one has.
 */
export const ROWS_AHEAD = 14 * MAX_PAGE + 1
/** Rows of a block after which the next one is read. One caller gets 1.4 times the pages that it got without. */
const READ_ON_AFTER = 2 * MAX_PAGE
// Two for each of 17 walks. At 1 kB a row with all details 48 MB.
const MAX_BLOCKS = 34
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

  /**
   * Returns `limit + 1` rows after `before`, fewer at the end, from a current block; null where none has them. Waits
   * for a block that is being read.
   */
  async find(list: string, before: string, limit: number): Promise<FoundRows | null> {
    const block = this.#blockWith(list, before)
    const rows = block && rowsOf(block, before, limit)
    if (rows) return { rows, before }
    if (!block?.next) return null
    await block.next
    const following = this.#blockWith(list, before)
    const later = following && rowsOf(following, before, limit)
    return later ? { rows: later, before } : null
  }

  /** Returns whether a page that was read by a cursor ended at `before`, so that the caller may read on. */
  isWalk(list: string, before: string): boolean {
    return this.#walks.has(`${list} ${before}`)
  }

  /**
   * Calls `read` with the key that the next block begins after, which is to keep that block, if some pages of a block
   * are before `before`. Where it fails, pages read their own block.
   */
  readNext(list: string, before: string, read: (after: string) => Promise<unknown>): void {
    const block = this.#blockWith(list, before)
    if (!block?.hasMore || block.next || block.starts.get(before)! < READ_ON_AFTER) return
    const after = block.rows.at(-1 - MAX_PAGE)!.key
    if (this.#blockWith(list, after) !== block) return
    block.next = read(after).then(
      () => {},
      () => {},
    )
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
    // A current block that has the last of these rows keeps its places, so that several walks share it.
    const last = rows.at(-1)?.key
    const later = last !== undefined && this.#blockWith(list, last) ? this.#blockOf.get(`${list} ${last}`) : undefined
    this.#blocks.set(key, { rows, starts, hasMore, feed, version })
    for (const start of starts.keys()) {
      const place = `${list} ${start}`
      if (later === undefined || this.#blockOf.get(place) !== later) this.#blockOf.set(place, key)
    }
  }

  /** Remembers that a page which was read by a cursor ended at `key`. */
  readOn(list: string, key: string): void {
    this.#walks.set(`${list} ${key}`, true)
  }

  #blockWith(list: string, before: string): Block | null {
    const key = this.#blockOf.get(`${list} ${before}`)
    const block = key === undefined ? undefined : this.#blocks.get(key)
    // Read again, it may lack a row that a caller continues after, which was taken back.
    return block?.starts.has(before) && this.#isCurrent(block) ? block : null
  }

  #isCurrent(block: Block): boolean {
    const { changes, isUpToDate } = this.#freshness
    if (!isUpToDate() || !changes.isCurrent({ parts: [], feed: block.feed }, block.version)) return false
    block.version = changes.version()
    return true
  }
}

/** Returns `limit + 1` rows after `before`, fewer at the end of the feed; null where the block has not all of them. */
function rowsOf({ rows, starts, hasMore }: Block, before: string, limit: number): ListRow[] | null {
  const start = starts.get(before)!
  const found = rows.slice(start, start + limit + 1)
  return found.length <= limit && hasMore ? null : found
}
