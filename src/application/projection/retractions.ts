// Retractions: rows to remove for filings that a data set gave.
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsChange } from '../ports/analytics.ts'

/** Returns the rows to retract for filings a data set no longer contains, or that their own documents replace. */
export const retractionsOf = (filings: DataSetFiling[]): AnalyticsChange => ({
  trades: [],
  entries: [],
  goneTrades: filings.flatMap((filing) => filing.places.map((place) => ({ ...filing, place }))),
  goneEntries: filings,
  goneDetails: filings,
})
