// Answers that others leave no room for, compressed: that of a company takes 3 KB instead of 10, and is ready again in
// 0.1 ms. To make it again takes a statement, 5 ms of a core.
import { gunzipSync, gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { TARGET_COPIES, type CachedAnswer } from './cached-answer.ts'
import { gzipEtag } from './compression.ts'
import { prepareAnswer, type PreparedAnswer } from './prepared-answer.ts'

interface PackedAnswer {
  answer: Omit<CachedAnswer, 'plain' | 'gzip'>
  plain: Pick<PreparedAnswer, 'etag' | 'headers'>
  bytes: Buffer
  /** Whether the bytes are what callers get who accept gzip; `none`: these get the answer as it is. */
  variant: 'bytes' | 'none' | 'unmade'
}

/** Longer ones are pages of walks, which are soon made from rows in memory. */
const MAX_BYTES = 24 * 1024
// What an entry takes beside its bytes.
const OVERHEAD_BYTES = 1_000

export class PackedAnswers {
  readonly #answers: LRUCache<string, PackedAnswer>

  constructor(maxBytes: number) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, target) => OVERHEAD_BYTES + TARGET_COPIES * target.length + bytes.length,
    })
  }

  /** Packs an answer, unless it is too long. Returns whether it did. */
  keep(target: string, { plain, gzip, ...answer }: CachedAnswer): boolean {
    if (plain.bytes.length > MAX_BYTES) return false
    const bytes = alone(gzip ? gzip.bytes : gzipSync(plain.bytes, { level: 1 }))
    const { etag, headers } = plain
    const variant = gzip ? 'bytes' : gzip === null ? 'none' : 'unmade'
    this.#answers.set(target, { answer, plain: { etag, headers }, bytes, variant })
    return this.#answers.has(target)
  }

  /** Returns the answer to `target` as it was, and keeps it no longer; undefined where there is no current one. */
  take(target: string, isCurrent: (answer: PackedAnswer['answer']) => boolean): CachedAnswer | undefined {
    const packed = this.#answers.get(target)
    if (packed === undefined) return undefined
    this.#answers.delete(target)
    if (!isCurrent(packed.answer)) return undefined
    const { answer, plain, bytes, variant } = packed
    const { etag, headers } = plain
    const compressed = () => prepareAnswer({ bytes, etag: gzipEtag(etag) }, { encoding: 'gzip', headers })
    return {
      ...answer,
      plain: prepareAnswer({ bytes: gunzipSync(bytes), etag }, { headers }),
      gzip: variant === 'bytes' ? compressed() : variant === 'none' ? null : undefined,
    }
  }

  delete(target: string): void {
    this.#answers.delete(target)
  }

  /** Returns how many answers are kept and their size in bytes. */
  size(): { answers: number; bytes: number } {
    return { answers: this.#answers.size, bytes: this.#answers.calculatedSize }
  }
}

/** Returns a copy that keeps no larger memory, of which the bytes are a part. */
function alone(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
