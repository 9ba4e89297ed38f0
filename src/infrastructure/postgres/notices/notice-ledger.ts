// The ledger of notices of proposed sales (Form 144), with their documents, and the queue of issuers whose notices have
// to be linked to sales.
import { UnstorableError } from '../../../application/errors.ts'
import type { Outcome } from '../../../application/ports/changes.ts'
import type { RecordOutcome } from '../../../application/ports/filings.ts'
import type { IncomingNotice, NoticeLedger, NoticeQueue } from '../../../application/ports/notices.ts'
import type { DocumentKind } from '../../../domain/filings/filing.ts'
import type { FiledNotice } from '../../../domain/notices/notice.ts'
import type { AccessionNumber, Cik } from '../../../domain/shared/identifiers.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { compressed } from '../filings/document-bytes.ts'
import { isLocal, RANK, sha256 } from '../filings/document-precedence.ts'
import { dropTaken } from '../filings/signal-queue.ts'
import { FILINGS_CHANNEL } from '../filings/withdrawals.ts'
import { isValueError, rows, storableText, transaction, type Connection, type Pool } from '../pool.ts'

export class PostgresNoticeLedger implements NoticeLedger, NoticeQueue {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async record(notices: IncomingNotice[]): Promise<RecordOutcome[]> {
    const work = async (connection: Connection) => {
      const outcomes: RecordOutcome[] = []
      for (const notice of notices) outcomes.push(await recordOne(connection, notice))
      if (outcomes.includes('ingested')) await connection.query(`NOTIFY ${FILINGS_CHANNEL}`)
      return outcomes
    }
    return transaction(this.#pool, work, ADVISORY_LOCKS.recording).catch((error: unknown) => {
      if (!isValueError(error) && !(error instanceof RangeError)) throw error
      throw new UnstorableError((error as Error).message, { cause: error })
    })
  }

  async ofIssuers(issuers: Cik[]): Promise<string[]> {
    const notices = await rows<{ notice: string }>(
      this.#pool,
      `SELECT notice::text AS notice
       FROM notices
       WHERE issuer_cik = ANY($1)
         AND NOT EXISTS (SELECT FROM withdrawals WHERE withdrawals.accession = notices.accession)`,
      [issuers],
    )
    return notices.map(({ notice }) => notice)
  }

  async fromUnknownSellers(accessions: AccessionNumber[]): Promise<Set<AccessionNumber>> {
    if (accessions.length === 0) return new Set()
    const notices = await rows<{ accession: AccessionNumber }>(this.#pool, FROM_UNKNOWN_SELLERS, [accessions])
    return new Set(notices.map(({ accession }) => accession))
  }

  async issuers(): Promise<Cik[]> {
    const issuers = await rows<{ cik: Cik }>(
      this.#pool,
      'SELECT DISTINCT issuer_cik AS cik FROM notices ORDER BY issuer_cik',
    )
    return issuers.map(({ cik }) => cik)
  }

  next(limit: number): Promise<{ issuerCik: Cik; version: number }[]> {
    return rows(
      this.#pool,
      `SELECT issuer_cik AS "issuerCik", version
       FROM notice_queue
       ORDER BY version DESC, issuer_cik
       LIMIT $1`,
      [limit],
    )
  }

  async countWaiting(): Promise<number> {
    const [waiting] = await rows<{ n: number }>(this.#pool, 'SELECT count(*) AS n FROM notice_queue')
    return waiting!.n
  }

  async addAll(version: number): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO notice_queue (issuer_cik, version)
       SELECT DISTINCT issuer_cik, $1::bigint FROM notices
       ${KEEP_HIGHEST}`,
      [version],
    )
  }

  async done(issuers: { issuerCik: Cik; version: number }[], outcome: Outcome): Promise<void> {
    await dropTaken(this.#pool, 'notice_queue', issuers, outcome)
  }
}

const KEEP_HIGHEST = `ON CONFLICT (issuer_cik) DO UPDATE
  SET version = greatest(notice_queue.version, excluded.version)`

// Slow, but run only for notices that are doubtful by themselves, which are rare.
const FROM_UNKNOWN_SELLERS = `SELECT accession
  FROM notices AS own
  WHERE accession = ANY($1)
    AND NOT EXISTS (
      SELECT FROM notices AS other
      WHERE other.seller_cik = own.seller_cik
        AND other.filed_at < own.filed_at - interval '6 weeks')
    AND NOT EXISTS (
      SELECT FROM filings
      WHERE own.seller_cik = ANY(owner_ciks)
        AND filings.filed_at < own.filed_at - interval '6 weeks')
    AND NOT EXISTS (
      SELECT FROM notices AS other
      WHERE other.seller_cik <> own.seller_cik
        AND jsonb_path_query_array(other.notice, '$.lines[*].broker') ?| ARRAY(
          SELECT jsonb_array_elements_text(jsonb_path_query_array(own.notice, '$.lines[*].broker'))))`

/** Returns a statement that queues those issuers that have notices; `issuers` selects `issuer_cik`. */
export const queueNotices = (
  issuers: string,
  version: string,
): string => `INSERT INTO notice_queue (issuer_cik, version)
  SELECT issuer_cik, ${version}
  FROM (${issuers}) AS changed
  WHERE EXISTS (SELECT FROM notices WHERE notices.issuer_cik = changed.issuer_cik)
  ${KEEP_HIGHEST}`

interface RecordedNotice {
  accession: AccessionNumber
  kind: DocumentKind
}

/**
 * Records a notice unless a copy that is as good is recorded under its accession number. A bare document without an
 * accession number stands in for the submission that it was cut from, which replaces it.
 */
async function recordOne(
  connection: Connection,
  { notice, bytes, source, firstSeenAt }: IncomingNotice,
): Promise<RecordOutcome> {
  const { accession, kind, form, issuer, seller, filedAt, filedBasis, filedDay } = notice
  const hash = sha256(contentOf(notice))
  const copies = await rows<RecordedNotice>(
    connection,
    'SELECT accession, kind FROM notices WHERE accession = $1 OR content_hash = $2',
    [accession, hash],
  )
  const same = copies.find((copy) => copy.accession === accession)
  if (same && RANK[kind] <= RANK[same.kind]) return 'known'
  if (isLocal(accession) && copies.length > 0) return 'known'
  const locals = copies.map((copy) => copy.accession).filter((each) => each !== accession && isLocal(each))
  if (locals.length > 0) await connection.query('DELETE FROM notices WHERE accession = ANY($1)', [locals])
  // The same notice may have been rejected as a filing: when its document was cut short, or could not be read yet.
  await connection.query(`DELETE FROM filings WHERE accession = $1 AND status = 'rejected'`, [accession])
  await connection.query(UPSERT, [
    accession,
    kind,
    form,
    issuer.cik,
    seller.cik,
    new Date(filedAt * 1000),
    filedBasis,
    filedDay,
    JSON.stringify(notice),
    hash,
    bytes.length,
    await compressed(bytes),
    storableText(source),
    firstSeenAt,
  ])
  return 'ingested'
}

const UPSERT = `WITH recorded AS (
    INSERT INTO notices (
      accession, kind, form, issuer_cik, seller_cik, filed_at, filed_basis, filed_day, notice, content_hash, bytes,
      document, source, first_seen_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (accession) DO UPDATE
      SET kind = excluded.kind,
        form = excluded.form,
        issuer_cik = excluded.issuer_cik,
        seller_cik = excluded.seller_cik,
        filed_at = excluded.filed_at,
        filed_basis = excluded.filed_basis,
        filed_day = excluded.filed_day,
        notice = excluded.notice,
        content_hash = excluded.content_hash,
        bytes = excluded.bytes,
        document = excluded.document,
        source = excluded.source,
        recorded_at = now())
  INSERT INTO notice_queue (issuer_cik, version)
  VALUES ($4, nextval('projection_version'))
  ${KEEP_HIGHEST}`

/** Returns the content that a bare document and the submission that it was cut from have in common, as JSON. */
function contentOf({
  accession: _,
  kind: _k,
  header: _h,
  filedAt: _a,
  filedDay: _d,
  filedBasis: _b,
  ...content
}: FiledNotice): string {
  return JSON.stringify(content)
}
