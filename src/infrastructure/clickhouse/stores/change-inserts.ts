// The rows of a change and of the trades that signals mark, as the bytes of inserts; and the filings that are compared
// with derived ones. Pure, and computed beside what the service answers.
import { scopeOfFilings } from '../../../application/changes/change-scope.ts'
import type { AnalyticsChange, ChangeInserts, StagedInserts } from '../../../application/ports/analytics.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { RelatedFiling } from '../../../domain/trades/reconciliation/related-filing.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import { parseRows } from '../connection/answer-shape.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { changeRows, markedRows, type ChangeRows, type TableRows } from './change-rows.ts'
import { listsOfChange } from './parties.ts'
import { tableInserts } from './table-inserts.ts'

export const changeInserts = (change: AnalyticsChange, version: number): ChangeInserts => ({
  ...stagedInserts(changeRows(change, version)),
  version,
  withdrawn: change.withdrawn ?? [],
  lists: [...listsOfChange(change)],
  scope: scopeOfFilings(change),
  filings: change.entries.length + change.goneEntries.length,
})

export const markedInserts = (trades: readonly Trade[], version: number): StagedInserts =>
  stagedInserts(markedRows(trades, version))

const stagedInserts = ({ shown, beside, last }: ChangeRows): StagedInserts => ({
  shown: insertsOf(shown),
  beside: insertsOf(beside),
  last: insertsOf(last),
})

const insertsOf = (tables: TableRows) => Object.entries(tables).map(([table, rows]) => tableInserts(table, rows))

/** Selects the filings of these issuers that the reconciliation of trades can need beside them. */
export const relatedFilingsSql = (issuers: Cik[]): Sql => sql`
  SELECT
    accession, key AS issuerCik, form, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners,
    original_date AS originalDate, period, amendment_words AS amendmentWords
  FROM directory FINAL
  WHERE kind = 'issuer' AND key IN ${issuers} AND (length(owner_ciks) > 1 OR notEmpty(amendment_words))`

type RelatedRow = [
  accession: AccessionNumber,
  issuerCik: Cik,
  form: RelatedFiling['form'],
  filedAt: number,
  owners: number[],
  originalDate: string,
  period: string,
  amendmentWords: RelatedFiling['amendmentWords'],
]

export function relatedFilings(stored: Uint8Array): RelatedFiling[] {
  return parseRows<RelatedRow>(stored).map(
    ([accession, issuerCik, form, filedAt, owners, originalDate, period, amendmentWords]) => ({
      ...{ accession, issuerCik, form, filedAt, amendmentWords },
      ownerCiks: owners.map(cikOf),
      originalDate: originalDate || null,
      period: period || null,
    }),
  )
}
