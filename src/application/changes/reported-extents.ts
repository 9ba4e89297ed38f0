// Changes that are reported by their extent instead of row by row: callers fetch again what is named.
import type { Cik } from '../../domain/shared/identifiers.ts'
import { monthsOf, type Quarter } from '../../domain/shared/quarter.ts'
import type { ChangeLog, ReportedChange } from '../ports/changes.ts'

/** Why much changed at once, or can't be reported row by row. */
type IssuersReason = 'sectors' | 'company_list' | 'old_filings' | 'recovered' | 'signals'

const MAX_ISSUERS = 1_000

/** Returns entries that name these issuers; none for none. */
export function reportedIssuers(reason: IssuersReason, issuers: Cik[]): ReportedChange[] {
  const reported: ReportedChange[] = []
  for (let from = 0; from < issuers.length; from += MAX_ISSUERS) {
    const issuerCiks = issuers.slice(from, from + MAX_ISSUERS)
    reported.push({ id: null, type: 'dataset.changed', issuerCiks, data: JSON.stringify({ reason, issuerCiks }) })
  }
  return reported
}

/** Returns the entry of loaded quarters. */
export function reportedQuarters(quarters: Quarter[]): ReportedChange[] {
  const periods = [...new Set(quarters.flatMap(monthsOf))].toSorted()
  return [{ id: null, type: 'dataset.changed', issuerCiks: null, data: JSON.stringify({ reason: 'quarter', periods }) }]
}

/** Returns the entry of a change of everything. */
export function reportedEverything(reason: 'rebuild' | 'restore'): ReportedChange[] {
  return [{ id: null, type: 'dataset.changed', issuerCiks: null, data: JSON.stringify({ reason }) }]
}

/**
 * Returns `work` so that its end is reported, also if it fails or the process is killed before. `reported` returns what
 * to report; `isChange` whether the result is one of a change.
 */
export function reporting<Asked extends unknown[], Result>(
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>,
  reported: (asked: NoInfer<Asked>[0]) => ReportedChange[],
  isChange: (result: Result) => boolean,
  work: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  return async (...asked) => {
    await log.recordPending(reported(asked[0]))
    let hasChanged = true
    try {
      const result = await work(...asked)
      hasChanged = isChange(result)
      return result
    } finally {
      await log.flushPending(hasChanged)
    }
  }
}
