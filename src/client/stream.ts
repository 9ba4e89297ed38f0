// The stream of changes as an iterator. After a lost connection, or a longer silence than between two heartbeats of the
// service, it resumes by the last id, until it is stopped or the service refuses it for good.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { components } from '../contract.ts'
import { errorOf, InsiderApiError } from './errors.ts'
import type { Query } from './operations.ts'
import { isPassing, pause, pauseMs, type Transport } from './transport.ts'

export type Change = components['schemas']['Change']

export interface FollowOptions {
  signal?: AbortSignal | undefined
  /** Called with `live` once the stream is open, and with `away` when it is lost. */
  onState?: ((state: 'live' | 'away', error?: unknown) => void) | undefined
  /** Milliseconds without a byte after which the stream counts as lost: 45,000. */
  silenceMs?: number | undefined
}

const SILENCE_MS = 45_000

/** How far a stream was read. */
interface Place {
  /** The last id, of an event or of a heartbeat. */
  position: string | undefined
  /** Attempts in a row that did not reach the stream. */
  failures: number
}

/**
 * Returns the changes after `after` (or from now on) as they happen, each once. Throws InsiderApiError where the
 * service refuses the stream: `cursor_expired` means that the data has to be loaded again.
 */
export async function* followChanges(
  transport: Transport,
  { after, ...query }: Query<'streamChanges'>,
  options: FollowOptions = {},
): AsyncGenerator<Change, void, undefined> {
  const place: Place = { position: after === undefined ? undefined : String(after), failures: 0 }
  while (!options.signal?.aborted) {
    let retryAfterSeconds: number | undefined
    try {
      yield* readOnce(transport, query, place, options)
      options.onState?.('away')
    } catch (error) {
      if (options.signal?.aborted) return
      if (error instanceof InsiderApiError && !isPassing(error)) throw error
      options.onState?.('away', error)
      place.failures += 1
      if (error instanceof InsiderApiError) ({ retryAfterSeconds } = error)
    }
    await pause(pauseMs(Math.max(place.failures, 1), retryAfterSeconds), options.signal).catch(() => {})
  }
}

async function* readOnce(
  transport: Transport,
  query: object,
  place: Place,
  { signal, onState, silenceMs = SILENCE_MS }: FollowOptions,
): AsyncGenerator<Change, void, undefined> {
  const silence = new AbortController()
  const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(new Error('nothing was received')), silenceMs)
  }
  heard()
  try {
    const headers = {
      accept: 'text/event-stream',
      ...(place.position !== undefined && { 'last-event-id': place.position }),
    }
    const response = await transport.send({ operation: 'streamChanges', query, headers }, both)
    if (!response.ok) throw await errorOf(response)
    // In the order in which they came: an id counts only after the events before it were taken.
    const received: Partial<EventSourceMessage>[] = []
    const parser = createParser({
      // A heartbeat has an id and no event.
      onId: (id) => void received.push({ id }),
      onEvent: (event) => void received.push(event),
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard()
      parser.feed(part.value)
      for (const { event, id, data } of received.splice(0)) {
        if (event === 'ready') {
          place.failures = 0
          onState?.('live')
        }
        if (id !== undefined) place.position = id
        if (data !== undefined && event !== 'ready') yield { cursor: id, ...JSON.parse(data) } as Change
      }
    }
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}
