// The way into the cache: an answer made by the whole chain is put into bytes once, kept while nothing it was made from
// changes, and shared by requests for the same target that come while it is being made.
import type { Request } from 'express'
import type { JsonText } from '../../../application/queries/json-text.ts'
import { dependenciesOf, type DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { DownloadAnswer } from '../downloads.ts'
import type { FileAnswer } from '../files/send-file.ts'
import type { StreamAnswer } from '../event-stream.ts'
import { acceptsGzip, etagOf, type AnswerHeaders, type Content } from '../response.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { CachedAnswer } from './cached-answer.ts'
import { compress, type Variant } from './compression.ts'

/** What a handler answers: JSON of the contract, its data as JSON text, or bytes. */
export type Answer =
  | { status: number; json: object }
  | { status: number; data: JsonText<unknown>; headers?: AnswerHeaders }
  | { status: number; content: Content }
  | StreamAnswer
  | DownloadAnswer
  | FileAnswer
/** An answer with its bytes. */
export type AnswerInBytes = { status: number; content: Content }

/** An answer in bytes, and the cache's entry of it where it may be kept. */
interface Made {
  answer: AnswerInBytes & { content: { etag: string } }
  kept?: CachedAnswer
}

/** Compressing what is sent once: level 1 takes a third of the time of level 6 and gives a quarter more bytes. */
const ONCE_LEVEL = 1

/** Turns answers into bytes, and keeps them where there is a cache. */
export class AnswerMaker {
  #cache: AnswerCache | undefined
  #flights = new Map<string, { version: number; made: Promise<Made | SentInPieces> }>()
  #compressed = new WeakMap<Content, Promise<Variant | null>>()

  constructor(cache: AnswerCache | undefined) {
    this.#cache = cache
  }

  /** Returns what `make` answers, in the encoding that the request takes. If one is already running for this target, its answer is shared. */
  async answer(request: Request, make: () => Promise<Answer>): Promise<AnswerInBytes | SentInPieces> {
    const made = await this.#shared(request, make)
    return isSentInPieces(made) ? made : this.#encoded(request, made)
  }

  /** Returns the same for an answer of the moment or of one key, which is neither kept nor shared. */
  async once(request: Request, make: () => Promise<Answer>): Promise<AnswerInBytes | SentInPieces> {
    const answer = await make()
    if (isSentInPieces(answer)) return answer
    const made = { answer: inBytes(answer, () => NO_ETAG) }
    return request.context.caching === 'momentary' ? this.#encoded(request, made) : made.answer
  }

  async #encoded(request: Request, { answer, kept }: Made): Promise<AnswerInBytes> {
    const { content } = answer
    const isAccepted = acceptsGzip(request.headers['accept-encoding'])
    // Files have both forms already.
    if (content.gzip) return isAccepted ? answer : { ...answer, content: { ...content, gzip: null } }
    if (content.type !== 'application/json' || !isAccepted) return answer
    const gzip = kept ? await this.#cache!.compressed(request.url, kept) : await this.#compressOnce(content)
    return { ...answer, content: { ...content, gzip } }
  }

  async #shared(request: Request, make: () => Promise<Answer>): Promise<Made | SentInPieces> {
    if (!this.#cache) return this.#make(request, make)
    const version = this.#cache.changes.version()
    const under = this.#flights.get(request.url)
    // One that began before the last change could show what was there before it. One that fails is left to its own
    // request, whose time may have ended.
    const made = under?.version === version ? await under.made.catch(() => null) : null
    if (made) return made
    const flight = { version, made: this.#make(request, make) }
    this.#flights.set(request.url, flight)
    try {
      return await flight.made
    } finally {
      if (this.#flights.get(request.url) === flight) this.#flights.delete(request.url)
    }
  }

  async #make(request: Request, make: () => Promise<Answer>): Promise<Made | SentInPieces> {
    const version = this.#cache?.changes.version() ?? 0
    const begunAt = this.#cache?.now() ?? 0
    const answer = await make()
    if (isSentInPieces(answer)) return answer
    const made = inBytes(answer, etagOf)
    const dependencies = dependenciesOfAnswer(answer)
    if (!this.#cache || answer.status !== 200 || dependencies === undefined) return { answer: made }
    const { operation, query } = request.context
    const kept = {
      operation: operation!,
      content: made.content,
      gzip: undefined,
      query,
      dependencies,
      // The later of the two, in case the clock was set back meanwhile.
      madeAt: Math.max(begunAt, this.#cache.now()),
      version,
    }
    return this.#cache.keep(request.url, kept) ? { answer: made, kept } : { answer: made }
  }

  /** Returns the compressed bytes of an answer that is not kept; of a page or document that never changes, once. */
  #compressOnce(content: Content): Promise<Variant | null> {
    const compressed =
      this.#compressed.get(content) ?? compress({ bytes: content.bytes, etag: content.etag! }, ONCE_LEVEL)
    this.#compressed.set(content, compressed)
    return compressed
  }
}

type SentInPieces = StreamAnswer | DownloadAnswer | FileAnswer
type NotStreamed = Exclude<Answer, SentInPieces>

const isSentInPieces = (answer: object): answer is SentInPieces =>
  'stream' in answer || 'download' in answer || 'file' in answer

/** An answer of the moment is sent without, so its bytes are not hashed. */
const NO_ETAG = '""'

/** Returns the answer in bytes, with the ETag that `etagFor` gives them unless it has one. */
function inBytes(answer: NotStreamed, etagFor: (bytes: Buffer) => string): Made['answer'] {
  const { status } = answer
  if ('content' in answer) {
    const { content } = answer
    content.etag ??= etagFor(content.bytes)
    return { status, content: content as Content & { etag: string } }
  }
  const isText = 'data' in answer
  // Text is what `ok` and JSON make of the value.
  const bytes = Buffer.from(isText ? `{"success":true,"data":${answer.data.text}}` : JSON.stringify(answer.json))
  const headers = isText ? answer.headers : undefined
  return {
    status,
    content: { type: 'application/json', bytes, etag: etagFor(bytes), ...(headers && { headers }) },
  }
}

/** Returns what the answer was made from; undefined where it does not say. */
function dependenciesOfAnswer(answer: NotStreamed): DataDependencies | undefined {
  if ('content' in answer) return undefined
  return dependenciesOf('data' in answer ? answer.data : ((answer.json as { data?: object }).data ?? {}))
}
