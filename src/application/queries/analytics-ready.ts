// While the analytics store is empty although there is a record to fill it from, as after a restore, an answer from it would
// be an empty one that looks like any other.
import { ServiceError } from '../errors.ts'
import type { Analytics, Ledger } from '../ports/filings.ts'
import type { Queries } from './queries.ts'
import type { SetLedger } from '../ports/data-sets.ts'

/** True from the first time on that it is. */
export type IsFilled = () => Promise<boolean>

export function filledAnalytics(analytics: Pick<Analytics, 'isEmpty'>, ledger: Ledger, sets: SetLedger): IsFilled {
  let isFilled = false
  return async () => (isFilled ||= !(await analytics.isEmpty()) || !(await isRecorded(ledger, sets)))
}

/** Whether there is anything that could be projected. */
export async function isRecorded(ledger: Ledger, sets: SetLedger): Promise<boolean> {
  return (await ledger.hasProjected()) || (await sets.sets()).some(({ status }) => status === 'loaded')
}

/** Rejects as `unavailable` until then. */
export function onceFilled(queries: Queries, isFilled: IsFilled): Queries {
  const asks = Object.entries(queries) as [string, (...asked: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(
    asks.map(([name, ask]) => [
      name,
      async (...asked: unknown[]) => {
        if (!(await isFilled())) throw new ServiceError('unavailable', 'ClickHouse is being filled from the record')
        return ask(...asked)
      },
    ]),
  ) as unknown as Queries
}
