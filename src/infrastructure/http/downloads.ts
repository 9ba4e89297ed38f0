// Answers without an end in sight, made while they are sent: as fast as the caller takes them, a chunk in memory at a
// time. One that fails on the way resets the connection, so that no caller takes it for whole.
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import { ServiceError } from '../../application/errors.ts'
import { inTime, withDeadline, withoutDeadline } from '../deadline.ts'
import { Places } from './places.ts'
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

const RETRY_SECONDS = '30'
/** Characters written at once, after which the caller is waited for. */
const PIECE = 65_536

export class Downloads {
  readonly #places: Places
  readonly #chunkMs: number
  readonly #ends: Counter<'end'>

  constructor({ atOnce, perKey, chunkMs }: DownloadLimits, registry: Registry) {
    const places = new Places(atOnce, perKey)
    this.#places = places
    this.#chunkMs = chunkMs
    const registers = [registry]
    new Gauge({
      name: 'feed_exports_open',
      help: 'Exports of the feed being sent now.',
      registers,
      collect() {
        this.set(places.taken)
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
    const { context } = request
    const release = this.#places.take(context.keyId!)
    if (release === null) {
      context.headers['Retry-After'] = RETRY_SECONDS
      throw new ServiceError('rate_limited', 'Too many exports are under way; wait for one to end, or retry later')
    }
    try {
      const { headers, next } = await inTime(download.open())
      const first = await inTime(next())
      if (response.destroyed) return
      response.writeHead(200, {
        ...headersOf('private', { 'X-Request-Id': context.id, ...context.headers, ...headers }),
        'Content-Type': download.type,
        'Content-Disposition': `attachment; filename="${download.fileName}"`,
      })
      if (context.method === 'HEAD') return void response.end()
      if (response.socket) allowLongAnswer(response.socket)
      const pieces = this.#pieces(request, download, first, next)
      const sent = withoutDeadline(() => pipeline(pieces, response))
      const end = await sent.then(
        () => 'complete',
        () => (context.failure === undefined ? 'left' : 'failed'),
      )
      this.#ends.inc({ end })
    } finally {
      release()
    }
  }

  /** Yields the text; items are read when the caller has taken those before. */
  async *#pieces(
    { context, socket }: Request,
    { head, line }: Download,
    first: readonly string[],
    next: () => Promise<readonly string[]>,
  ): AsyncGenerator<string> {
    try {
      context.bodyBytes += head.length
      if (head !== '') yield head
      for (let items = first; items.length > 0; items = await withDeadline(this.#chunkMs, () => inTime(next()))) {
        for (const piece of joinedLines(items, line)) {
          context.bodyBytes += Buffer.byteLength(piece)
          yield piece
          // Other requests have a turn first, and what was written one to be sent.
          await nextTurn()
        }
      }
    } catch (error) {
      context.failure = error
      // An end of the connection alone would be taken for the end of the data by those who read until then.
      socket.resetAndDestroy()
      throw error
    }
  }
}

/** Yields the lines of these items, joined. */
function* joinedLines(items: readonly string[], line: Download['line']): Iterable<string> {
  let piece = ''
  for (const item of items) {
    piece += line(item)
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
