// Documents as rows of the table `filings`, and the statement that writes them.
import type { IncomingDocument } from '../../../application/ports/filings.ts'
import { storableText, type Prepared } from '../pool.ts'
import { compressed } from './document-bytes.ts'
import { sha256 } from './document-precedence.ts'

export type DocumentRecord = Record<string, unknown>

// The batch is one JSON parameter: with a statement per row, round trips would limit recording.
export const UPSERT_FILINGS: Prepared = {
  name: 'upsert filings',
  text: `INSERT INTO filings (
    accession, status, pending, reason, kind, form, issuer_cik, owner_ciks, period,
    accepted_at, filed_at, filed_basis, transactions, content_hash, sha256, bytes, document, source, first_seen_at)
  SELECT
    accession, status, pending, reason, kind, form, issuer_cik, owner_ciks, period,
    accepted_at, filed_at, filed_basis, transactions, decode(content_hash, 'hex'), decode(sha256, 'hex'),
    bytes, decode(document, 'base64'), source, first_seen_at
  FROM jsonb_to_recordset($1::jsonb) AS incoming (
    accession text, status text, pending boolean, reason text, kind text, form text, issuer_cik text,
    owner_ciks text[], period text, accepted_at timestamptz, filed_at timestamptz, filed_basis text,
    transactions integer, content_hash text, sha256 text, bytes integer, document text, source text,
    first_seen_at timestamptz)
  ON CONFLICT (accession) DO UPDATE
    SET status = excluded.status,
      pending = excluded.pending,
      reason = excluded.reason,
      kind = excluded.kind,
      form = excluded.form,
      issuer_cik = excluded.issuer_cik,
      owner_ciks = excluded.owner_ciks,
      period = excluded.period,
      accepted_at = excluded.accepted_at,
      filed_at = excluded.filed_at,
      filed_basis = excluded.filed_basis,
      transactions = excluded.transactions,
      content_hash = excluded.content_hash,
      sha256 = excluded.sha256,
      bytes = excluded.bytes,
      document = excluded.document,
      source = excluded.source,
      recorded_at = now(),
      projected_at = NULL`,
}

/** Returns the row of a document. */
export async function toRecord({
  accession,
  content,
  bytes,
  source,
  firstSeenAt,
}: IncomingDocument): Promise<DocumentRecord> {
  const facts = 'facts' in content ? content.facts : null
  return {
    accession,
    status: facts ? 'recorded' : 'rejected',
    pending: facts !== null,
    reason: 'reason' in content ? storableText(content.reason) : null,
    kind: facts?.kind ?? null,
    form: facts?.form ?? null,
    issuer_cik: facts?.issuerCik ?? null,
    owner_ciks: facts?.ownerCiks ?? [],
    period: facts?.period ?? null,
    accepted_at: facts?.acceptedAt ?? null,
    filed_at: facts?.filedAt ?? null,
    filed_basis: facts?.filedBasis ?? null,
    transactions: facts?.transactions ?? 0,
    content_hash: facts && sha256(facts.contentKey).toString('hex'),
    sha256: sha256(bytes).toString('hex'),
    bytes: bytes.length,
    document: (await compressed(bytes)).toString('base64'),
    source: storableText(source),
    first_seen_at: firstSeenAt,
  }
}
