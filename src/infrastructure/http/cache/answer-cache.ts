// The cache of answers in memory, by request target. It returns an answer only while the data that the answer was made
// from is unchanged. When the memory is full, it drops the least recently used answers.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'
import type { DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { DocumentedOperation } from '../openapi/document.ts'
import type { Content } from '../response.ts'
import { compressed, type Variant } from './compression.ts'

/** Bytes of an entry besides its answer: headers, key and objects. */
const OVERHEAD_BYTES = 3_000
/** Larger answers are not cached, because each would displace many others. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** How often an entry contains its target: as the key, in the query for the log, and in the dependencies. */
const TARGET_COPIES = 3

/** An answer with what it depends on. */
export interface CachedAnswer {
  operation: DocumentedOperation
  content: Content & { etag: string }
  /** Null if the answer is too short to compress; undefined until the first request that accepts gzip. */
  gzip: Variant | null | undefined
  /** The parameters of the request, for the log. */
  query: Record<string, unknown> | undefined
  dependencies: DataDependencies
  /** When it was made, in milliseconds since 1970. */
  madeAt: number
  /** The newest version of the data at which the answer is known to be current. */
  version: number
}

export interface AnswerCacheOptions {
  maxBytes: number
  changes: ChangeTracker
  clock: () => number
  /** Returns whether this process knows the changes of other processes. */
  isUpToDate?: () => boolean
}

export class AnswerCache {
  readonly changes: ChangeTracker
  readonly #clock: () => number
  readonly #isUpToDate: () => boolean
  readonly #answers: LRUCache<string, CachedAnswer>

  constructor({ maxBytes, changes, clock, isUpToDate = () => true }: AnswerCacheOptions) {
    this.changes = changes
    this.#clock = clock
    this.#isUpToDate = isUpToDate
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.min(maxBytes, MAX_ANSWER_BYTES),
      sizeCalculation: ({ content, gzip }, target) =>
        OVERHEAD_BYTES + TARGET_COPIES * target.length + content.bytes.length + (gzip?.bytes.length ?? 0),
    })
  }

  /** Returns the answer to `target`; undefined if there is none, or it is out of date. */
  find(target: string): CachedAnswer | undefined {
    if (!this.#isUpToDate()) return undefined
    const answer = this.#answers.get(target)
    if (answer === undefined || this.#isCurrent(answer)) return answer
    this.#answers.delete(target)
    return undefined
  }

  /**
   * Adds an answer, unless its data has changed since its handler was called, at `answer.version`. Returns whether the
   * answer is in the cache now.
   */
  keep(target: string, answer: CachedAnswer): boolean {
    if (!this.#isUpToDate() || !this.#isCurrent(answer)) return false
    this.#answers.set(target, answer)
    return this.#answers.peek(target) === answer
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.#clock()
  }

  /** Returns the compressed variant, which the first call makes; null if the answer is too short to compress. */
  async compressed(target: string, answer: CachedAnswer): Promise<Variant | null> {
    if (answer.gzip !== undefined) return answer.gzip
    const gzip = await compressed(answer.content)
    // As a new entry, so that its size is calculated again.
    if (this.#answers.peek(target) === answer) this.#answers.set(target, { ...answer, gzip })
    return gzip
  }

  /** Returns the number of cached answers and their size in bytes. */
  size(): { answers: number; bytes: number } {
    return { answers: this.#answers.size, bytes: this.#answers.calculatedSize }
  }

  #isCurrent(answer: CachedAnswer): boolean {
    const { dependencies, madeAt, version } = answer
    const now = this.#clock()
    // An answer from the future was made before the clock was set back, so its age is unknown.
    if (now < madeAt || (dependencies.until !== undefined && now >= dependencies.until)) return false
    if (!this.changes.isCurrent(dependencies, version)) return false
    // So that the next call checks later changes only.
    answer.version = this.changes.version()
    return true
  }
}
