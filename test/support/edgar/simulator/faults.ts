// What can go wrong with an answer, by script (the next n requests) or by chance (a share of them, drawn by seed).
import { seeded, shareOf } from '../invented/seeded.ts'

export type FaultKind =
  /** 403 of the object store, which is also how it says that there is nothing. */
  | 'forbidden'
  /** 403 with the page on request rates. */
  | 'blocked'
  /** 429 with Retry-After. */
  | 'too-many'
  /** 503 with an HTML page. */
  | 'unavailable'
  /** An HTML page with status 200. */
  | 'page'
  /** 404, though the document is there. */
  | 'missing'
  /** Content-Length says more than comes, then the connection ends. */
  | 'cut'
  /** Less comes and Content-Length agrees: only the missing end shows it. */
  | 'cut-silently'
  /** The connection is reset before any answer. */
  | 'reset'
  /** The right answer, late. */
  | 'slow'
  /** The feed with entries that stand there twice and push others to the next page. */
  | 'repeated'

export interface FaultOptions {
  /** Requests whose path with query matches. Default: all; documents for `missing` and `cut-silently`. */
  of?: RegExp
  /** `slow`: how late. Default 300. */
  milliseconds?: number
  /** `too-many`: Retry-After in seconds. Default 1. */
  retryAfter?: number
}

export interface Fault extends FaultOptions {
  kind: FaultKind
}

export interface Faults {
  /** The next `times` requests it fits. Scripts come before chance, first in first out. */
  next: (kind: FaultKind, times?: number, options?: FaultOptions) => void
  /** A share (0 to 1) of the requests it fits, from now on; 0 ends it. */
  some: (kind: FaultKind, share: number, options?: FaultOptions) => void
  /** For a share of the filings the feed is ahead of the archive: 404 for so many seconds of the simulated clock. */
  lag: (share: number, seconds: number) => void
  /** A share of the filings is listed in feed and index, and their documents are 404 permanently. */
  remove: (share: number) => void
  clear: () => void
  /** How often each was given; scripts that wait are not counted. */
  given: () => Partial<Record<FaultKind, number>>
}

export interface FaultDice extends Faults {
  draw: (path: string) => Fault | null
  /** Seconds by which the archive is behind; Infinity for what is never there. */
  lagOf: (accession: string) => number
}

const FEED = /\/browse-edgar\b/
const DOCUMENT = /^\/Archives\/edgar\/data\//

export function faultDice(seed: number): FaultDice {
  let chance = seeded(seed)
  let scripts: (Fault & { left: number })[] = []
  let shares: (Fault & { share: number })[] = []
  let late = { share: 0, seconds: 0 }
  let removed = 0
  const given: Partial<Record<FaultKind, number>> = {}
  const scripted = (path: string): Fault | null => {
    const found = scripts.find((each) => fits(each, path)) ?? null
    if (found && --found.left === 0) scripts = scripts.filter((each) => each !== found)
    return found
  }
  return {
    next: (kind, times = 1, options = {}) => {
      if (times > 0) scripts.push({ kind, left: times, ...options })
    },
    some: (kind, share, options = {}) => {
      shares = [
        ...shares.filter((each) => each.kind !== kind || String(each.of) !== String(options.of)),
        ...(share > 0 ? [{ kind, share, ...options }] : []),
      ]
    },
    lag: (share, seconds) => {
      late = { share, seconds }
    },
    remove: (share) => {
      removed = share
    },
    clear: () => {
      chance = seeded(seed)
      scripts = []
      shares = []
      late = { share: 0, seconds: 0 }
      removed = 0
    },
    given: () => ({ ...given }),
    draw: (path) => {
      const fault =
        scripted(path) ?? shares.filter((each) => fits(each, path)).find((each) => chance() < each.share) ?? null
      if (fault) given[fault.kind] = (given[fault.kind] ?? 0) + 1
      return fault
    },
    lagOf: (accession) => {
      if (shareOf(seed, 'removed', accession) < removed) return Infinity
      return shareOf(seed, 'late', accession) < late.share ? late.seconds : 0
    },
  }
}

function fits({ kind, of }: Fault, path: string): boolean {
  if (kind === 'repeated' && !FEED.test(path)) return false
  const usual = kind === 'missing' || kind === 'cut-silently' ? DOCUMENT : /^/
  return (of ?? usual).test(path)
}
