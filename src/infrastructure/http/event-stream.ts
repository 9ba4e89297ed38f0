// Server-sent events over HTTP: how many streams a caller and this process may have, the head of the response, and the
// connection as the place that a stream is written to.
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { OpenedStream, StreamEnd, StreamSink } from '../../application/changes/change-streams.ts'
import { ServiceError } from '../../application/errors.ts'
import { withoutDeadline } from '../deadline.ts'
import { countedCaller } from './middleware/client-address.ts'
import { Places } from './places.ts'
import { headersOf, type AnswerHeaders } from './response.ts'

export interface StreamLimits {
  streams: number
  /** Of one key, or of one address without a key; this machine's own are not counted. */
  perCaller: number
}

/** A stream as a handler gives it: begun when there is somewhere to write to. */
export interface StreamAnswer {
  status: 200
  stream: (sink: StreamSink) => OpenedStream
  headers?: AnswerHeaders
}

const RETRY_SECONDS = '30'

/** Sends streams, within the limits, and counts them. */
export class EventStreams {
  readonly #places: Places
  readonly #proxies: number
  readonly #events: Counter
  readonly #ends: Counter<'reason'>

  /** `proxies` in front add to X-Forwarded-For. */
  constructor(limits: StreamLimits, proxies: number, registry: Registry) {
    const places = new Places(limits.streams, limits.perCaller)
    this.#places = places
    this.#proxies = proxies
    const registers = [registry]
    new Gauge({
      name: 'streams_open',
      help: 'Streams of changes open now.',
      registers,
      collect() {
        this.set(places.taken)
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
    // One that has left gives no place back.
    if (response.destroyed) return
    const { context } = request
    const caller = context.keyId === undefined ? countedCaller(request, this.#proxies) : `key ${context.keyId}`
    const release = this.#places.take(caller)
    if (release === null) {
      context.headers['Retry-After'] = RETRY_SECONDS
      throw new ServiceError('rate_limited', 'Too many streams are open; close one, or retry later')
    }
    response.once('close', release)
    response.writeHead(200, {
      ...headersOf('momentary', { 'X-Request-Id': context.id, ...context.headers, ...headers }),
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
    })
    if (context.method === 'HEAD') return void response.end()
    let reason: StreamEnd = 'left'
    const sink = this.#sink(request, response, (why) => (reason = why))
    const opened = withoutDeadline(() => stream(sink))
    response.once('close', () => {
      opened.close()
      this.#ends.inc({ reason })
    })
  }

  #sink(request: Request, response: Response, ended: (reason: StreamEnd) => void): StreamSink {
    const { context } = request
    return {
      write: (text) => {
        if (text.includes('\ndata: {"id"')) this.#events.inc()
        context.bodyBytes += text.length
        if (!response.destroyed && !response.writableEnded) response.write(text)
      },
      unsent: () => response.writableLength,
      drained: () =>
        new Promise((resolve) => {
          if (!response.writableNeedDrain || response.destroyed) return resolve()
          response.once('drain', resolve).once('close', resolve)
        }),
      end: (reason) => {
        if (reason !== 'left') ended(reason)
        if (reason === 'slow') response.destroy()
        else if (!response.writableEnded) response.end()
      },
    }
  }
}
