// The download of a quarter's data set, to where it is stored.
import type { Quarter } from '../../domain/shared/quarter.ts'
import type { FetchResult } from '../ports/filings.ts'
import type { FetchQuarter } from './load-quarters.ts'

/** Each try costs little: one download of some 10 MB. */
const MAX_TRIES = 4

export function makeFetchQuarter(
  source: {
    dataSet(quarter: Quarter, path: string, onBytes?: undefined, signal?: AbortSignal): Promise<FetchResult<unknown>>
  },
  dataSets: { pathOf(quarter: Quarter): Promise<string> },
): FetchQuarter {
  return async (quarter, signal) => {
    const path = await dataSets.pathOf(quarter)
    for (let tries = 1; ; tries += 1) {
      const answer = await source.dataSet(quarter, path, undefined, signal)
      if (answer.kind === 'ok' || answer.kind === 'missing' || tries === MAX_TRIES) return answer
    }
  }
}
