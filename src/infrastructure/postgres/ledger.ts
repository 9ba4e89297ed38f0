// The filings table. One recorder at a time decides by what it sees, so equal documents can't slip past each other.
import { gunzipSync, gzipSync } from 'node:zlib'
import type { IncomingDocument, Ledger, PendingDocument, RecordOutcome, RejectedDocument } from '../../application/ports.ts'
import type { AccessionNumber } from '../../domain/identifiers.ts'
import { decide, sha256, type KnownFiling, type RecordPlan } from './record-plan.ts'
import { rows, transaction, type Connection, type Pool } from './pool.ts'

const RECORD_LOCK = 724_002
/** NOTIFY channel: something was recorded. A hint only; whoever listens polls as well. */
export const FILINGS_CHANNEL = 'filings'

export function openLedger(pool: Pool): Ledger {
  return {
    record: (documents) => transaction(pool, (connection) => record(connection, documents)),
    pending: (limit) => pending(pool, limit),
    nextVersion: async () => (await rows<{ v: number }>(pool, `SELECT nextval('projection_version') AS v`))[0]!.v,
    markProjected: async (accessions, version) => {
      await rows(pool, `UPDATE filings SET pending = false, projected_at = now(), version = $2,
        status = CASE status WHEN 'recorded' THEN 'projected' ELSE status END WHERE accession = ANY($1)`, [accessions, version])
    },
    markRejected: async (accession, reason) => {
      await rows(pool, `UPDATE filings SET status = 'rejected', pending = false, reason = $2 WHERE accession = $1`,
        [accession, reason])
    },
    countPending: async () =>
      (await rows<{ n: number }>(pool, 'SELECT count(*) AS n FROM filings WHERE pending'))[0]!.n,
    rejected: () => rows<RejectedDocument>(pool, `SELECT accession, reason, source, first_seen_at AS "firstSeenAt"
      FROM filings WHERE status = 'rejected' ORDER BY recorded_at`),
    document: async (accession) => gunzipSync((await rows<{ document: Buffer }>(pool,
      'SELECT document FROM filings WHERE accession = $1', [accession]))[0]!.document),
    byIssuer: (pageSize) => byIssuer(pool, pageSize),
    counts: async () => (await rows<Awaited<ReturnType<Ledger['counts']>>>(pool, `SELECT count(*) AS filings,
      count(*) FILTER (WHERE status = 'projected') AS projected, count(*) FILTER (WHERE status = 'rejected') AS rejected,
      count(*) FILTER (WHERE pending) AS pending FROM filings`))[0]!,
  }
}

async function record(connection: Connection, documents: IncomingDocument[]): Promise<RecordOutcome[]> {
  await connection.query('SELECT pg_advisory_xact_lock($1)', [RECORD_LOCK])
  const hashes = documents.flatMap((document) => 'facts' in document.content ? [sha256(document.content.facts.contentKey)] : [])
  const known = await rows<KnownFiling>(connection, `SELECT accession, status, kind,
    encode(content_hash, 'hex') AS "contentHash" FROM filings WHERE accession = ANY($1) OR content_hash = ANY($2::bytea[])`,
  [documents.map((document) => document.accession), hashes])
  const plan = decide(documents, known)
  await apply(connection, plan)
  if (plan.upserts.length > 0) await connection.query(`NOTIFY ${FILINGS_CHANNEL}`)
  return plan.outcomes
}

async function apply(connection: Connection, plan: RecordPlan): Promise<void> {
  for (const { document, keepsPrior } of plan.upserts) {
    if (keepsPrior) await connection.query(KEEP_PRIOR, [document.accession])
    await connection.query(UPSERT, upsertValues(document))
  }
  for (const { accession, by } of plan.replaced) {
    await connection.query(`UPDATE filings SET status = 'replaced', pending = true, replaced_by = $2 WHERE accession = $1`,
      [accession, by])
  }
}

const KEEP_PRIOR = `INSERT INTO replaced_documents (accession, sha256, document, source, first_seen_at)
  SELECT accession, sha256, document, source, first_seen_at FROM filings WHERE accession = $1`

const UPSERT = `INSERT INTO filings (accession, status, pending, reason, kind, form, issuer_cik, owner_ciks, period, accepted_at,
  filed_at, filed_basis, transactions, content_hash, sha256, bytes, document, source, first_seen_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
  ON CONFLICT (accession) DO UPDATE SET status = $2, pending = $3, reason = $4, kind = $5, form = $6, issuer_cik = $7,
  owner_ciks = $8, period = $9, accepted_at = $10, filed_at = $11, filed_basis = $12, transactions = $13, content_hash = $14,
  sha256 = $15, bytes = $16, document = $17, source = $18, recorded_at = now(), projected_at = NULL`

function upsertValues(incoming: IncomingDocument): unknown[] {
  const facts = 'facts' in incoming.content ? incoming.content.facts : null
  const reason = 'reason' in incoming.content ? incoming.content.reason : null
  return [incoming.accession, facts ? 'recorded' : 'rejected', facts !== null, reason, facts?.kind, facts?.form, facts?.issuerCik,
    facts?.ownerCiks ?? [], facts?.period, facts?.acceptedAt, facts?.filedAt, facts?.filedBasis, facts?.transactions ?? 0,
    facts && sha256(facts.contentKey), sha256(incoming.bytes), incoming.bytes.length, gzipSync(incoming.bytes), incoming.source, incoming.firstSeenAt]
}

interface StoredDocument { accession: AccessionNumber; status: string; document: Buffer; source: string; first_seen_at: Date }
const STORED = 'accession, status, document, source, first_seen_at'

async function pending(pool: Pool, limit: number): Promise<PendingDocument[]> {
  const found = await rows<StoredDocument>(pool,
    `SELECT ${STORED} FROM filings WHERE pending ORDER BY seq LIMIT $1`, [limit])
  return withPriors(pool, found)
}

async function withPriors(pool: Pool, found: StoredDocument[]): Promise<PendingDocument[]> {
  const priors = await rows<{ accession: string; document: Buffer }>(pool,
    'SELECT accession, document FROM replaced_documents WHERE accession = ANY($1)', [found.map((row) => row.accession)])
  return found.map((row) => toPending(row,
    priors.filter((prior) => prior.accession === row.accession).map((prior) => gunzipSync(prior.document))))
}

function toPending(row: StoredDocument, priorDocuments: Buffer[]): PendingDocument {
  return {
    accession: row.accession,
    replaced: row.status === 'replaced',
    document: gunzipSync(row.document),
    source: row.source,
    firstSeenAt: Math.floor(row.first_seen_at.getTime() / 1000),
    priorDocuments,
  }
}

async function* byIssuer(pool: Pool, pageSize: number): AsyncIterable<PendingDocument[]> {
  for (let after = ''; ;) {
    // Whole issuers up to the page size; a single larger issuer comes whole.
    const issuers = await rows<{ issuer_cik: string; n: number }>(pool, `SELECT issuer_cik, count(*) AS n FROM filings
      WHERE issuer_cik > $1 AND status IN ('recorded', 'projected') GROUP BY issuer_cik ORDER BY issuer_cik LIMIT $2`,
    [after, pageSize])
    if (issuers.length === 0) return
    let taken = 0
    const page = issuers.filter((issuer, index) => (taken += issuer.n) <= pageSize || index === 0)
    const last = page.at(-1)!.issuer_cik
    const found = await rows<StoredDocument>(pool, `SELECT ${STORED} FROM filings
      WHERE issuer_cik > $1 AND issuer_cik <= $2 AND status IN ('recorded', 'projected') ORDER BY issuer_cik, seq`, [after, last])
    yield found.map((row) => toPending(row, []))
    after = last
  }
}
