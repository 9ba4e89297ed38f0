// Answers kept in memory, by the request target that led to them. An answer is given again only while nothing that it
// was made from has changed; the least recently used ones leave when the memory is full.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'
import type { Dependence } from '../../../application/changes/dependence.ts'
import type { OperationId } from '../openapi/document.ts'
import type { AnswerInLog } from './answer-in-log.ts'
import { compress, type Variant } from './compression.ts'
import { prepareAnswer, variantOf, type PreparedAnswer } from './prepared-answer.ts'

export interface CachedAnswer {
  operation: OperationId
  plain: PreparedAnswer
  /** Null where compressing gains nothing; undefined until somebody asks for it. */
  gzip: PreparedAnswer | null | undefined
  path: string
  inLog: AnswerInLog
  dependence: Dependence
  /** The version of the data at which it is known to be right. */
  version: number
}

// What an entry takes beside its bytes: the heads, the key, the objects.
const OVERHEAD_BYTES = 3_000
/** Larger answers would push out hundreds of others. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** For the targets of answers that found no room, 100 bytes each: with 64 MiB of answers, some 10,000. */
const ASKED_SHARE = 1 / 64
const TARGET_OVERHEAD_BYTES = 64

export interface AnswerCacheOptions {
  maxBytes: number
  changes: ChangeTracker
  clock: () => number
  /** Whether changes of other processes are known up to a second ago. */
  isUpToDate?: () => boolean
}

export class AnswerCache {
  readonly changes: ChangeTracker
  #clock: () => number
  #isUpToDate: () => boolean
  #maxBytes: number
  #answers: LRUCache<string, CachedAnswer>
  /** Targets that were asked for, and whose answers are not kept. */
  #asked: LRUCache<string, true>

  constructor({ maxBytes, changes, clock, isUpToDate = () => true }: AnswerCacheOptions) {
    this.changes = changes
    this.#clock = clock
    this.#isUpToDate = isUpToDate
    this.#maxBytes = maxBytes
    this.#asked = new LRUCache({
      maxSize: Math.ceil(maxBytes * ASKED_SHARE),
      sizeCalculation: (_, target) => target.length + TARGET_OVERHEAD_BYTES,
    })
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.min(maxBytes, MAX_ANSWER_BYTES),
      sizeCalculation: sizeOf,
    })
  }

  /** Returns the answer to `target`, undefined where there is none or it is not current. */
  find(target: string): CachedAnswer | undefined {
    const answer = this.#answers.get(target)
    if (answer === undefined || !this.#isUpToDate()) return undefined
    if (this.#isCurrent(answer)) return answer
    this.#answers.delete(target)
    this.#asked.set(target, true)
    return undefined
  }

  /**
   * Keeps an answer that was begun at `answer.version`, unless what it was made from has changed since. Where the
   * memory is full, only one that was asked for before. Returns whether it is kept.
   */
  keep(target: string, answer: CachedAnswer): boolean {
    if (!this.#isUpToDate() || !this.#isCurrent(answer)) return false
    const hasRoom = this.#answers.calculatedSize + sizeOf(answer) <= this.#maxBytes
    if (hasRoom || this.#asked.delete(target)) this.#answers.set(target, answer)
    else this.#asked.set(target, true)
    return this.#answers.peek(target) === answer
  }

  /** Returns the compressed variant, made at the first call. */
  async compressed(target: string, answer: CachedAnswer): Promise<Variant | null> {
    if (answer.gzip === undefined) await this.#compress(target, answer)
    return answer.gzip ? variantOf(answer.gzip) : null
  }

  async #compress(target: string, answer: CachedAnswer): Promise<void> {
    const made = await compress(variantOf(answer.plain))
    if (answer.gzip !== undefined) return
    answer.gzip = made && prepareAnswer(made, { encoding: 'gzip', headers: answer.plain.headers })
    // Its size has grown; set again as it is, it would count as before.
    if (made && this.#answers.peek(target) === answer) {
      this.#answers.delete(target)
      this.#answers.set(target, answer)
    }
  }

  /** Returns how many answers are kept and their size in bytes. */
  size(): { answers: number; bytes: number } {
    return { answers: this.#answers.size, bytes: this.#answers.calculatedSize }
  }

  #isCurrent(answer: CachedAnswer): boolean {
    const { dependence, version } = answer
    if (dependence.until !== undefined && this.#clock() >= dependence.until) return false
    if (!this.changes.isCurrent(dependence, version)) return false
    // So that each change is looked at once.
    answer.version = this.changes.version()
    return true
  }
}

const sizeOf = ({ plain, gzip: compressed }: CachedAnswer): number =>
  OVERHEAD_BYTES + plain.ok.bodyLength + (compressed?.ok.bodyLength ?? 0)
