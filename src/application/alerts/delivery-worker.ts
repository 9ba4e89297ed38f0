// The delivery worker takes deliveries from the stream, or directly from the relay, leases them in PostgreSQL, sends
// them and records the results. Leases and results are written in batches: while one is written, the next one collects.
import { nextStep } from '../../domain/alerts/retry-schedule.ts'
import type {
  Attempt,
  Deliveries,
  DeliveryStream,
  DisabledAddress,
  LeasedDelivery,
  FinishedAttempt,
  StreamEntry,
  StreamItem,
  WebhookSender,
} from '../ports/alerts.ts'
import { EndpointQueues, type QueuedDelivery } from './endpoint-queues.ts'
import { recordAttempts } from './record-attempts.ts'
import type { WebhookBody } from './webhook-body.ts'
import { coalesce } from '../shared/batcher.ts'
import type { Clock, Wait } from '../ports/system.ts'

export interface DeliverySettings {
  /**
   * Concurrent requests, not counting those waiting for `slowMs` or more for their receiver: these only cost a socket.
   */
  slots: number
  slowMs: number
  /** Concurrent requests, counting slow ones. */
  sockets: number
  /** Concurrent requests to one address. To a failing address PostgreSQL leases one at a time. */
  slotsPerEndpoint: number
  /** Deliveries in memory, in all and to one address. */
  queued: number
  queuedPerEndpoint: number
  /** How long a lease lasts; longer than an attempt can take. */
  leaseSeconds: number
  /** Entries pending with a worker for `claimIdleMs` are claimed from it; checked every `claimEveryMs`. */
  claimIdleMs: number
  claimEveryMs: number
  /** How long a read blocks, and so how long an idle worker takes to stop. */
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

interface DeliveryParts {
  deliveries: Deliveries
  stream: DeliveryStream
  sender: WebhookSender
  bodyOf: WebhookBody
  clock: Clock
  wait: Wait
  /** Returns a number from 0 to 1. */
  random: () => number
}

/** A delivery that was sent, with the result to be recorded. */
interface Sent {
  queued: QueuedDelivery
  finished: FinishedAttempt
}

export class DeliveryWorker {
  readonly #parts: DeliveryParts
  readonly #report: DeliveryReport
  readonly #settings: DeliverySettings
  readonly #queues: EndpointQueues
  /** Requests in flight, and those of them waiting for `slowMs` or more for their receiver. */
  readonly #sending = new Set<Promise<void>>()
  readonly #slow = new Set<Promise<void>>()
  readonly #recording = coalesce<Sent>((batch) => this.#record(batch))
  readonly #done = coalesce<string>((entries) => this.#markDone(entries))
  /** The signal given to `run`; null before. */
  #signal: AbortSignal | null = null
  #leasing = Promise.resolve()
  #isLeasing = false
  /** Deliveries that are being sent, or whose result is not recorded yet. */
  #unrecorded = 0
  #isStreamAway = false

  constructor(parts: DeliveryParts, report: DeliveryReport, settings: DeliverySettings = DELIVERY_SETTINGS) {
    this.#parts = parts
    this.#report = report
    this.#settings = settings
    const { queued: all, queuedPerEndpoint: perEndpoint, slotsPerEndpoint: atOnce } = settings
    this.#queues = new EndpointQueues({ all, perEndpoint, atOnce })
  }

  /**
   * Works until the signal, then completes requests in flight, gives back waiting deliveries and resolves. Never
   * rejects.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    await Promise.all([this.#read(signal), this.#claim(signal), this.#markSlow(signal)])
    await this.#leasing
    await Promise.all(this.#sending)
    await this.#recording.idle()
    await this.#giveBack(this.#queues.drain())
    await this.#done.idle()
  }

  /** Takes deliveries, from the relay while Redis is away. Those beyond `room` are left to the sweep. */
  take(items: (StreamItem & { entry?: string })[]): void {
    for (const item of items) {
      const isEntryNeeded = this.#queues.add(item)
      if (!isEntryNeeded && item.entry !== undefined) this.#done.add(item.entry)
    }
    this.#leaseReady()
  }

  /** Returns how many more deliveries fit into memory. */
  room(): number {
    return this.#queues.room()
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const room = Math.min(READ_BATCH, this.#queues.room())
      if (room === 0) await this.#parts.wait(NO_ROOM_MS, signal)
      else
        await this.#takeFromStream('reading the stream', this.#parts.stream.read(room, this.#settings.readMs), signal)
    }
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const { claimIdleMs, claimEveryMs } = this.#settings
    while (!signal.aborted) {
      const room = Math.min(READ_BATCH, this.#queues.room())
      if (room > 0) await this.#takeFromStream('claiming entries', this.#parts.stream.claim(claimIdleMs, room), signal)
      await this.#parts.wait(claimEveryMs, signal)
    }
  }

  /** Reports an outage once. */
  async #takeFromStream(what: string, entries: Promise<StreamEntry[]>, signal: AbortSignal): Promise<void> {
    try {
      this.take(await entries)
      this.#isStreamAway = false
    } catch (error) {
      if (!this.#isStreamAway) this.#report.failed(what, error)
      this.#isStreamAway = true
      await this.#parts.wait(TRY_AGAIN_MS, signal)
    }
  }

  /** Marks slow requests, so that even hundreds of hanging receivers leave the slots to the others. */
  async #markSlow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = [...this.#sending]
      await this.#parts.wait(this.#settings.slowMs, signal)
      for (const sent of before) if (this.#sending.has(sent)) this.#slow.add(sent)
      this.#leaseReady()
    }
  }

  #leaseReady(): void {
    if (this.#isLeasing || !this.#signal || this.#signal.aborted) return
    this.#isLeasing = true
    this.#leasing = this.#leaseAll(this.#signal)
  }

  async #leaseAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const batch = this.#nextBatch()
      if (batch.length === 0) break
      const leased = await this.#lease(batch.map(({ deliveryId }) => deliveryId))
      if (!leased) {
        this.#queues.requeue(batch)
        await this.#parts.wait(TRY_AGAIN_MS, signal)
        continue
      }
      const byId = new Map(leased.map((delivery) => [delivery.id, delivery]))
      for (const queued of batch) {
        const delivery = byId.get(queued.deliveryId)
        if (delivery) this.#send(queued, delivery)
        else this.#drop(queued)
      }
    }
    this.#isLeasing = false
  }

  #nextBatch(): QueuedDelivery[] {
    const { slots, sockets } = this.#settings
    const free = Math.min(slots - (this.#sending.size - this.#slow.size), sockets - this.#sending.size)
    // Unrecorded results are in memory alone, so sending stops while PostgreSQL does not accept them.
    return this.#unrecorded - this.#slow.size < 2 * slots ? this.#queues.next(free) : []
  }

  /** Returns null if PostgreSQL can't be reached. */
  async #lease(ids: string[]): Promise<LeasedDelivery[] | null> {
    try {
      return await this.#parts.deliveries.lease(ids, this.#settings.leaseSeconds)
    } catch (error) {
      this.#report.failed('leasing', error)
      return null
    }
  }

  /** Drops a delivery that was not leased: it has ended, is leased by another worker, or will be published again. */
  #drop(queued: QueuedDelivery): void {
    this.#queues.ended(queued)
    this.#queues.forget(queued)
    this.#done.add(...queued.entries)
  }

  #send(queued: QueuedDelivery, delivery: LeasedDelivery): void {
    this.#unrecorded += 1
    const sent: Promise<void> = this.#attempt(delivery).then((attempt) => {
      this.#sending.delete(sent)
      this.#slow.delete(sent)
      this.#attempted(queued, delivery, attempt)
    })
    this.#sending.add(sent)
  }

  /** Sends a delivery. If its body can't be made, the attempt has failed, and is repeated like others. */
  async #attempt(delivery: LeasedDelivery): Promise<Attempt> {
    const { id, url, secrets } = delivery
    let body: string
    try {
      body = this.#parts.bodyOf(delivery)
    } catch (error) {
      this.#report.failed(`the body of ${id}`, error)
      const outcome = { kind: 'failed', error: 'the message could not be made' } as const
      return { at: this.#parts.clock(), milliseconds: 0, outcome, answer: null }
    }
    return this.#parts.sender.send({ id, url, body, secrets })
  }

  #attempted(queued: QueuedDelivery, delivery: LeasedDelivery, attempt: Attempt): void {
    const at = attempt.at + attempt.milliseconds
    const { attempts, failingSince } = delivery
    const random = this.#parts.random()
    const next = nextStep({ outcome: attempt.outcome, number: attempts + 1, at, failingSince, random })
    this.#report.attempted(delivery, attempt)
    // Nothing more is sent to the address until its failure is recorded.
    if (next.kind !== 'delivered') this.#queues.pause(queued.endpoint)
    this.#queues.ended(queued)
    this.#recording.add({ queued, finished: { delivery, attempt, next } })
    this.#leaseReady()
  }

  async #record(batch: Sent[]): Promise<void> {
    const parts = { ...this.#parts, failed: (what: string, error: unknown) => this.#report.failed(what, error) }
    const attempts = batch.map(({ finished }) => finished)
    for (const address of await recordAttempts(parts, attempts, this.#signal!)) this.#report.disabled(address)
    this.#unrecorded -= batch.length
    for (const { queued } of batch) {
      this.#queues.forget(queued)
      this.#done.add(...queued.entries)
    }
    // From now on the relay publishes deliveries to these addresses one at a time.
    const failures = batch.filter(({ finished }) => finished.next.kind !== 'delivered')
    await this.#giveBack(failures.flatMap(({ queued }) => this.#queues.drain(queued.endpoint)))
    this.#leaseReady()
  }

  async #giveBack(unsent: QueuedDelivery[]): Promise<void> {
    if (unsent.length === 0) return
    const ids = unsent.map(({ deliveryId }) => deliveryId)
    await this.#parts.deliveries.unpublish(ids).catch((error: unknown) => this.#report.failed('giving back', error))
    this.#done.add(...unsent.flatMap(({ entries }) => entries))
  }

  /**
   * Acknowledges entries. An entry that stays unacknowledged because of a Redis fault is claimed later. Its delivery
   * has ended by then and can't be leased, so the entry is acknowledged without sending.
   */
  async #markDone(entries: string[]): Promise<void> {
    await this.#parts.stream
      .done(entries)
      .catch((error: unknown) => this.#report.failed('marking entries as done', error))
  }
}
