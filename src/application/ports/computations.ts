// The port of long computations by the rules of the domain, which are done beside what the service answers meanwhile.

import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { InsiderHoldings } from '../queries/position-answer.ts'

/** Who waits for a computation; none of these waits for one of another. */
export type Urgency = 'live' | 'history' | 'caller'

/**
 * The computations by name: plain functions of one input. Input and result are copied, so they hold plain values and
 * bytes only.
 */
export interface Computations {
  /** Returns what an insider holds, by company. */
  insiderHoldings(asked: EvidenceRows & { cik: Cik }): {
    /** The insider's name in the newest of their filings; null if there is none. */
    name: string | null
    /** Whether all filings of the insider were used. */
    complete: boolean
    holdings: InsiderHoldings[]
  }
  /** Returns who holds how much of each class of a company, `limit` holders of each. */
  companyHolders(asked: EvidenceRows & { limit: number }): {
    /** The company as its newest filings name it; null if there is none. */
    filed: { name: string; symbols: Ticker[] } | null
    /** Whether all filings of the company were used. */
    complete: boolean
    /** The `classes` of CompanyHolders, as JSON. */
    classes: string
  }
}

/** Evidence of positions, and the instant of the answer, in seconds since 1970: now, unless `asOf` is given. */
export interface EvidenceRows {
  /** What a store returned, the newest filing first. */
  rows: Uint8Array
  asOf: number | undefined
  now: number
}

/**
 * Does a computation; those of one urgency are done one after the other. Rejects with the error that it throws, with
 * the signal's reason if it had not begun by then, and with another error if it can't be done, such as for want of
 * memory.
 */
export type Compute<Known = Computations> = <Name extends keyof Known>(
  urgency: Urgency,
  name: Name,
  input: Known[Name] extends (input: infer Input) => unknown ? Input : never,
  signal?: AbortSignal,
) => Promise<Known[Name] extends (input: never) => infer Result ? Result : never>
