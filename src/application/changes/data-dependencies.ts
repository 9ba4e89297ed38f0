// The dependencies of answers: the parts of the stored data that an answer was made from. The answer stays in memory
// until one of them changes.
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'

/** A named part of the stored data. */
export type DataPart = `issuer:${Cik}` | `insider:${Cik}` | `symbol:${Ticker}` | 'signals' | 'search' | 'notices'

/** Everything that an answer was made from. All answers depend on the SEC's company list and the sectors besides. */
export interface DataDependencies {
  parts: readonly DataPart[]
  /** False if the answer has nothing from filings, such as one about the rules in use. */
  readsFilings?: false
  /** Filing times of the feed's rows, in seconds since 1970, both inclusive; absent where the feed was not read. */
  feed?: { from: number; to: number }
  /** The instant, in milliseconds since 1970, from which the passing of time alone makes another answer. */
  until?: number
}

const dependenciesByResult = new WeakMap<object, DataDependencies>()

/** Remembers what `result` was made from. Returns `result`. */
export function withDependencies<T extends object>(result: T, dependencies: DataDependencies): T {
  dependenciesByResult.set(result, dependencies)
  return result
}

/** Returns what `result` was made from; undefined if that is not recorded: such a result must not stay in memory. */
export function dependenciesOf(result: object): DataDependencies | undefined {
  return dependenciesByResult.get(result)
}
