// Dependences of answers: what each was made from, so that it is kept exactly as long as all of that stays as it is.
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'

/** A named part of the stored data. */
export type DataPart = `issuer:${Cik}` | `insider:${Cik}` | `symbol:${Ticker}` | 'signals' | 'search' | 'notices'

/** Everything an answer was made from. The SEC's company list and the sectors belong to every answer. */
export interface Dependence {
  parts: readonly DataPart[]
  /** False where nothing that filings say was read, as of the rules in use. */
  readsFilings?: false
  /** Filing times of the feed's rows, in seconds since 1970, both inclusive; absent where the feed was not read. */
  feed?: { from: number; to: number }
  /** The instant, in milliseconds since 1970, from which the passing of time alone makes another answer. */
  until?: number
}

const dependences = new WeakMap<object, Dependence>()

/** Returns `result`, remembered as made from `dependence`. */
export function madeFrom<T extends object>(result: T, dependence: Dependence): T {
  dependences.set(result, dependence)
  return result
}

/** Returns what `result` was made from, undefined if none was recorded: such a result must not be kept. */
export function dependenceOf(result: object): Dependence | undefined {
  return dependences.get(result)
}
