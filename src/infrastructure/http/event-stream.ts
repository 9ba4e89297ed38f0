// Server-sent events over HTTP: how many streams a caller and this process may have, the head of the response, and the
// connection as the place that a stream is written to.
import type { Request, Response } from 'express'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { OpenedStream, StreamEnd, StreamSink } from '../../application/changes/change-streams.ts'
import { ServiceError } from '../../application/errors.ts'
import { withoutDeadline } from '../deadline.ts'
import { countedCaller } from './middleware/client-address.ts'
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
  readonly #limits: StreamLimits
  readonly #proxies: number
  readonly #callers = new Map<string, number>()
  readonly #events: Counter
  readonly #ends: Counter<'reason'>
  #open = 0

  /** `proxies` in front add to X-Forwarded-For. */
  constructor(limits: StreamLimits, proxies: number, registry: Registry) {
    this.#limits = limits
    this.#proxies = proxies
    const registers = [registry]
    const open = () => this.#open
    new Gauge({
      name: 'streams_open',
      help: 'Streams of changes open now.',
      registers,
      collect() {
        this.set(open())
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
    const { context } = request
    const caller = context.keyId === undefined ? countedCaller(request, this.#proxies) : `key ${context.keyId}`
    const own = caller === null ? 0 : (this.#callers.get(caller) ?? 0)
    if (this.#open >= this.#limits.streams || own >= this.#limits.perCaller) {
      context.headers['Retry-After'] = RETRY_SECONDS
      throw new ServiceError('rate_limited', 'Too many streams are open; close one, or retry later')
    }
    response.writeHead(200, {
      ...headersOf('momentary', { 'X-Request-Id': context.id, ...context.headers, ...headers }),
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
    })
    if (context.method === 'HEAD') {
      response.end()
      return
    }
    this.#open += 1
    if (caller !== null) this.#callers.set(caller, own + 1)
    let reason: StreamEnd = 'left'
    const sink = this.#sink(request, response, (why) => (reason = why))
    const opened = withoutDeadline(() => stream(sink))
    response.once('close', () => {
      opened.close()
      this.#open -= 1
      this.#ends.inc({ reason })
      if (caller === null) return
      const left = this.#callers.get(caller)! - 1
      if (left > 0) this.#callers.set(caller, left)
      else this.#callers.delete(caller)
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
