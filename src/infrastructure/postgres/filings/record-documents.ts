// Records documents in the ledger: plans what a batch changes, and writes it.
import type { IncomingDocument, RecordOutcome } from '../../../application/ports/filings.ts'
import { compressed } from './document-bytes.ts'
import { planRecording, sha256, type FilingState, type RecordPlan } from './document-precedence.ts'
import { FILINGS_CHANNEL } from './withdrawals.ts'
import { rows, storableText, type Connection, type Prepared } from '../pool.ts'

type DocumentRecord = Record<string, unknown>

export async function recordDocuments(
  connection: Connection,
  documents: IncomingDocument[],
  records: DocumentRecord[],
): Promise<RecordOutcome[]> {
  const hashes = documents.flatMap((document) =>
    'facts' in document.content ? [sha256(document.content.facts.contentKey)] : [],
  )
  const accessions = documents.map((document) => document.accession)
  const recorded = await rows<FilingState>(connection, RECORDED, [accessions, hashes])
  const plan = planRecording(documents, recorded)
  await apply(connection, plan, new Map(documents.map((document, index) => [document, records[index]!])))
  if (plan.upserts.length > 0) await connection.query(`NOTIFY ${FILINGS_CHANNEL}`)
  return plan.outcomes
}

async function apply(
  connection: Connection,
  plan: RecordPlan,
  records: Map<IncomingDocument, DocumentRecord>,
): Promise<void> {
  for (const upserts of eachAccessionOnce(plan.upserts)) {
    const prior = upserts.filter((upsert) => upsert.keepsPrior).map((upsert) => upsert.document.accession)
    if (prior.length > 0) await connection.query(KEEP_PRIOR, [prior])
    await rows(connection, UPSERT, [JSON.stringify(upserts.map((upsert) => records.get(upsert.document)))])
  }
  for (const { accession, by } of plan.replaced) {
    await connection.query(
      `UPDATE filings
       SET status = 'replaced', pending = true, replaced_by = $2
       WHERE accession = $1`,
      [accession, by],
    )
  }
}

/**
 * Splits the documents into groups with each filing once, since one statement can't write a row twice: a batch may have
 * a filing bare and then in full.
 */
function eachAccessionOnce(upserts: RecordPlan['upserts']): RecordPlan['upserts'][] {
  const groups: RecordPlan['upserts'][] = []
  for (const upsert of upserts) {
    const last = groups.at(-1)
    if (last && !last.some((each) => each.document.accession === upsert.document.accession)) last.push(upsert)
    else groups.push([upsert])
  }
  return groups
}

const RECORDED: Prepared = {
  name: 'known filings',
  text: `SELECT accession, status, kind, encode(content_hash, 'hex') AS "contentHash",
    CASE kind
      WHEN 'correction' THEN encode(sha256, 'hex') || ARRAY(
        SELECT encode(prior.sha256, 'hex')
        FROM replaced_documents AS prior
        WHERE prior.accession = filings.accession)
      ELSE '{}'
    END AS copies
  FROM filings
  WHERE accession = ANY($1)
    OR content_hash = ANY($2::bytea[])`,
}

const KEEP_PRIOR = `INSERT INTO replaced_documents (accession, sha256, document, source, first_seen_at)
  SELECT accession, sha256, document, source, first_seen_at
  FROM filings
  WHERE accession = ANY($1)`

// The batch is one JSON parameter: with a statement per row, round trips would limit recording.
const UPSERT: Prepared = {
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
