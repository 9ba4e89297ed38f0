// Answers without an end in sight, made while they are sent: as fast as the caller takes them, a chunk in memory at a
// time. One that fails on the way resets the connection, so that no caller takes it for whole.
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import { ServiceError } from '../../application/errors.ts'
import { inTime, withDeadline, withoutDeadline } from '../deadline.ts'
import { headersOf, type AnswerHeaders } from './response.ts'
import { allowLongAnswer } from './server/slow-readers.ts'

export interface DownloadLimits {
  /** Of this process. */
  atOnce: number
  /** Of one key. */
  perKey: number
  /** For each chunk to be read from the stores. */
  chunkMs: number
}

/** A download as a handler gives it; nothing of it is read before `open`. */
export interface Download {
  type: string
  /** What the caller's program may store it as. */
  fileName: string
  /** Comes before all lines. */
  head: string
  /** Returns the line of one item, with its end. */
  line: (item: string) => string
  open: () => Promise<{ headers: AnswerHeaders | undefined; next: () => Promise<readonly string[]> }>
}

export interface DownloadAnswer {
  status: 200
  download: Download
}

type End = 'complete' | 'left' | 'failed'

const RETRY_SECONDS = '30'
/** Characters written at once, after which the caller is waited for. */
const PIECE = 65_536

export class Downloads {
  readonly #limits: DownloadLimits
  readonly #keys = new Map<string, number>()
  readonly #ends: Counter<'end'>
  #open = 0

  constructor(limits: DownloadLimits, registry: Registry) {
    this.#limits = limits
    const registers = [registry]
    const open = () => this.#open
    new Gauge({
      name: 'feed_exports_open',
      help: 'Exports of the feed being sent now.',
      registers,
      collect() {
        this.set(open())
      },
    })
    this.#ends = new Counter({
      name: 'feed_exports_total',
      help: 'Exports of the feed that ended: complete, left by the caller, or cut by a fault.',
      labelNames: ['end'],
      registers,
    })
  }

  async send(request: Request, response: Response, { download }: DownloadAnswer): Promise<void> {
    const release = this.#admit(request)
    let end: End = 'failed'
    try {
      end = await this.#answer(request, response, download)
    } catch (error) {
      // Before the first byte it is an answer like any other.
      if (!response.headersSent) throw error
      request.context.failure = error
      // An end of the connection alone would be taken for the end of the data by those who read until then.
      response.socket?.resetAndDestroy()
    } finally {
      release()
      if (response.headersSent && request.context.method !== 'HEAD') this.#ends.inc({ end })
    }
  }

  /** Counts the caller in. Throws `rate_limited` where there are too many. */
  #admit({ context }: Request): () => void {
    const key = context.keyId!
    const own = this.#keys.get(key) ?? 0
    if (this.#open >= this.#limits.atOnce || own >= this.#limits.perKey) {
      context.headers['Retry-After'] = RETRY_SECONDS
      throw new ServiceError('rate_limited', 'Too many exports are under way; wait for one to end, or retry later')
    }
    this.#open += 1
    this.#keys.set(key, own + 1)
    return () => {
      this.#open -= 1
      const left = this.#keys.get(key)! - 1
      if (left > 0) this.#keys.set(key, left)
      else this.#keys.delete(key)
    }
  }

  async #answer(request: Request, response: Response, download: Download): Promise<End> {
    const { context } = request
    const { headers, next } = await inTime(download.open())
    let items = await inTime(next())
    if (response.destroyed) return 'left'
    response.writeHead(200, {
      ...headersOf('private', { 'X-Request-Id': context.id, ...context.headers, ...headers }),
      'Content-Type': download.type,
      'Content-Disposition': `attachment; filename="${download.fileName}"`,
    })
    if (context.method === 'HEAD') {
      response.end()
      return 'complete'
    }
    if (response.socket) allowLongAnswer(response.socket)
    const write = (text: string) => {
      context.bodyBytes += Buffer.byteLength(text)
      return written(response, text)
    }
    return withoutDeadline(async () => {
      await write(download.head)
      while (items.length > 0) {
        for (const piece of pieces(items, download.line)) {
          await write(piece)
          if (response.destroyed) return 'left'
        }
        items = await withDeadline(this.#limits.chunkMs, () => inTime(next()))
      }
      response.end()
      return 'complete'
    })
  }
}

/** Yields the lines of these items, joined. */
function* pieces(items: readonly string[], line: Download['line']): Iterable<string> {
  let piece = ''
  for (const item of items) {
    piece += line(item)
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

/** Resolves when the caller has taken enough for more to be written, or has left; other requests have a turn first. */
function written(response: Response, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || text === '' || response.write(text)) return void setImmediate(resolve)
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.once('drain', done).once('close', done)
  })
}
