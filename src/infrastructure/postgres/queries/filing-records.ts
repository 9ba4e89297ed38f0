// Queries of single filings in PostgreSQL: the document, or else the filing's entry in a data set, and the basis of
// filing times.
import type { FilingRecords, FilingRecord, RecordedFiling } from '../../../application/ports/filings.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import type { AccessionNumber, Cik } from '../../../domain/shared/identifiers.ts'
import { toDataSetFiling, type StoredFiling } from '../filings/data-set-registry.ts'
import { expanded } from '../filings/document-bytes.ts'
import { rows, type Pool } from '../pool.ts'

/** A filing with its document, compressed. */
interface StoredDocument {
  accession: AccessionNumber
  issuer_cik: Cik
  form: FormType
  document: Buffer
  source: string
  seen_at: number
  filed_at: number
  filed_basis: string
  pending: boolean
}

type FilingRow = (StoredDocument | { document: null; of_set: StoredFiling | null }) & { withdrawn_at: number | null }

// A bare document that was replaced leads to the full submission that replaced it.
const FIND = `SELECT requested.accession, filings.issuer_cik, filings.form, document, source, pending, filed_basis,
    floor(extract(epoch FROM first_seen_at))::bigint AS seen_at,
    extract(epoch FROM filings.filed_at)::bigint AS filed_at,
    CASE WHEN document IS NULL
      THEN (SELECT to_jsonb(data_set_filings) FROM data_set_filings WHERE accession = requested.accession)
    END AS of_set,
    (SELECT floor(extract(epoch FROM received_at))::bigint FROM withdrawals WHERE accession = requested.accession)
      AS withdrawn_at
  FROM (
    SELECT coalesce((SELECT replaced_by FROM filings WHERE accession = $1 AND status = 'replaced'), $1) AS accession
  ) AS requested
  LEFT JOIN filings ON filings.accession = requested.accession AND status IN ('recorded', 'projected')`

export class PostgresFilingRecords implements FilingRecords {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async find(accession: AccessionNumber): Promise<FilingRecord | null> {
    const [row] = await rows<FilingRow>(this.#pool, FIND, [accession])
    if (!row) return null
    const withdrawnAt = row.withdrawn_at
    if (row.document !== null) return { ...(await toRecordedFiling(row)), withdrawnAt }
    return row.of_set && { ...toDataSetFiling(row.of_set), withdrawnAt }
  }

  async timeBases(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, string>> {
    const bases = await rows<{ accession: AccessionNumber; basis: string }>(
      this.#pool,
      `SELECT accession, filed_basis AS basis
       FROM filings
       WHERE accession = ANY($1) AND filed_basis IS NOT NULL`,
      [accessions],
    )
    return new Map(bases.map(({ accession, basis }) => [accession, basis]))
  }
}

/** Rejects if the stored bytes are damaged. */
async function toRecordedFiling(row: StoredDocument): Promise<RecordedFiling> {
  return {
    accession: row.accession,
    issuerCik: row.issuer_cik,
    form: row.form,
    document: await expanded(row.document),
    source: row.source,
    seenAt: row.seen_at,
    filedAt: row.filed_at,
    filedBasis: row.filed_basis,
    pending: row.pending,
  }
}
