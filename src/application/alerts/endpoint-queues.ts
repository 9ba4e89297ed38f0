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

export interface EndpointQueues {
  /**
   * False where the entry has no use any more: the delivery is known by another entry, or there is no room. What finds no
   * room is left to the sweep, which publishes it again half a minute later.
   */
  add(item: StreamItem & { entry?: string }): boolean
  /** How many more may be known. */
  room(): number
  /** Known and not forgotten. */
  size(): number
  /** The next ones, a turn for each address; they are under way from now on. */
  next(most: number): QueuedDelivery[]
  /** No longer under way; still known. */
  ended(queued: QueuedDelivery): void
  forget(queued: QueuedDelivery): void
  /** Back to where they were before `next`. */
  requeue(allQueued: QueuedDelivery[]): void
  /** Nothing more goes to that address until it is drained. */
  pause(endpoint: string): void
  /** Forgets what waits for that address, or for any, and returns it. */
  drain(endpoint?: string): QueuedDelivery[]
}

export function makeEndpointQueues({ all, perEndpoint, atOnce }: QueueLimits): EndpointQueues {
  const known = new Map<string, QueuedDelivery>()
  const queues = new Map<string, EndpointQueue>()
  /** Those that may give one, in the order of their turns. */
  const turns = new Set<EndpointQueue>()

  const queueOf = (endpoint: string): EndpointQueue => {
    const queue = queues.get(endpoint) ?? { endpoint, waiting: [], underWay: 0, paused: false }
    queues.set(endpoint, queue)
    return queue
  }
  /** After each change of a lane. */
  const judge = (queue: EndpointQueue) => {
    if (queue.waiting.length > 0 && queue.underWay < atOnce && !queue.paused) turns.add(queue)
    else turns.delete(queue)
    if (queue.waiting.length === 0 && queue.underWay === 0 && !queue.paused) queues.delete(queue.endpoint)
  }
  const drain = (endpoint: string): QueuedDelivery[] => {
    const queue = queues.get(endpoint)
    if (!queue) return []
    const drained = queue.waiting
    queue.waiting = []
    queue.paused = false
    judge(queue)
    for (const queued of drained) known.delete(queued.deliveryId)
    return drained
  }
  return {
    add: ({ deliveryId, endpoint, entry }) => {
      const present = known.get(deliveryId)
      // An entry of ours comes again where it waited here for so long that we claimed it from ourselves.
      if (present) return entry !== undefined && present.entries.includes(entry)
      const queue = queueOf(endpoint)
      if (known.size >= all || queue.waiting.length >= perEndpoint) {
        judge(queue)
        return false
      }
      const queued = { deliveryId, endpoint, entries: entry === undefined ? [] : [entry] }
      known.set(deliveryId, queued)
      queue.waiting.push(queued)
      judge(queue)
      return true
    },
    room: () => Math.max(0, all - known.size),
    size: () => known.size,
    next: (most) => {
      const taken: QueuedDelivery[] = []
      while (taken.length < most) {
        const [queue] = turns
        if (!queue) break
        turns.delete(queue)
        taken.push(queue.waiting.shift()!)
        queue.underWay += 1
        judge(queue)
      }
      return taken
    },
    ended: ({ endpoint }) => {
      const queue = queueOf(endpoint)
      queue.underWay -= 1
      judge(queue)
    },
    forget: ({ deliveryId }) => known.delete(deliveryId),
    requeue: (allQueued) => {
      for (const queued of allQueued.toReversed()) {
        const queue = queueOf(queued.endpoint)
        queue.underWay -= 1
        queue.waiting.unshift(queued)
        judge(queue)
      }
    },
    pause: (endpoint) => {
      const queue = queueOf(endpoint)
      queue.paused = true
      judge(queue)
    },
    drain: (endpoint) => (endpoint !== undefined ? drain(endpoint) : [...queues.keys()].flatMap(drain)),
  }
}
