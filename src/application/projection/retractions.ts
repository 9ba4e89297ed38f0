// Retractions: the rows to remove of filings that came with a data set.
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsChange } from '../ports/analytics.ts'

/** Returns the rows to remove of filings that a data set no longer has, or that their own documents replace. */
export const retractionsOf = (filings: DataSetFiling[]): AnalyticsChange => ({
  trades: [],
  entries: [],
  goneTrades: filings.flatMap((filing) => filing.places.map((place) => ({ ...filing, place }))),
  goneEntries: filings,
  goneDetails: filings,
})
