// Answers kept in memory, by the request target that led to them. An answer is given again only while nothing that it
// was made from has changed. When the memory is full, the least recently used ones are dropped.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'
import type { CachedAnswer } from './cached-answer.ts'
import { compress, type Variant } from './compression.ts'

// What an entry takes beside its bytes: the headers, the key, the objects.
const OVERHEAD_BYTES = 3_000
/** Larger answers would push out hundreds of others. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** How often a target counts for the size of its answer: as the key, in what the log says, and in the dependencies. */
const TARGET_COPIES = 3

export interface AnswerCacheOptions {
  maxBytes: number
  changes: ChangeTracker
  clock: () => number
  /** Whether changes of other processes are known up to a second ago. */
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

  /** Returns the answer to `target`, undefined where there is none or it is not current. */
  find(target: string): CachedAnswer | undefined {
    if (!this.#isUpToDate()) return undefined
    const answer = this.#answers.get(target)
    if (answer === undefined || this.#isCurrent(answer)) return answer
    this.#answers.delete(target)
    return undefined
  }

  /**
   * Keeps an answer that was begun at `answer.version`, unless what it was made from has changed since. Returns whether
   * it is kept.
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

  /** Returns the compressed variant, made at the first call; null where compressing gains nothing. */
  async compressed(target: string, answer: CachedAnswer): Promise<Variant | null> {
    if (answer.gzip !== undefined) return answer.gzip
    const gzip = await compress(answer.content)
    // As a new entry, so that its size is calculated again.
    if (this.#answers.peek(target) === answer) this.#answers.set(target, { ...answer, gzip })
    return gzip
  }

  /** Returns how many answers are kept and their size in bytes. */
  size(): { answers: number; bytes: number } {
    return { answers: this.#answers.size, bytes: this.#answers.calculatedSize }
  }

  #isCurrent(answer: CachedAnswer): boolean {
    const { dependencies, madeAt, version } = answer
    const now = this.#clock()
    // One that is still to be made is of a clock that was ahead: it may show what is not there yet, and lack what is.
    if (now < madeAt || (dependencies.until !== undefined && now >= dependencies.until)) return false
    if (!this.changes.isCurrent(dependencies, version)) return false
    // So that each change is looked at once.
    answer.version = this.changes.version()
    return true
  }
}
