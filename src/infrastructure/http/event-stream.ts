// Sends streams of changes as server-sent events: limits the streams per caller and process, writes the head of the
// response, and connects the stream to the socket.
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { OpenedStream, StreamEnd, StreamSink } from '../../application/changes/change-streams.ts'
import { ServiceError } from '../../application/errors.ts'
import { withoutDeadline } from '../deadline.ts'
import { countedCaller } from './middleware/client-address.ts'
import { logFailure } from './middleware/request-log.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { headersOf, type AnswerHeaders } from './response.ts'

export interface StreamLimits {
  /** Open streams in this process. */
  streams: number
  /** Open streams of one key, or of one address without a key; those from this machine are not counted. */
  perCaller: number
}

/** A stream as a handler returns it; calling `stream` starts it. */
export interface StreamAnswer {
  status: 200
  stream: (sink: StreamSink) => OpenedStream
  headers?: AnswerHeaders
}

const RETRY_SECONDS = '30'

/** Sends streams, within the limits, and counts them. */
export class EventStreams {
  readonly #limit: ConcurrencyLimit
  readonly #proxies: number
  readonly #events: Counter
  readonly #ends: Counter<'reason'>

  /** `proxies` in front add to X-Forwarded-For. */
  constructor(limits: StreamLimits, proxies: number, registry: Registry) {
    const limit = new ConcurrencyLimit(limits.streams, limits.perCaller)
    this.#limit = limit
    this.#proxies = proxies
    const registers = [registry]
    new Gauge({
      name: 'streams_open',
      help: 'Streams of changes open now.',
      registers,
      collect() {
        this.set(limit.inUse)
      },
    })
    this.#events = new Counter({ name: 'stream_events_total', help: 'Changes written to streams.', registers })
    this.#ends = new Counter({
      name: 'stream_ends_total',
      help: 'Streams of changes that ended, by what ended them.',
      labelNames: ['reason'],
      registers,
    })
  }

  send(request: Request, response: Response, { stream, headers }: StreamAnswer): void {
    // A closed response emits no `close` any more, so its place would never be released.
    if (response.destroyed) return
    const { context } = request
    const caller = context.keyId === undefined ? countedCaller(request, this.#proxies) : `key ${context.keyId}`
    const release = this.#limit.acquire(caller)
    if (release === null) {
      context.headers['Retry-After'] = RETRY_SECONDS
      throw new ServiceError('rate_limited', 'Too many streams are open; close one, or retry later')
    }
    response.once('close', release)
    response.writeHead(200, {
      ...headersOf('public-no-store', { 'X-Request-Id': context.id, ...context.headers, ...headers }),
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
    })
    if (context.method === 'HEAD') return void response.end()
    let reason: StreamEnd = 'left'
    const sink = this.#sink(request, response, (why) => (reason = why))
    const opened = withoutDeadline(() => stream(sink))
    // A caller that ends its side is taken to be gone: until something is written, nothing else shows that it is.
    const leave = () => response.destroy()
    request.socket.once('end', leave)
    response.once('close', () => {
      request.socket.removeListener('end', leave)
      opened.close()
      this.#ends.inc({ reason })
    })
  }

  #sink(request: Request, response: Response, ended: (reason: StreamEnd) => void): StreamSink {
    const { context } = request
    return {
      write: (text) => {
        if (text.includes('\ndata: {"id"')) this.#events.inc()
        context.bodyBytes += Buffer.byteLength(text)
        if (!response.destroyed && !response.writableEnded) response.write(text)
      },
      unsent: () => response.writableLength,
      drained: () =>
        new Promise((resolve) => {
          if (!response.writableNeedDrain || response.destroyed) return resolve()
          const end = () => {
            response.off('drain', end).off('close', end)
            resolve()
          }
          response.on('drain', end).on('close', end)
        }),
      end: (reason, failure) => {
        if (reason !== 'left') ended(reason)
        if (failure !== undefined) logFailure(request, failure)
        if (reason === 'slow') response.destroy()
        else if (!response.writableEnded) response.end()
      },
    }
  }
}
