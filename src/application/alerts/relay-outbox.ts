// The outbox relay moves due deliveries from PostgreSQL into the Redis stream. While Redis is away, it hands them to the
// worker of its own process, so that delivery continues.
import type { Deliveries, DeliveryStream, StreamItem } from '../ports/alerts.ts'
import type { Clock, Wait } from '../ports/system.ts'

export interface RelaySettings {
  batch: number
  /** A longer stream gets no more entries: one that waits for longer than `sweepSeconds` is published twice. */
  streamLength: number
  pollMs: number
  sweepEveryMs: number
  /** Deliveries published longer ago than this that are due but not leased are re-queued. */
  sweepSeconds: number
  pruneEveryMs: number
  keepDays: number
}

export const RELAY_SETTINGS: RelaySettings = {
  batch: 500,
  streamLength: 10_000,
  pollMs: 1_000,
  sweepEveryMs: 5_000,
  sweepSeconds: 30,
  pruneEveryMs: 3_600_000,
  keepDays: 30,
}

const DAY_MS = 86_400_000
const SOON_MS = 60_000

interface RelayParts {
  deliveries: Deliveries
  stream: DeliveryStream
  /** The worker of this process. */
  worker: { take(items: StreamItem[]): void; room(): number }
  /** Resolves when deliveries were added, after `milliseconds`, or on the signal. */
  nextWakeUp: (milliseconds: number, signal: AbortSignal) => Promise<void>
  wait: Wait
  clock: Clock
}

export class OutboxRelay {
  readonly #parts: RelayParts
  readonly #failed: (what: string, error: unknown) => void
  readonly #settings: RelaySettings
  #isStreamAway = false
  /** Whether a full batch was due when deliveries were last published. */
  #wasBatchFull = false

  constructor(
    parts: RelayParts,
    failed: (what: string, error: unknown) => void,
    settings: RelaySettings = RELAY_SETTINGS,
  ) {
    this.#parts = parts
    this.#failed = failed
    this.#settings = settings
  }

  /** Runs until the signal. Never rejects: failures are reported and retried. */
  async run(signal: AbortSignal): Promise<void> {
    const { sweepEveryMs, sweepSeconds, pruneEveryMs } = this.#settings
    await Promise.all([
      this.#relay(signal),
      this.#every(sweepEveryMs, signal, 'the sweep', () => this.#parts.deliveries.sweep(sweepSeconds)),
      this.#every(pruneEveryMs, signal, 'pruning', () => this.#prune(signal)),
    ])
  }

  async #relay(signal: AbortSignal): Promise<void> {
    const { wait, nextWakeUp } = this.#parts
    const { pollMs } = this.#settings
    while (!signal.aborted) {
      await this.#publishAll(signal).catch(async (error: unknown) => {
        this.#failed('the outbox', error)
        await wait(pollMs, signal)
      })
      if (!signal.aborted) await nextWakeUp(pollMs, signal)
    }
  }

  async #publishAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const limit = Math.min(this.#settings.batch, await this.#room())
      if (limit <= 0) return
      this.#wasBatchFull = (await this.#parts.deliveries.publishDue(limit, (items) => this.#publish(items))) >= limit
      if (!this.#wasBatchFull) return
    }
  }

  async #publish(items: StreamItem[]): Promise<void> {
    try {
      await this.#parts.stream.publish(items)
      this.#isStreamAway = false
    } catch (error) {
      // An outage is reported once, not with each batch.
      if (!this.#isStreamAway) this.#failed('publishing', error)
      this.#isStreamAway = true
      this.#parts.worker.take(items)
    }
  }

  // Asks for the stream's length only while full batches are published, and never while Redis is away: publishing shows
  // whether Redis is back.
  async #room(): Promise<number> {
    const { worker, stream } = this.#parts
    const { batch, streamLength } = this.#settings
    if (this.#isStreamAway) return worker.room()
    return this.#wasBatchFull ? streamLength - (await stream.length().catch(() => streamLength - batch)) : batch
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const before = new Date(this.#parts.clock() - this.#settings.keepDays * DAY_MS)
    while ((await this.#parts.deliveries.prune(before)) > 0 && !signal.aborted) {
      /* prunes in batches */
    }
  }

  async #every(milliseconds: number, signal: AbortSignal, what: string, act: () => Promise<unknown>): Promise<void> {
    // The first run comes soon, since a process may be restarted more often than it prunes.
    for (let first = true; !signal.aborted; first = false) {
      await this.#parts.wait(first ? Math.min(milliseconds, SOON_MS) : milliseconds, signal)
      if (!signal.aborted) await act().catch((error: unknown) => this.#failed(what, error))
    }
  }
}
