// Fills the answer cache. Turns the answer of a handler into bytes, adds it to the cache if it names its dependencies,
// and shares it with requests for the same target that come while it is being made.
import type { Request } from 'express'
import type { JsonText } from '../../../application/queries/json-text.ts'
import { dependenciesOf, type DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { DownloadAnswer } from '../downloads.ts'
import type { FileAnswer } from '../files/send-file.ts'
import type { StreamAnswer } from '../event-stream.ts'
import { acceptsGzip, etagOf, type AnswerHeaders, type Content } from '../response.ts'
import type { AnswerCache, CachedAnswer } from './answer-cache.ts'
import { compressed } from './compression.ts'

/** What a handler returns: JSON of the contract, its data as JSON text, bytes, or something that is sent in pieces. */
export type Answer =
  | { status: number; json: object }
  | { status: number; data: JsonText<unknown>; headers?: AnswerHeaders }
  | { status: number; content: Content }
  | StreamAnswer
  | DownloadAnswer
  | FileAnswer
/** An answer with its bytes. */
export type AnswerInBytes = { status: number; content: Content }

/** An answer in bytes, with its cache entry, if it has one. */
interface MadeAnswer {
  answer: AnswerInBytes & { content: { etag: string } }
  entry?: CachedAnswer
}

/** The gzip level for answers that are not cached: far faster than the default, for somewhat more bytes. */
const UNCACHED_GZIP_LEVEL = 1

/** Turns answers into bytes, and adds them to the cache if there is one. */
export class AnswerMaker {
  #cache: AnswerCache | undefined
  #flights = new Map<string, { version: number; made: Promise<MadeAnswer | SentInPieces> }>()

  constructor(cache: AnswerCache | undefined) {
    this.#cache = cache
  }

  /**
   * Returns the answer of `make`, in an encoding that the request accepts. If another request for the same target is
   * being answered, shares its answer.
   */
  async answer(request: Request, make: () => Promise<Answer>): Promise<AnswerInBytes | SentInPieces> {
    const made = await this.#shared(request, make)
    return isSentInPieces(made) ? made : this.#encoded(request, made)
  }

  /** Returns the answer of `make`, which is neither cached nor shared: it is of one key, or out of date at once. */
  async uncached(request: Request, make: () => Promise<Answer>): Promise<AnswerInBytes | SentInPieces> {
    const answer = await make()
    if (isSentInPieces(answer)) return answer
    const made = { answer: inBytes(answer, () => NO_ETAG) }
    return request.context.caching === 'public-no-store' ? this.#encoded(request, made) : made.answer
  }

  async #encoded(request: Request, { answer, entry }: MadeAnswer): Promise<AnswerInBytes> {
    const { content } = answer
    const isAccepted = acceptsGzip(request)
    // Built files come with their gzip variant.
    if (content.gzip) return isAccepted ? answer : { ...answer, content: { ...content, gzip: null } }
    if (content.type !== 'application/json' || !isAccepted) return answer
    const gzip = entry
      ? await this.#cache!.compressed(request.url, entry)
      : await compressed(content, UNCACHED_GZIP_LEVEL)
    return { ...answer, content: { ...content, gzip } }
  }

  async #shared(request: Request, make: () => Promise<Answer>): Promise<MadeAnswer | SentInPieces> {
    if (!this.#cache) return this.#make(request, make)
    const version = this.#cache.changes.version()
    const running = this.#flights.get(request.url)
    // A shared answer must not be older than the last change. If the other request fails, this one runs its own query,
    // because the other may have run out of time.
    const shared = running?.version === version ? await running.made.catch(() => null) : null
    if (shared) return shared
    const flight = { version, made: this.#make(request, make) }
    this.#flights.set(request.url, flight)
    try {
      return await flight.made
    } finally {
      if (this.#flights.get(request.url) === flight) this.#flights.delete(request.url)
    }
  }

  async #make(request: Request, make: () => Promise<Answer>): Promise<MadeAnswer | SentInPieces> {
    const version = this.#cache?.changes.version() ?? 0
    const begunAt = this.#cache?.now() ?? 0
    const answer = await make()
    if (isSentInPieces(answer)) return answer
    const bytes = inBytes(answer, etagOf)
    const dependencies = dependenciesOfAnswer(answer)
    if (!this.#cache || answer.status !== 200 || dependencies === undefined) return { answer: bytes }
    const { operation, query } = request.context
    const entry = {
      operation: operation!,
      content: bytes.content,
      gzip: undefined,
      query,
      dependencies,
      // The later of the two, in case the clock was set back meanwhile.
      madeAt: Math.max(begunAt, this.#cache.now()),
      version,
    }
    return this.#cache.keep(request.url, entry) ? { answer: bytes, entry } : { answer: bytes }
  }
}

type SentInPieces = StreamAnswer | DownloadAnswer | FileAnswer
type NotStreamed = Exclude<Answer, SentInPieces>

const isSentInPieces = (answer: object): answer is SentInPieces =>
  'stream' in answer || 'download' in answer || 'file' in answer

/** Uncached answers are sent without an ETag, so their bytes are not hashed. */
const NO_ETAG = '""'

/** Returns the answer in bytes, with the ETag that `etagFor` gives them unless it has one. */
function inBytes(answer: NotStreamed, etagFor: (bytes: Buffer) => string): MadeAnswer['answer'] {
  const { status } = answer
  if ('content' in answer) {
    const { content } = answer
    content.etag ??= etagFor(content.bytes)
    return { status, content: content as Content & { etag: string } }
  }
  const isText = 'data' in answer
  // The same bytes as `JSON.stringify(ok(value))`.
  const bytes = Buffer.from(isText ? `{"success":true,"data":${answer.data.text}}` : JSON.stringify(answer.json))
  const headers = isText ? answer.headers : undefined
  return {
    status,
    content: { type: 'application/json', bytes, etag: etagFor(bytes), ...(headers && { headers }) },
  }
}

/** Returns the dependencies of an answer; undefined if it names none. */
function dependenciesOfAnswer(answer: NotStreamed): DataDependencies | undefined {
  if ('content' in answer) return undefined
  return dependenciesOf('data' in answer ? answer.data : ((answer.json as { data?: object }).data ?? {}))
}
