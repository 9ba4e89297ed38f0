// Reading ahead in the feed: who asks for the page after a page reads on, and gets the following pages from one block
// of a thousand rows. A single page by a cursor of any origin is read alone.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'

/** A row in the feed's order, and where it stands. */
interface Placed {
  /** Seconds since 1970. */
  filedAt: number
  cursor: string
}

interface Block<Row> {
  rows: Row[]
  /** Place of the first row behind each cursor, which is what a page after that cursor begins with. */
  starts: Map<string, number>
  /** Whether rows follow the last one. */
  hasMore: boolean
  feed: { from: number; to: number }
  version: number
}

/** Rows of a block. Pages have 100 at most, so a block serves ten of them. */
export const BLOCK_ROWS = 1_000
// Of each of the five lists; at 1.5 kB a row 30 MB in all.
const MAX_BLOCKS = 4
const MAX_WALKS = 1_000

export interface ReadAheadOptions<Row> {
  changes: ChangeTracker
  /** Whether changes by other processes are known up to a second ago. */
  isUpToDate: () => boolean
  placeOf: (row: Row) => Placed
}

/** Found rows of a page, and one more where there are more. */
interface FoundRows<Row> {
  rows: Row[]
  feed: { from: number; to: number }
}

export class ReadAhead<Row> {
  readonly #options: ReadAheadOptions<Row>
  /** By list and detail, and the cursor that the block begins after. */
  readonly #blocks = new LRUCache<string, Block<Row>>({ max: MAX_BLOCKS })
  /** By list, detail and a cursor: the key of the block that has the page after it. */
  readonly #blockOf = new LRUCache<string, string>({ max: MAX_BLOCKS * (BLOCK_ROWS + 1) })
  /** Cursors at which pages ended that were themselves read by a cursor. */
  readonly #walks = new LRUCache<string, true>({ max: MAX_WALKS })

  constructor(options: ReadAheadOptions<Row>) {
    this.#options = options
  }

  /** Returns `limit + 1` rows after `cursor`, fewer at the end, from a block that is current; null where none has them. */
  find(list: string, cursor: string, limit: number): FoundRows<Row> | null {
    const key = this.#blockOf.get(`${list} ${cursor}`)
    const block = key === undefined ? undefined : this.#blocks.get(key)
    if (!block || !this.#isCurrent(block)) return null
    const start = block.starts.get(cursor)!
    const rows = block.rows.slice(start, start + limit + 1)
    if (rows.length <= limit && block.hasMore) return null
    return { rows, feed: this.#spanOf(block, start, rows, limit) }
  }

  /** Returns how many rows to read after `cursor` for a page of `limit`: a block for those who read on. */
  rowsFor(list: string, cursor: string, limit: number): number {
    return this.#walks.has(`${list} ${cursor}`) ? Math.max(BLOCK_ROWS, limit + 1) : limit + 1
  }

  /** Returns the version of the data that a reading begins at. */
  version(): number {
    return this.#options.changes.version()
  }

  /** Keeps rows that were read after `cursor`, begun at `version`, as a block. */
  keep(list: string, cursor: string, read: { rows: Row[]; wanted: number; filedAt: number; version: number }): void {
    const { rows, wanted, filedAt, version } = read
    if (!this.#options.isUpToDate()) return
    const places = rows.map(this.#options.placeOf)
    const hasMore = rows.length === wanted
    const from = hasMore ? places.at(-1)!.filedAt : 0
    const block = { rows, starts: new Map([[cursor, 0]]), hasMore, feed: { from, to: filedAt }, version }
    places.forEach((place, index) => block.starts.set(place.cursor, index + 1))
    const key = `${list} ${cursor}`
    this.#blocks.set(key, block)
    for (const start of block.starts.keys()) this.#blockOf.set(`${list} ${start}`, key)
  }

  /** Remembers that a page which was read by a cursor ended at `nextCursor`. */
  readOn(list: string, nextCursor: string): void {
    this.#walks.set(`${list} ${nextCursor}`, true)
  }

  #isCurrent(block: Block<Row>): boolean {
    const { changes, isUpToDate } = this.#options
    if (!isUpToDate() || !changes.isCurrent({ parts: [], feed: block.feed }, block.version)) return false
    block.version = changes.version()
    return true
  }

  #spanOf(block: Block<Row>, start: number, rows: Row[], limit: number): { from: number; to: number } {
    const before = start === 0 ? block.feed.to : this.#options.placeOf(block.rows[start - 1]!).filedAt
    const isLast = rows.length <= limit
    return { from: isLast ? 0 : this.#options.placeOf(rows.at(-1)!).filedAt, to: before }
  }
}
