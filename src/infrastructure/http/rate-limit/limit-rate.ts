// Rate limit: how many requests a key, or an address without one, may make. Off unless set. Counted in fixed windows.
// Headers follow the draft "RateLimit header fields for HTTP" (11): the policy by name, what is left and for how long.
import type { RequestHandler } from 'express'
import { ServiceError } from '../../../application/errors.ts'
import { countedCaller } from '../middleware/client-address.ts'
import { RequestCount } from './request-count.ts'
import { sharedTotals, type Total } from './shared-totals.ts'

export interface RateLimit {
  requests: number
  seconds: number
}

const FORM = /^([1-9][0-9]{0,8})\/(s(?:ec(?:ond)?)?|m(?:in(?:ute)?)?|h(?:r|our)?)$/
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 }

/** Parses `600/min` and the like (s, sec, second, m, min, minute, h, hr, hour). Null for anything else. */
export function parseRateLimit(text: string): RateLimit | null {
  const match = FORM.exec(text.trim().toLowerCase())
  const seconds = match && SECONDS[match[2]!.charAt(0)]
  return match && seconds ? { requests: Number(match[1]), seconds } : null
}

/** What the count says of a request: the headers of its answer, and whether it is one too many. */
export interface Counted {
  headers: Record<string, string>
  refused: boolean
}

/**
 * Counts a request of this key, or of what `countedCaller` says of its caller where there is none; null where nothing
 * is counted.
 */
export type CountRequest = (caller: {
  keyId: string | undefined
  address: string | null
}) => Promise<Counted> | Counted | null

export const RATE_LIMITED = new ServiceError('rate_limited', 'Too many requests; retry after Retry-After seconds')

/**
 * Returns what counts requests under `/v1`. `redis` is a connected node-redis client in which all processes count
 * together; while it is away, or takes longer than `maxWaitMs`, each counts on its own, as this process does without
 * Redis.
 */
export function requestCounter(limit: RateLimit, redis?: object, maxWaitMs?: number): CountRequest {
  const requests = new RequestCount(limit, redis && sharedTotals(limit, redis), maxWaitMs)
  const counted = countedBy(limit)
  const count = (name: string) => {
    const state = requests.count(name)
    return state instanceof Promise ? state.then(counted) : counted(state)
  }
  return ({ keyId, address }) => {
    if (keyId !== undefined) return count(`key:${keyId}`)
    return address === null ? null : count(`address:${address}`)
  }
}

function countedBy({ requests, seconds }: RateLimit): (state: Total) => Counted {
  const policy = `"default";q=${requests};w=${seconds}`
  return ({ total, msBeforeEnd }) => {
    const left = Math.max(0, requests - total)
    const reset = Math.max(1, Math.ceil(msBeforeEnd / 1_000))
    const headers = { 'RateLimit-Policy': policy, RateLimit: `"default";r=${left};t=${reset}` }
    const refused = total > requests
    return refused ? { headers: { ...headers, 'Retry-After': String(reset) }, refused } : { headers, refused }
  }
}

/** Refuses with `rate_limited` what `count` finds too much, behind `proxies`. Outside `/v1` nothing is counted. */
export function limitRate(count: CountRequest, proxies: number): RequestHandler {
  return (request, _response, next) => {
    const { keyId, target, headers } = request.context
    const counting = target?.path.startsWith('/v1/') ? count({ keyId, address: countedCaller(request, proxies) }) : null
    if (counting === null) return next()
    const settle = (counted: Counted) => {
      Object.assign(headers, counted.headers)
      if (counted.refused) throw RATE_LIMITED
      next()
    }
    return counting instanceof Promise ? counting.then(settle) : settle(counting)
  }
}
