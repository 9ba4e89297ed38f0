// Deliveries that wait in this process, a queue for each address: one that is slow or dead keeps nobody but itself
// waiting. The queues take turns, and each has a limited number under way.
import type { StreamItem } from '../ports/alerts.ts'

export interface QueueLimits {
  /** Deliveries known at once; 10,000 of them are some 5 MB. */
  all: number
  perEndpoint: number
  /** Under way at one address. */
  atOnce: number
}

/** A delivery in this process, with the entries of the stream that are done once it is. */
export interface QueuedDelivery extends StreamItem {
  entries: string[]
}

interface EndpointQueue {
  endpoint: string
  waiting: QueuedDelivery[]
  underWay: number
  /** Something failed there, and it has not been recorded yet. */
  paused: boolean
}

export class EndpointQueues {
  readonly #limits: QueueLimits
  readonly #known = new Map<string, QueuedDelivery>()
  readonly #queues = new Map<string, EndpointQueue>()
  /** Those that may give one, in the order of their turns. */
  readonly #turns = new Set<EndpointQueue>()

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /**
   * False where the entry has no use any more: the delivery is known by another entry, or there is no room. What finds no
   * room is left to the sweep, which publishes it again half a minute later.
   */
  add({ deliveryId, endpoint, entry }: StreamItem & { entry?: string }): boolean {
    const present = this.#known.get(deliveryId)
    // An entry of ours comes again where it waited here for so long that we claimed it from ourselves.
    if (present) return entry !== undefined && present.entries.includes(entry)
    const queue = this.#queueOf(endpoint)
    if (this.room() === 0 || queue.waiting.length >= this.#limits.perEndpoint) {
      this.#update(queue)
      return false
    }
    const queued = { deliveryId, endpoint, entries: entry === undefined ? [] : [entry] }
    this.#known.set(deliveryId, queued)
    queue.waiting.push(queued)
    this.#update(queue)
    return true
  }

  /** How many more may be known. */
  room(): number {
    return Math.max(0, this.#limits.all - this.#known.size)
  }

  /** Known and not forgotten. */
  size(): number {
    return this.#known.size
  }

  /** The next ones, a turn for each address; they are under way from now on. */
  next(most: number): QueuedDelivery[] {
    const taken: QueuedDelivery[] = []
    while (taken.length < most) {
      const [queue] = this.#turns
      if (!queue) break
      this.#turns.delete(queue)
      taken.push(queue.waiting.shift()!)
      queue.underWay += 1
      this.#update(queue)
    }
    return taken
  }

  /** No longer under way; still known. */
  ended({ endpoint }: QueuedDelivery): void {
    const queue = this.#queueOf(endpoint)
    queue.underWay -= 1
    this.#update(queue)
  }

  forget({ deliveryId }: QueuedDelivery): void {
    this.#known.delete(deliveryId)
  }

  /** Back to where they were before `next`. */
  requeue(deliveries: QueuedDelivery[]): void {
    for (const queued of deliveries.toReversed()) {
      const queue = this.#queueOf(queued.endpoint)
      queue.underWay -= 1
      queue.waiting.unshift(queued)
      this.#update(queue)
    }
  }

  /** Nothing more goes to that address until it is drained. */
  pause(endpoint: string): void {
    const queue = this.#queueOf(endpoint)
    queue.paused = true
    this.#update(queue)
  }

  /** Forgets what waits for that address, or for any, and returns it. */
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
    for (const queued of drained) this.#known.delete(queued.deliveryId)
    return drained
  }

  #queueOf(endpoint: string): EndpointQueue {
    const queue = this.#queues.get(endpoint) ?? { endpoint, waiting: [], underWay: 0, paused: false }
    this.#queues.set(endpoint, queue)
    return queue
  }

  /** After each change of a queue: it has a turn or none, and goes once nothing is left of it. */
  #update(queue: EndpointQueue): void {
    const isReady = queue.waiting.length > 0 && queue.underWay < this.#limits.atOnce && !queue.paused
    if (isReady) this.#turns.add(queue)
    else this.#turns.delete(queue)
    const isEmpty = queue.waiting.length === 0 && queue.underWay === 0 && !queue.paused
    if (isEmpty) this.#queues.delete(queue.endpoint)
  }
}
