// Entries of the log that report a change by its extent instead of row by row: callers fetch again what an entry names.
import type { Cik } from '../../domain/shared/identifiers.ts'
import { monthsOf, type Quarter } from '../../domain/shared/quarter.ts'
import type { ChangeLog, ReportedChange } from '../ports/changes.ts'

/** Why so much changed at once that it is not reported row by row. */
type IssuersReason = 'sectors' | 'company_list' | 'old_filings' | 'recovered' | 'signals'

const MAX_ISSUERS = 1_000

/** Returns entries that name these issuers; an empty list if there are none. */
export function reportedIssuers(reason: IssuersReason, issuers: Cik[]): ReportedChange[] {
  const reported: ReportedChange[] = []
  for (let from = 0; from < issuers.length; from += MAX_ISSUERS) {
    const issuerCiks = issuers.slice(from, from + MAX_ISSUERS)
    reported.push({ id: null, type: 'dataset.changed', issuerCiks, data: JSON.stringify({ reason, issuerCiks }) })
  }
  return reported
}

/** Returns the entry that reports loaded quarters by their months. */
export function reportedQuarters(quarters: Quarter[]): ReportedChange[] {
  const periods = [...new Set(quarters.flatMap(monthsOf))].toSorted()
  return [{ id: null, type: 'dataset.changed', issuerCiks: null, data: JSON.stringify({ reason: 'quarter', periods }) }]
}

/** Returns the entry that reports a change of everything. */
export function reportedEverything(reason: 'rebuild' | 'restore'): ReportedChange[] {
  return [{ id: null, type: 'dataset.changed', issuerCiks: null, data: JSON.stringify({ reason }) }]
}

/**
 * Runs `work`. The log gets the entries when it ends, even if it fails or the process is killed before, unless
 * `isChange` tells that its result needs none.
 */
export async function reporting<Result>(
  log: Pick<ChangeLog, 'recordPending' | 'flushPending'>,
  entries: ReportedChange[],
  work: () => Promise<Result>,
  isChange: (result: Result) => boolean = () => true,
): Promise<Result> {
  await log.recordPending(entries)
  let hasChanged = true
  try {
    const result = await work()
    hasChanged = isChange(result)
    return result
  } finally {
    await log.flushPending(hasChanged)
  }
}
