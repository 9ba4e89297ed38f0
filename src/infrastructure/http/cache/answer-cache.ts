// Answers kept in memory, by the request target that led to them. An answer is given again only while nothing that it
// was made from has changed. When the memory is full, the least recently used ones are kept compressed, and dropped
// last.
import { LRUCache } from 'lru-cache'
import type { ChangeTracker } from '../../../application/changes/change-tracker.ts'
import { TARGET_COPIES, type CachedAnswer } from './cached-answer.ts'
import { compress, type Variant } from './compression.ts'
import { PackedAnswers } from './packed-answers.ts'
import { prepareAnswer, variantOf } from './prepared-answer.ts'

// What an entry takes beside its bytes: the heads, the key, the objects.
const OVERHEAD_BYTES = 3_000
/** Larger answers would push out hundreds of others. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** Of the memory for answers that are packed. */
const PACKED_SHARE = 1 / 4
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
  /** For answers that are ready to be sent. */
  #maxBytes: number
  #answers: LRUCache<string, CachedAnswer>
  #packed: PackedAnswers
  /** Targets that were asked for, and whose answers are not kept: outdated ones and long ones. */
  #asked: LRUCache<string, true>

  constructor({ maxBytes, changes, clock, isUpToDate = () => true }: AnswerCacheOptions) {
    this.changes = changes
    this.#clock = clock
    this.#isUpToDate = isUpToDate
    this.#maxBytes = Math.ceil(maxBytes * (1 - PACKED_SHARE))
    this.#packed = new PackedAnswers(Math.max(1, Math.floor(maxBytes * PACKED_SHARE)))
    this.#asked = new LRUCache({
      maxSize: Math.ceil(maxBytes * ASKED_SHARE),
      sizeCalculation: (_, target) => target.length + TARGET_OVERHEAD_BYTES,
    })
    this.#answers = new LRUCache({
      maxSize: this.#maxBytes,
      maxEntrySize: Math.min(this.#maxBytes, MAX_ANSWER_BYTES),
      sizeCalculation: sizeOf,
      dispose: (answer, target, reason) => {
        if (reason === 'evict') this.#packed.keep(target, answer)
      },
    })
  }

  /** Returns the answer to `target`, undefined where there is none or it is not current. */
  find(target: string): CachedAnswer | undefined {
    if (!this.#isUpToDate()) return undefined
    const answer = this.#answers.get(target)
    if (answer === undefined) return this.#unpacked(target)
    if (this.#isCurrent(answer)) return answer
    this.#answers.delete(target)
    this.#asked.set(target, true)
    return undefined
  }

  /**
   * Keeps an answer that was begun at `answer.version`, unless what it was made from has changed since. Where the
   * memory is full, it is packed until it is asked for again, or, if it is too long for that, kept when it is made for
   * the second time. Returns whether it is ready to be sent.
   */
  keep(target: string, answer: CachedAnswer): boolean {
    if (!this.#isUpToDate() || !this.#isCurrent(answer)) return false
    this.#packed.delete(target)
    const hasRoom = this.#answers.calculatedSize + sizeOf(answer, target) <= this.#maxBytes
    if (hasRoom || this.#answers.has(target) || this.#asked.delete(target)) this.#answers.set(target, answer)
    else if (!this.#packed.keep(target, answer)) this.#asked.set(target, true)
    return this.#answers.peek(target) === answer
  }

  #unpacked(target: string): CachedAnswer | undefined {
    const answer = this.#packed.take(target, (packed) => this.#isCurrent(packed))
    if (answer) this.#answers.set(target, answer)
    return answer
  }

  /** Returns the time in milliseconds since 1970. */
  now(): number {
    return this.#clock()
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
    const packed = this.#packed.size()
    return {
      answers: this.#answers.size + packed.answers,
      bytes: this.#answers.calculatedSize + packed.bytes,
    }
  }

  #isCurrent(answer: Pick<CachedAnswer, 'dependence' | 'madeAt' | 'version'>): boolean {
    const { dependence, madeAt, version } = answer
    const now = this.#clock()
    // One that is still to be made is of a clock that was ahead: it may show what is not there yet, and lack what is.
    if (now < madeAt || (dependence.until !== undefined && now >= dependence.until)) return false
    if (!this.changes.isCurrent(dependence, version)) return false
    // So that each change is looked at once.
    answer.version = this.changes.version()
    return true
  }
}

const sizeOf = ({ plain, gzip: compressed }: CachedAnswer, target: string): number =>
  OVERHEAD_BYTES + TARGET_COPIES * target.length + plain.bytes.length + (compressed?.bytes.length ?? 0)
