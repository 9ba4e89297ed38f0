// Streams exports of any length: a chunk is read once the caller has taken the one before, so one at a time is in
// memory. A failure halfway resets the connection, so that no caller takes an incomplete export for a complete one.
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import { ServiceError } from '../../application/errors.ts'
import { inTime, withDeadline, withoutDeadline } from '../deadline.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { logFailure } from './middleware/request-log.ts'
import { headersOf, type AnswerHeaders } from './response.ts'
import { allowLongAnswer } from './server/slow-readers.ts'

export interface DownloadLimits {
  /** Concurrent downloads in this process. */
  atOnce: number
  /** Concurrent downloads of one API key. */
  perKey: number
  /** The time limit for reading one chunk from the stores. */
  chunkMs: number
}

/** A download as a handler returns it; no data is read before `open`. */
export interface Download {
  type: string
  /** The file name that the response suggests. */
  fileName: string
  /** The text before the first line. */
  head: string
  /** Formats one item as a line, including the line break. */
  line: (item: string) => string
  open: () => Promise<{ headers: AnswerHeaders | undefined; next: () => Promise<readonly string[]> }>
}

export interface DownloadAnswer {
  status: 200
  download: Download
}

const RETRY_SECONDS = '30'
/** Characters per write; the next write waits until the caller has taken them. */
const PIECE_LENGTH = 65_536

export class Downloads {
  readonly #limit: ConcurrencyLimit
  readonly #chunkMs: number
  readonly #ends: Counter<'end'>

  constructor({ atOnce, perKey, chunkMs }: DownloadLimits, registry: Registry) {
    const limit = new ConcurrencyLimit(atOnce, perKey)
    this.#limit = limit
    this.#chunkMs = chunkMs
    const registers = [registry]
    new Gauge({
      name: 'feed_exports_open',
      help: 'Exports of the feed being sent now.',
      registers,
      collect() {
        this.set(limit.inUse)
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
    const release = this.#limit.acquire(context.keyId!)
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

  /** Yields the text; items are read when the caller has taken the ones before. */
  async *#pieces(
    request: Request,
    { head, line }: Download,
    first: readonly string[],
    next: () => Promise<readonly string[]>,
  ): AsyncGenerator<string> {
    const { context, socket } = request
    try {
      context.bodyBytes += head.length
      if (head !== '') yield head
      for (let items = first; items.length > 0; items = await withDeadline(this.#chunkMs, () => inTime(next()))) {
        for (const piece of joinedLines(items, line)) {
          context.bodyBytes += Buffer.byteLength(piece)
          yield piece
          // Let other requests run and the socket send before the next piece.
          await nextTurn()
        }
      }
    } catch (error) {
      logFailure(request, error)
      // Clients that read until the connection closes would take a plain close for the end of the data.
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
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
