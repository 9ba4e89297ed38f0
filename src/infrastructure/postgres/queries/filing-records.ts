// The queries of filings in the record: a document, or what a data set has of it, and what filing times are based on.
import type { FilingRecords, FoundFiling, RecordedFiling } from '../../../application/ports/filings.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import type { AccessionNumber, Cik } from '../../../domain/shared/identifiers.ts'
import { toDataSetFiling, type StoredFiling } from '../filings/data-set-registry.ts'
import { expanded } from '../filings/document-bytes.ts'
import { rows, type Pool } from '../pool.ts'

/** A filing with its document, compressed. */
export interface StoredDocument {
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

type FoundRow = (StoredDocument | { document: null; of_set: StoredFiling | null }) & { withdrawn_at: number | null }

// A bare document that its full submission replaced leads to that one.
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

  async find(accession: AccessionNumber): Promise<FoundFiling | null> {
    const [found] = await rows<FoundRow>(this.#pool, FIND, [accession])
    if (!found) return null
    const withdrawnAt = found.withdrawn_at
    if (found.document !== null) return { ...(await toRecordedFiling(found)), withdrawnAt }
    return found.of_set && { ...toDataSetFiling(found.of_set), withdrawnAt }
  }

  async timeBases(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, string>> {
    const found = await rows<{ accession: AccessionNumber; basis: string }>(
      this.#pool,
      `SELECT accession, filed_basis AS basis
       FROM filings
       WHERE accession = ANY($1) AND filed_basis IS NOT NULL`,
      [accessions],
    )
    return new Map(found.map(({ accession, basis }) => [accession, basis]))
  }
}

/** Rejects if the stored bytes are damaged. */
export async function toRecordedFiling({ document, ...found }: StoredDocument): Promise<RecordedFiling> {
  return {
    accession: found.accession,
    issuerCik: found.issuer_cik,
    form: found.form,
    document: await expanded(document),
    source: found.source,
    seenAt: found.seen_at,
    filedAt: found.filed_at,
    filedBasis: found.filed_basis,
    pending: found.pending,
  }
}
