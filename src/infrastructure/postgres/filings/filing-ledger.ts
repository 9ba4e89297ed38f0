// The ledger of filings. One transaction records at a time, so that two copies of a document can't both be recorded.
import { UnstorableError } from '../../../application/errors.ts'
import type { Outcome } from '../../../application/ports/changes.ts'
import type {
  IncomingDocument,
  FilingLedger,
  PendingBatch,
  PendingDocument,
  RecordOutcome,
  RejectedDocument,
} from '../../../application/ports/filings.ts'
import type { AccessionNumber, Cik } from '../../../domain/shared/identifiers.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { toDataSetFiling, type StoredFiling } from './data-set-registry.ts'
import { queueNotices } from '../notices/notice-ledger.ts'
import { expanded } from './document-bytes.ts'
import { recordDocuments, toRecord } from './record-documents.ts'
import { ENQUEUE, KEEP_HIGHEST } from './signal-queue.ts'
import { PostgresWithdrawals, WITHDRAWN, WITHDRAWN_OF_SETS, withdrawnFilings } from './withdrawals.ts'
import { isValueError, rows, storableText, transaction, type Connection, type Pool, type Prepared } from '../pool.ts'
import { withOutcome } from '../changes/log-statement.ts'

export class PostgresFilingLedger implements FilingLedger {
  readonly withdrawals: PostgresWithdrawals
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.withdrawals = new PostgresWithdrawals(pool)
    this.#pool = pool
  }

  async record(documents: IncomingDocument[]): Promise<RecordOutcome[]> {
    const records = await Promise.all(documents.map(toRecord)).catch(unstorable)
    const work = (connection: Connection) => recordDocuments(connection, documents, records)
    return transaction(this.#pool, work, ADVISORY_LOCKS.recording).catch((error: unknown) => {
      // A RangeError means that the JSON is longer than a string can be.
      return isValueError(error) || error instanceof RangeError ? unstorable(error) : Promise.reject(error)
    })
  }

  // One round trip for everything that projecting a filing needs.
  async pending(limit: number): Promise<PendingBatch> {
    const pending = await rows<PendingRow>(this.#pool, PENDING, [limit, MAX_BYTES])
    return {
      documents: await undamaged(this.#pool, pending, (row) => toPending(row, row.priors, row.of_set)),
      version: pending[0]?.version ?? 0,
      withdrawn: withdrawnFilings(pending[0]?.withdrawn ?? null),
      isLast: pending.length < limit && (pending.at(-1)?.taken ?? 0) < MAX_BYTES,
    }
  }

  async nextVersion(): Promise<number> {
    const [next] = await rows<{ v: number }>(this.#pool, `SELECT nextval('projection_version') AS v`)
    return next!.v
  }

  async markProjected(
    documents: Pick<PendingDocument, 'accession' | 'revision'>[],
    version: number,
    outcome: Outcome,
    former: Cik[] = [],
  ): Promise<void> {
    const accessions = documents.map((document) => document.accession)
    const revisions = documents.map((document) => document.revision)
    const { statement, values } = withOutcome(MARK, [accessions, version, former, revisions], outcome)
    await rows(this.#pool, statement, values)
  }

  async markRejected(accession: AccessionNumber, reason: string): Promise<void> {
    await rows(this.#pool, REJECT, [accession, storableText(reason)])
  }

  async lastRecorded(): Promise<number> {
    const [last] = await rows<{ n: number }>(this.#pool, 'SELECT coalesce(max(seq), 0) AS n FROM filings')
    return last!.n
  }

  async countPending(upTo: number): Promise<number> {
    const [pending] = await rows<{ n: number }>(
      this.#pool,
      `SELECT (SELECT count(*) FROM filings WHERE pending AND seq <= $1) + (SELECT count(*) ${WITHDRAWN_OF_SETS}) AS n`,
      [upTo],
    )
    return pending!.n
  }

  rejected(): Promise<RejectedDocument[]> {
    return rows<RejectedDocument>(
      this.#pool,
      `SELECT accession, reason, source, first_seen_at AS "firstSeenAt"
       FROM filings
       WHERE status = 'rejected'
       ORDER BY recorded_at`,
    )
  }

  async document(accession: AccessionNumber): Promise<Buffer> {
    const [filing] = await rows<{ document: Buffer }>(this.#pool, 'SELECT document FROM filings WHERE accession = $1', [
      accession,
    ])
    // Rejects if the stored bytes are damaged, which reading again can't repair.
    return expanded(filing!.document).catch(unstorable)
  }

  async *byIssuer(pageSize: number): AsyncIterable<PendingDocument[]> {
    for (let after = ''; ;) {
      const last = await lastIssuerOfPage(this.#pool, after, pageSize)
      if (last === null) return
      const page = await rows<StoredDocument>(
        this.#pool,
        `SELECT ${STORED}
         FROM filings
         WHERE issuer_cik > $1
           AND issuer_cik <= $2
           AND status IN ('recorded', 'projected')
         ORDER BY issuer_cik, seq`,
        [after, last],
      )
      yield await undamaged(this.#pool, page, (row) => toPending(row, [], null))
      after = last
    }
  }

  async counts(): Promise<LedgerCounts> {
    const [counts] = await rows<LedgerCounts>(
      this.#pool,
      `SELECT count(*) AS filings,
         count(*) FILTER (WHERE status = 'projected') AS projected,
         count(*) FILTER (WHERE status = 'rejected') AS rejected,
         count(*) FILTER (WHERE pending) AS pending
       FROM filings`,
    )
    return counts!
  }

  async hasProjected(): Promise<boolean> {
    const [projected] = await rows(this.#pool, `SELECT FROM filings WHERE status = 'projected' LIMIT 1`)
    return projected !== undefined
  }
}

type LedgerCounts = Awaited<ReturnType<FilingLedger['counts']>>

const MARK_PROJECTED = `WITH marked AS (
    UPDATE filings
    SET pending = false,
      projected_at = now(),
      version = $2,
      status = CASE status WHEN 'recorded' THEN 'projected' ELSE status END
    FROM unnest($1::text[], $4::bigint[]) AS done (number, revision)
    WHERE accession = number AND record_revision = done.revision
    RETURNING issuer_cik)`
const ISSUERS = 'SELECT issuer_cik FROM marked UNION SELECT unnest($3::text[])'
const QUEUE_ISSUERS = `${ENQUEUE}
  SELECT issuer_cik, $2::bigint
  FROM (${ISSUERS}) AS issuers
  WHERE issuer_cik IS NOT NULL
  ${KEEP_HIGHEST}`

const MARK: Prepared = {
  name: 'mark filings',
  text: `${MARK_PROJECTED}, queued AS (${QUEUE_ISSUERS}), with_notices AS (${queueNotices(ISSUERS, '$2::bigint')})`,
}

const REJECT = `UPDATE filings
  SET status = 'rejected', pending = false, reason = $2
  WHERE accession = $1`

function unstorable(error: unknown): never {
  throw new UnstorableError((error as Error).message, { cause: error })
}

interface StoredDocument {
  accession: AccessionNumber
  revision: number
  status: string
  document: Buffer
  source: string
  first_seen_at: Date
}
const STORED = 'accession, record_revision AS revision, status, document, source, first_seen_at'

/** Bytes of documents that are projected at once; a single larger document comes alone. */
const MAX_BYTES = 64 * 1024 * 1024

interface PendingRow extends StoredDocument {
  priors: Buffer[]
  of_set: StoredFiling | null
  version: number
  withdrawn: Record<AccessionNumber, number> | null
  taken: number
}

const PENDING: Prepared = {
  name: 'pending filings',
  text: `SELECT ${STORED},
    ARRAY(
      SELECT prior.document
      FROM replaced_documents AS prior
      WHERE prior.accession = filings.accession) AS priors,
    (SELECT to_jsonb(data_set_filings)
      FROM data_set_filings
      WHERE data_set_filings.accession = filings.accession) AS of_set,
    (SELECT nextval('projection_version')) AS version,
    -- Once in a batch.
    CASE WHEN seq = first_value(seq) OVER (ORDER BY seq) THEN (${WITHDRAWN}) END AS withdrawn,
    taken
  FROM (
    SELECT *, sum(bytes) OVER (ORDER BY seq) AS taken
    FROM filings
    WHERE pending
    ORDER BY seq
    LIMIT $1) AS filings
  WHERE taken - bytes < $2
  ORDER BY seq`,
}

/**
 * Returns the documents that can be decompressed. Marks the others, damaged by a disk fault, as rejected, so that they
 * don't hold up the rest.
 */
async function undamaged<T extends StoredDocument>(
  pool: Pool,
  stored: T[],
  read: (row: T) => Promise<PendingDocument>,
): Promise<PendingDocument[]> {
  const all = await Promise.all(stored.map((row) => read(row).catch((error: Error) => error)))
  for (const [place, document] of all.entries()) {
    if (!(document instanceof Error)) continue
    const reason = storableText(`the stored document is damaged: ${document.message}`)
    await rows(pool, REJECT, [stored[place]!.accession, reason])
  }
  return all.filter((document): document is PendingDocument => !(document instanceof Error))
}

async function toPending(row: StoredDocument, priors: Buffer[], ofSet: StoredFiling | null): Promise<PendingDocument> {
  return {
    accession: row.accession,
    revision: row.revision,
    replaced: row.status === 'replaced',
    document: await expanded(row.document),
    source: row.source,
    firstSeenAt: Math.floor(row.first_seen_at.getTime() / 1000),
    priorDocuments: await Promise.all(priors.map(expanded)),
    ofSet: ofSet && toDataSetFiling(ofSet),
  }
}

/**
 * Returns the last issuer of the next page; null after the last page. A page has all filings of its issuers, and as many
 * issuers as fit into the page size, at least one.
 */
async function lastIssuerOfPage(pool: Pool, after: string, pageSize: number): Promise<string | null> {
  const issuers = await rows<{ issuer_cik: string; n: number; bytes: number }>(
    pool,
    `SELECT issuer_cik, count(*) AS n, sum(bytes) AS bytes
     FROM filings
     WHERE issuer_cik > $1
       AND status IN ('recorded', 'projected')
     GROUP BY issuer_cik
     ORDER BY issuer_cik
     LIMIT $2`,
    [after, pageSize],
  )
  let [taken, bytes] = [0, 0]
  const page = issuers.filter(
    (issuer, index) => ((taken += issuer.n) <= pageSize && (bytes += issuer.bytes) <= MAX_BYTES) || index === 0,
  )
  return page.at(-1)?.issuer_cik ?? null
}
