// The worker: takes deliveries from the stream, or straight from the relay, leases them in PostgreSQL, sends them and
// records what became of them. Leases and records go in batches, each with what gathered during the one before.
import { nextStep } from '../../domain/alerts/retry-schedule.ts'
import type {
  Attempt,
  Deliveries,
  DeliveryStream,
  DisabledAddress,
  LeasedDelivery,
  SettledAttempt,
  StreamEntry,
  StreamItem,
  WebhookMessage,
  WebhookSender,
} from '../ports/alerts.ts'
import { makeEndpointQueues, type QueuedDelivery } from './endpoint-queues.ts'
import { ServiceError } from '../errors.ts'
import { coalesce } from '../shared/batcher.ts'
import type { Wait } from '../ports/system.ts'

export interface DeliverySettings {
  /** Requests at once, without those that have been waiting for their receiver for `slowMs` or more: these cost a socket only. */
  slots: number
  slowMs: number
  /** Requests at once, with those. */
  sockets: number
  /** Of them to one address. Where it fails, PostgreSQL gives one at a time. */
  slotsPerEndpoint: number
  /** Deliveries in memory, and of them to one address. */
  queued: number
  queuedPerEndpoint: number
  /** Longer than an attempt can last. */
  leaseSeconds: number
  /** Entries that a worker has had for so long are taken from it, which is looked for so often. */
  claimIdleMs: number
  claimEveryMs: number
  /** How long a read waits, which is how long a stop may take with nothing under way. */
  readMs: number
}

export const DELIVERY_SETTINGS: DeliverySettings = {
  slots: 256,
  slowMs: 500,
  sockets: 1_000,
  slotsPerEndpoint: 8,
  queued: 10_000,
  queuedPerEndpoint: 2_000,
  leaseSeconds: 30,
  claimIdleMs: 30_000,
  claimEveryMs: 5_000,
  readMs: 1_000,
}

const READ_BATCH = 500
const NO_ROOM_MS = 100
const TRY_AGAIN_MS = 1_000

export interface DeliveryReport {
  attempted(delivery: LeasedDelivery, attempt: Attempt): void
  disabled(address: DisabledAddress): void
  failed(what: string, error: unknown): void
}

export interface DeliveryWorker {
  /** Works until the signal, then ends what is under way, gives back what waits, and resolves. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Straight from the relay, where the stream is away. No more than `room`: the rest is left to the sweep. */
  take(items: StreamItem[]): void
  room(): number
}

export interface DeliveryParts {
  deliveries: Deliveries
  stream: DeliveryStream
  sender: WebhookSender
  wait: Wait
  /** 0 to 1. */
  random: () => number
}

export function deliverWebhooks(
  { deliveries, stream, sender, wait, random }: DeliveryParts,
  report: DeliveryReport,
  settings: DeliverySettings = DELIVERY_SETTINGS,
): DeliveryWorker {
  const { slots, sockets, slowMs, leaseSeconds } = settings
  const { queued: all, queuedPerEndpoint: perEndpoint, slotsPerEndpoint: atOnce } = settings
  const queues = makeEndpointQueues({ all, perEndpoint, atOnce })
  const sending = new Set<Promise<void>>()
  const slow = new Set<Promise<void>>()
  let stopping: AbortSignal | null = null
  let leasing = Promise.resolve()
  let isLeasing = false
  let unsettled = 0

  const failed = (what: string) => (error: unknown) => report.failed(what, error)
  // What is not marked as done for a fault of Redis is claimed later, found settled, and marked then.
  const done = coalesce<string>((entries) => stream.done(entries).catch(failed('marking entries as done')))

  const accept = (items: (StreamItem & { entry?: string })[]) => {
    for (const item of items) {
      const isOfUse = queues.add(item)
      if (!isOfUse && item.entry !== undefined) done.add(item.entry)
    }
    leaseReady()
  }

  const leaseReady = () => {
    if (isLeasing || !stopping || stopping.aborted) return
    isLeasing = true
    leasing = leaseAll(stopping)
  }

  const leaseAll = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      // What is sent and not yet recorded has to be kept: while PostgreSQL takes no records, nothing more is sent.
      const free = Math.min(slots - (sending.size - slow.size), sockets - sending.size)
      const batch = unsettled - slow.size < 2 * slots ? queues.next(free) : []
      if (batch.length === 0) break
      const ids = batch.map(({ deliveryId }) => deliveryId)
      const leased = await deliveries.lease(ids, leaseSeconds).catch((error: unknown) => {
        report.failed('leasing', error)
        return null
      })
      if (!leased) {
        queues.requeue(batch)
        await wait(TRY_AGAIN_MS, signal)
        continue
      }
      const byId = new Map(leased.map((delivery) => [delivery.id, delivery]))
      for (const queued of batch) {
        const delivery = byId.get(queued.deliveryId)
        if (delivery) start(queued, delivery)
        else drop(queued)
      }
    }
    isLeasing = false
  }

  /** Settled, in other hands, or to come again later: what the entry was for is over. */
  const drop = (queued: QueuedDelivery) => {
    queues.ended(queued)
    queues.forget(queued)
    done.add(...queued.entries)
  }

  const start = (queued: QueuedDelivery, delivery: LeasedDelivery) => {
    unsettled += 1
    const sent: Promise<void> = sender.send(toMessage(delivery)).then((attempt) => {
      sending.delete(sent)
      slow.delete(sent)
      const at = attempt.at + attempt.milliseconds
      const { attempts, failingSince } = delivery
      const next = nextStep({ outcome: attempt.outcome, number: attempts + 1, at, failingSince, random: random() })
      report.attempted(delivery, attempt)
      // Until it is recorded that the address fails, nothing more goes there.
      if (next.kind !== 'delivered') queues.pause(queued.endpoint)
      queues.ended(queued)
      settling.add({ queued, settled: { delivery, attempt, next } })
      leaseReady()
    })
    sending.add(sent)
  }

  const settling = coalesce<{ queued: QueuedDelivery; settled: SettledAttempt }>(async (batch) => {
    for (const address of await settle(batch.map(({ settled }) => settled))) report.disabled(address)
    unsettled -= batch.length
    for (const { queued } of batch) {
      queues.forget(queued)
      done.add(...queued.entries)
    }
    // The relay brings them one at a time from now on.
    const failures = batch.filter(({ settled }) => settled.next.kind !== 'delivered')
    await giveBack(failures.flatMap(({ queued }) => queues.drain(queued.endpoint)))
    leaseReady()
  })

  /** Goes on until it is recorded; while stopping, once more. */
  const settle = async (attempts: SettledAttempt[]): Promise<DisabledAddress[]> => {
    for (;;) {
      try {
        return await deliveries.settle(attempts)
      } catch (error) {
        report.failed('recording attempts', error)
        if (stopping?.aborted) return []
        const isAway = error instanceof ServiceError && error.code === 'unavailable'
        if (!isAway && attempts.length === 1) return []
        // One that can't be recorded must not keep the others; its lease runs out and it is sent again.
        if (!isAway) return (await Promise.all(attempts.map((attempt) => settle([attempt])))).flat()
        await wait(TRY_AGAIN_MS, stopping ?? undefined)
      }
    }
  }

  const giveBack = async (allQueued: QueuedDelivery[]) => {
    if (allQueued.length === 0) return
    await deliveries.unpublish(allQueued.map(({ deliveryId }) => deliveryId)).catch(failed('giving back'))
    done.add(...allQueued.flatMap(({ entries }) => entries))
  }

  // A fault is told once while it lasts.
  let isAway = false
  const fromStream = async (what: string, entries: Promise<StreamEntry[]>, signal: AbortSignal) => {
    try {
      accept(await entries)
      isAway = false
    } catch (error) {
      if (!isAway) report.failed(what, error)
      isAway = true
      await wait(TRY_AGAIN_MS, signal)
    }
  }

  const read = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const room = Math.min(READ_BATCH, queues.room())
      if (room === 0) await wait(NO_ROOM_MS, signal)
      else await fromStream('reading the stream', stream.read(room, settings.readMs), signal)
    }
  }

  const claim = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const room = Math.min(READ_BATCH, queues.room())
      if (room > 0) await fromStream('claiming entries', stream.claim(settings.claimIdleMs, room), signal)
      await wait(settings.claimEveryMs, signal)
    }
  }

  /** Receivers that hang, be it hundreds, leave the slots to the others. */
  const tellSlow = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const before = [...sending]
      await wait(slowMs, signal)
      for (const sent of before) if (sending.has(sent)) slow.add(sent)
      leaseReady()
    }
  }

  return {
    run: async (signal) => {
      stopping = signal
      await Promise.all([read(signal), claim(signal), tellSlow(signal)])
      await leasing
      await Promise.all(sending)
      await settling.idle()
      await giveBack(queues.drain())
      await done.idle()
    },
    take: accept,
    room: queues.room,
  }
}

function toMessage({ id, url, ticker, eventType, createdAt, data, secrets }: LeasedDelivery): WebhookMessage {
  const at = new Date(createdAt).toISOString().replace(/\.\d+Z$/, 'Z')
  // The data goes out as it was stored, with the watcher's own name for the company.
  const named = ticker !== null && data.startsWith('{"') ? `{"ticker":${JSON.stringify(ticker)},${data.slice(1)}` : data
  const body = `{"id":${JSON.stringify(id)},"type":${JSON.stringify(eventType)},"createdAt":"${at}","data":${named}}`
  return { id, url, body, secrets }
}
