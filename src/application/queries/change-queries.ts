// The queries of the log of changes.
import type { components } from '../../contract.ts'
import type { Sector } from '../../domain/filings/sector.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Severity } from '../../domain/trades/significance.ts'
import type { TransactionFilter } from '../../domain/trades/transaction-filter.ts'
import type { JsonText } from './json-text.ts'

type Schemas = components['schemas']
export type ChangeType = Schemas['ChangeType']

/** Which changes are asked for; each condition that is left out lets all pass. */
export interface ChangeFilter {
  types?: ChangeType[]
  /** Changes that name no issuers pass. */
  issuers?: Cik[]
  /** Of the issuers, as they are when the change is looked at. Changes that name no issuers pass. */
  sectors?: Sector[]
  /** Of transactions those in whose profiles they count, of signals their persons. */
  insiders?: Cik[]
  /** Changes of transactions pass where one of them meets this; others pass. */
  transactions?: TransactionFilter
  /** Of signals. */
  minSeverity?: Severity
}

export interface ChangeQueries {
  /**
   * Returns changes after a position, oldest first; `earliest` is before all that are kept, none is the present
   * position. Throws `cursor_expired` for a position before those, `invalid_cursor` for one that was never given.
   */
  changes(ask: ChangeFilter & { after?: number | 'earliest'; limit: number }): Promise<JsonText<Schemas['ChangePage']>>
}
