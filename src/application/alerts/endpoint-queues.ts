// The queues of deliveries that wait in this process, one for each address, so that a slow or dead address delays only
// its own deliveries. The queues take turns, and each has a limited number of deliveries in flight.
import type { StreamItem } from '../ports/alerts.ts'

interface QueueLimits {
  /** Deliveries in all queues. */
  all: number
  perEndpoint: number
  /** Deliveries in flight to one address. */
  atOnce: number
}

/** A delivery in this process, with the stream entries to acknowledge once its result is recorded. */
export interface QueuedDelivery extends StreamItem {
  entries: string[]
}

interface EndpointQueue {
  endpoint: string
  waiting: QueuedDelivery[]
  inFlight: number
  /** Whether an attempt failed at this address and has not been recorded yet. */
  paused: boolean
}

export class EndpointQueues {
  readonly #limits: QueueLimits
  /** All deliveries from `add` to `forget`, by id. */
  readonly #deliveries = new Map<string, QueuedDelivery>()
  readonly #queues = new Map<string, EndpointQueue>()
  /** Queues with a delivery that may be sent, in the order of their turns. */
  readonly #turns = new Set<EndpointQueue>()

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /**
   * Adds a delivery. Returns false if its stream entry can be acknowledged: the delivery came with another entry before,
   * or there is no room, in which case the sweep publishes it again later.
   */
  add({ deliveryId, endpoint, entry }: StreamItem & { entry?: string }): boolean {
    const present = this.#deliveries.get(deliveryId)
    // The same entry comes again if it waited so long that this worker has claimed it from itself.
    if (present) return entry !== undefined && present.entries.includes(entry)
    const queue = this.#queueOf(endpoint)
    if (this.room() === 0 || queue.waiting.length >= this.#limits.perEndpoint) {
      this.#update(queue)
      return false
    }
    const queued = { deliveryId, endpoint, entries: entry === undefined ? [] : [entry] }
    this.#deliveries.set(deliveryId, queued)
    queue.waiting.push(queued)
    this.#update(queue)
    return true
  }

  /** Returns how many more deliveries fit. */
  room(): number {
    return Math.max(0, this.#limits.all - this.#deliveries.size)
  }

  /** Returns how many deliveries were added and not forgotten. */
  size(): number {
    return this.#deliveries.size
  }

  /** Returns the next deliveries, one per address in turn; they are in flight from now on. */
  next(most: number): QueuedDelivery[] {
    const taken: QueuedDelivery[] = []
    while (taken.length < most) {
      const [queue] = this.#turns
      if (!queue) break
      this.#turns.delete(queue)
      taken.push(queue.waiting.shift()!)
      queue.inFlight += 1
      this.#update(queue)
    }
    return taken
  }

  /** Marks a delivery as no longer in flight. Until `forget` it is not added again. */
  ended({ endpoint }: QueuedDelivery): void {
    const queue = this.#queueOf(endpoint)
    queue.inFlight -= 1
    this.#update(queue)
  }

  forget({ deliveryId }: QueuedDelivery): void {
    this.#deliveries.delete(deliveryId)
  }

  /** Puts deliveries back to where they were before `next`. */
  requeue(deliveries: QueuedDelivery[]): void {
    for (const queued of deliveries.toReversed()) {
      const queue = this.#queueOf(queued.endpoint)
      queue.inFlight -= 1
      queue.waiting.unshift(queued)
      this.#update(queue)
    }
  }

  /** Holds back the deliveries to an address until it is drained. */
  pause(endpoint: string): void {
    const queue = this.#queueOf(endpoint)
    queue.paused = true
    this.#update(queue)
  }

  /** Forgets the deliveries waiting for that address, or for all addresses, and returns them. */
  drain(endpoint?: string): QueuedDelivery[] {
    const endpoints = endpoint === undefined ? [...this.#queues.keys()] : [endpoint]
    return endpoints.flatMap((each) => this.#drainOne(each))
  }

  #drainOne(endpoint: string): QueuedDelivery[] {
    const queue = this.#queues.get(endpoint)
    if (!queue) return []
    const drained = queue.waiting
    queue.waiting = []
    queue.paused = false
    this.#update(queue)
    for (const queued of drained) this.#deliveries.delete(queued.deliveryId)
    return drained
  }

  #queueOf(endpoint: string): EndpointQueue {
    const queue = this.#queues.get(endpoint) ?? { endpoint, waiting: [], inFlight: 0, paused: false }
    this.#queues.set(endpoint, queue)
    return queue
  }

  /** Has to be called after each change of a queue: gives it a turn or takes it away, and removes an empty queue. */
  #update(queue: EndpointQueue): void {
    const isReady = queue.waiting.length > 0 && queue.inFlight < this.#limits.atOnce && !queue.paused
    if (isReady) this.#turns.add(queue)
    else this.#turns.delete(queue)
    const isEmpty = queue.waiting.length === 0 && queue.inFlight === 0 && !queue.paused
    if (isEmpty) this.#queues.delete(queue.endpoint)
  }
}
