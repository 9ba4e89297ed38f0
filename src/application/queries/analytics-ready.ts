// The check that the analytics store is populated. While it is empty although there is a ledger to fill it from, as
// after a restore, its answers would be empty and look like any other; of another version, this one may not be able to
// read it.
import { ServiceError } from '../errors.ts'
import type { FilingLedger } from '../ports/filings.ts'
import type { Queries } from './queries.ts'
import type { StatusQueries } from './service-status.ts'
import type { DataSetRegistry } from '../ports/data-sets.ts'
import type { AnalyticsStore } from '../ports/analytics.ts'

/** Resolves to true from the first time that it is. */
export type IsPopulated = () => Promise<boolean>

export function makeIsPopulated(
  analytics: Pick<AnalyticsStore, 'isEmpty' | 'isReadable'>,
  ledger: FilingLedger,
  sets: DataSetRegistry,
): IsPopulated {
  let isPopulated = false
  return async () =>
    (isPopulated ||=
      (await analytics.isReadable()) && (!(await analytics.isEmpty()) || !(await isRecorded(ledger, sets))))
}

/** Returns whether there is anything that could be projected. */
export async function isRecorded(ledger: FilingLedger, sets: DataSetRegistry): Promise<boolean> {
  return (await ledger.hasProjected()) || (await sets.sets()).some(({ status }) => status === 'loaded')
}

/** Wraps the queries: they reject as `unavailable` until the store is populated, and say how far that is. */
export function requirePopulated(queries: Queries, isPopulated: IsPopulated, status: StatusQueries): Queries {
  const asks = Object.entries(queries) as [string, (...asked: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(
    asks.map(([name, ask]) => [
      name,
      async (...asked: unknown[]) => {
        if (!(await isPopulated())) throw await beingFilled(status)
        return ask(...asked)
      },
    ]),
  ) as unknown as Queries
}

async function beingFilled(status: StatusQueries): Promise<ServiceError> {
  const { done = 0, total } = (await status.status().catch(() => null))?.filling ?? {}
  const progress = total ? ` (${Math.floor((100 * done) / total)} %)` : ''
  const message = `The data is being loaded into ClickHouse${progress}; see filling in /v1/status`
  return new ServiceError('unavailable', message, undefined, { isForCallers: true })
}
