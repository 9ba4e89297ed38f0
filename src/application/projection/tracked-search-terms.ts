// The search terms with the record of changes, for the service: answers that were made with the terms before are not
// given again, in this process or another.
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { SearchTerms } from '../ports/analytics.ts'

/** `changes` learns of terms that were made; the write of a filing records the parties that it adds. */
export function makeTrackedSearchTerms(terms: SearchTerms, changes: Pick<ChangeTracker, 'recordExtent'>): SearchTerms {
  return {
    exist: () => terms.exist(),
    make: async (signal) => {
      await terms.make(signal)
      changes.recordExtent('filings')
    },
    add: (change) => terms.add(change),
  }
}
