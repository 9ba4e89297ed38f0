// The relay: moves what is due from the outbox into the stream. While the stream is away it hands deliveries to the
// worker of its own process, so that they go on without.
import type { Deliveries, DeliveryStream, StreamItem } from '../ports/alerts.ts'
import type { Clock, Wait } from '../ports/system.ts'

export interface RelaySettings {
  batch: number
  /** A longer stream gets no more: what waits there for longer than `sweepSeconds` would be published twice. */
  streamLength: number
  pollMs: number
  sweepEveryMs: number
  /** Whatever was published so long ago and is in nobody's hands is published again. */
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

export interface RelayParts {
  deliveries: Deliveries
  stream: DeliveryStream
  /** The worker of this process. */
  worker: { take(items: StreamItem[]): void; room(): number }
  /** Resolves on a hint that deliveries were added, or after so long, or with the signal. */
  nextWakeUp: (milliseconds: number, signal: AbortSignal) => Promise<void>
  wait: Wait
  clock: Clock
}

/** Until the signal. Never rejects: faults are told, and it is tried again. */
export async function relayOutbox(
  { deliveries, stream, worker, nextWakeUp, wait, clock }: RelayParts,
  signal: AbortSignal,
  failed: (what: string, error: unknown) => void,
  settings: RelaySettings = RELAY_SETTINGS,
): Promise<void> {
  const { batch, streamLength, pollMs, sweepEveryMs, sweepSeconds, pruneEveryMs, keepDays } = settings
  let isAway = false

  const publish = async (items: StreamItem[]) => {
    try {
      await stream.publish(items)
      isAway = false
    } catch (error) {
      // Told once, and not with each batch while it lasts.
      if (!isAway) failed('publishing', error)
      isAway = true
      worker.take(items)
    }
  }
  // How long the stream is, is asked only where much is published; of one that is away not at all: publishing shows
  // whether it is back.
  let isMuch = false
  const room = async () => {
    if (isAway) return worker.room()
    return isMuch ? streamLength - (await stream.length().catch(() => streamLength - batch)) : batch
  }
  const publishAll = async () => {
    while (!signal.aborted) {
      const limit = Math.min(batch, await room())
      if (limit <= 0) return
      isMuch = (await deliveries.publishDue(limit, publish)) >= limit
      if (!isMuch) return
    }
  }
  const every = async (milliseconds: number, what: string, act: () => Promise<unknown>) => {
    // The first time soon: a process may be stopped and started more often than it prunes.
    for (let first = true; !signal.aborted; first = false) {
      await wait(first ? Math.min(milliseconds, SOON_MS) : milliseconds, signal)
      if (!signal.aborted) await act().catch((error: unknown) => failed(what, error))
    }
  }
  await Promise.all([
    (async () => {
      while (!signal.aborted) {
        await publishAll().catch(async (error: unknown) => {
          failed('the outbox', error)
          await wait(pollMs, signal)
        })
        if (!signal.aborted) await nextWakeUp(pollMs, signal)
      }
    })(),
    every(sweepEveryMs, 'the sweep', () => deliveries.sweep(sweepSeconds)),
    every(pruneEveryMs, 'pruning', async () => {
      const before = new Date(clock() - keepDays * DAY_MS)
      while ((await deliveries.prune(before)) > 0 && !signal.aborted) {
        /* some at a time */
      }
    }),
  ])
}
