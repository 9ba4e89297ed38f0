// Deliveries that wait in this process, a queue for each address: one that is slow or dead keeps nobody but itself
// waiting. The queues take turns, and each has a limited number under way.
import type { StreamItem } from '../ports/alerts.ts'

export interface LaneLimits {
  /** Deliveries known at once; 10,000 of them are some 5 MB. */
  all: number
  perEndpoint: number
  /** Under way at one address. */
  atOnce: number
}

/** A delivery in this process, with the entries of the stream that are done once it is. */
export interface Held extends StreamItem {
  entries: string[]
}

interface Lane {
  endpoint: string
  waiting: Held[]
  underWay: number
  /** Something failed there, and it has not been recorded yet. */
  paused: boolean
}

export interface DeliveryLanes {
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
  next(most: number): Held[]
  /** No longer under way; still known. */
  ended(held: Held): void
  forget(held: Held): void
  /** Back to where they were before `next`. */
  putBack(helds: Held[]): void
  /** Nothing more goes to that address until it is drained. */
  pause(endpoint: string): void
  /** Forgets what waits for that address, or for any, and returns it. */
  drain(endpoint?: string): Held[]
}

export function deliveryLanes({ all, perEndpoint, atOnce }: LaneLimits): DeliveryLanes {
  const known = new Map<string, Held>()
  const lanes = new Map<string, Lane>()
  /** Those that may give one, in the order of their turns. */
  const turns = new Set<Lane>()

  const laneOf = (endpoint: string): Lane => {
    const lane = lanes.get(endpoint) ?? { endpoint, waiting: [], underWay: 0, paused: false }
    lanes.set(endpoint, lane)
    return lane
  }
  /** After each change of a lane. */
  const judge = (lane: Lane) => {
    if (lane.waiting.length > 0 && lane.underWay < atOnce && !lane.paused) turns.add(lane)
    else turns.delete(lane)
    if (lane.waiting.length === 0 && lane.underWay === 0 && !lane.paused) lanes.delete(lane.endpoint)
  }
  const drain = (endpoint: string): Held[] => {
    const lane = lanes.get(endpoint)
    if (!lane) return []
    const drained = lane.waiting
    lane.waiting = []
    lane.paused = false
    judge(lane)
    for (const held of drained) known.delete(held.deliveryId)
    return drained
  }
  return {
    add: ({ deliveryId, endpoint, entry }) => {
      const present = known.get(deliveryId)
      // An entry of ours comes again where it waited here for so long that we claimed it from ourselves.
      if (present) return entry !== undefined && present.entries.includes(entry)
      const lane = laneOf(endpoint)
      if (known.size >= all || lane.waiting.length >= perEndpoint) {
        judge(lane)
        return false
      }
      const held = { deliveryId, endpoint, entries: entry === undefined ? [] : [entry] }
      known.set(deliveryId, held)
      lane.waiting.push(held)
      judge(lane)
      return true
    },
    room: () => Math.max(0, all - known.size),
    size: () => known.size,
    next: (most) => {
      const taken: Held[] = []
      while (taken.length < most) {
        const [lane] = turns
        if (!lane) break
        turns.delete(lane)
        taken.push(lane.waiting.shift()!)
        lane.underWay += 1
        judge(lane)
      }
      return taken
    },
    ended: ({ endpoint }) => {
      const lane = laneOf(endpoint)
      lane.underWay -= 1
      judge(lane)
    },
    forget: ({ deliveryId }) => known.delete(deliveryId),
    putBack: (helds) => {
      for (const held of helds.toReversed()) {
        const lane = laneOf(held.endpoint)
        lane.underWay -= 1
        lane.waiting.unshift(held)
        judge(lane)
      }
    },
    pause: (endpoint) => {
      const lane = laneOf(endpoint)
      lane.paused = true
      judge(lane)
    },
    drain: (endpoint) => (endpoint !== undefined ? drain(endpoint) : [...lanes.keys()].flatMap(drain)),
  }
}
