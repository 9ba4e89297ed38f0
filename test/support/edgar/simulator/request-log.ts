// Every request with its time, and the SEC's limit of 10 a second. Times are the machine's, not the simulated clock's:
// the limit protects a real server from a real client.
import type { FaultKind } from './faults.ts'

export interface LoggedRequest {
  /** Milliseconds since 1970, monotonic, with fractions. */
  at: number
  /** The simulated clock at that moment. */
  clock: number
  method: string
  /** With the query. */
  path: string
  userAgent: string
  /** 0 where the connection was reset. */
  status: number
  /** What was given instead of an answer, or with it; `rate` and `agent` are the server's own refusals. */
  fault: FaultKind | 'rate' | 'agent' | null
}

export interface RateLimit {
  /** Requests in any second that are still answered. Default 10; null for no limit. */
  most?: number | null
  /** How long all is refused after it was passed. Ten minutes at the SEC. */
  blockedMilliseconds?: number
}

export interface RequestLog {
  add: (request: LoggedRequest) => void
  all: () => LoggedRequest[]
  /** Whether a request at `at`, already added, is over the limit or comes while the client is shut out. */
  isRefused: (at: number) => boolean
  perSecond: () => Map<number, number>
  mostInAnySecond: () => number
}

/** A demonstration runs for days; older entries than these are dropped, half of them at a time. */
const MAX_KEPT = 200_000

export function monotonicNow(): number {
  return performance.timeOrigin + performance.now()
}

export function requestLog({ most = 10, blockedMilliseconds = 600_000 }: RateLimit = {}): RequestLog {
  const kept: LoggedRequest[] = []
  let blockedUntil = -Infinity
  return {
    add: (request) => {
      if (kept.length >= MAX_KEPT) kept.splice(0, MAX_KEPT / 2)
      kept.push(request)
    },
    all: () => [...kept],
    isRefused: (at) => {
      if (most === null) return false
      const first = kept.at(-most - 1)
      if (first && at - first.at < 1000) blockedUntil = at + blockedMilliseconds
      return at < blockedUntil
    },
    perSecond: () => {
      const counts = new Map<number, number>()
      for (const { at } of kept) counts.set(Math.floor(at / 1000), (counts.get(Math.floor(at / 1000)) ?? 0) + 1)
      return counts
    },
    mostInAnySecond: () => {
      let first = 0
      return kept.reduce((most, { at }, index) => {
        while (at - kept[first]!.at >= 1000) first += 1
        return Math.max(most, index - first + 1)
      }, 0)
    },
  }
}
