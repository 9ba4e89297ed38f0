// The rows of the table `balances`: the evidence of positions, one row for each filing.
import type { DataSetFiling } from '../../../application/ports/data-sets.ts'
import type { EntryKey, StoredEvidence, WithdrawnOfSet } from '../../../application/ports/analytics.ts'
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import type { InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'

export function balanceRow({ evidence, isEstimated, withdrawnAt }: StoredEvidence, version: number): InsertRow {
  return {
    issuer_cik: cikNumber(evidence.issuerCik),
    accession: evidence.accession,
    filed_at: evidence.filedAt,
    owner_ciks: evidence.owners.map(({ cik }) => cikNumber(cik)),
    owner_names: evidence.owners.map(({ name }) => name),
    period: evidence.period ?? '',
    exit: evidence.exit,
    estimated: isEstimated,
    withdrawn_at: withdrawnAt ?? 0,
    content: JSON.stringify(evidence),
    version,
    deleted: 0,
  }
}

export const goneBalanceRow = (
  { accession, issuerCik }: Pick<EntryKey | DataSetFiling, 'accession' | 'issuerCik'>,
  version: number,
): InsertRow => ({ issuer_cik: cikNumber(issuerCik), accession, version, deleted: 1 })

/** Writes the rows of filings again, as withdrawn. */
export function withdrawnBalancesSql(filings: WithdrawnOfSet[], version: number): Sql {
  const accessions = filings.map(({ accession }) => accession)
  const times = filings.map(({ accession, withdrawnAt }) => sql`(accession = ${accession}) * ${withdrawnAt}`.text)
  return sql`
    INSERT INTO balances
    SELECT * REPLACE (
      toDateTime(${new Sql(times.join(' + '))}, 'UTC') AS withdrawn_at, ${version} AS version
    )
    FROM balances FINAL
    WHERE issuer_cik IN ${filings.map(({ issuerCik }) => cikNumber(issuerCik))} AND accession IN ${accessions}`
}
