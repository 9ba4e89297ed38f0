// Withdrawals: filings that the SEC has deleted, in the ledger. Each is kept from the receipt of the record on, whether
// its filing is there, comes later or never comes.
import type {
  IncomingDeletion,
  RecordOutcome,
  Withdrawals,
  WithdrawnFilings,
} from '../../../application/ports/filings.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { rows, storableText, transaction, type Connection, type Pool, type Prepared } from '../pool.ts'

/** NOTIFY channel: something was recorded. Notifications may be lost; listeners poll as well. */
export const FILINGS_CHANNEL = 'filings'

/** Withdrawn filings that only a data set has, whose rows in ClickHouse do not yet say so. */
export const WITHDRAWN_OF_SETS = `FROM withdrawals
  JOIN data_set_filings USING (accession)
  WHERE pending
    AND NOT EXISTS (
      SELECT FROM filings
      WHERE filings.accession = withdrawals.accession AND status IN ('recorded', 'projected'))`

const WITHDRAW = `WITH written AS (
    INSERT INTO withdrawals (accession, received_at, source)
    SELECT accession, "firstSeenAt", source
    FROM jsonb_to_recordset($1::jsonb) AS incoming (accession text, "firstSeenAt" timestamptz, source text)
    ON CONFLICT (accession) DO NOTHING
    RETURNING accession),
  marked AS (
    UPDATE filings
    SET pending = true
    WHERE accession IN (SELECT accession FROM written)
      AND status IN ('recorded', 'projected'))
  SELECT accession FROM written`

const WITHDRAWN: Prepared = {
  name: 'withdrawn filings',
  text: 'SELECT accession, floor(extract(epoch FROM received_at))::bigint AS at FROM withdrawals',
}

export class PostgresWithdrawals implements Withdrawals {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async record(deletions: IncomingDeletion[]): Promise<RecordOutcome[]> {
    const records = deletions.map(({ source, ...deletion }) => ({ ...deletion, source: storableText(source) }))
    const work = async (connection: Connection) => {
      const written = await rows<{ accession: AccessionNumber }>(connection, WITHDRAW, [JSON.stringify(records)])
      if (written.length > 0) await connection.query(`NOTIFY ${FILINGS_CHANNEL}`)
      return written
    }
    const written = await transaction(this.#pool, work, ADVISORY_LOCKS.recording)
    const fresh = new Set(written.map(({ accession }) => accession))
    return deletions.map(({ accession }) => (fresh.delete(accession) ? 'ingested' : 'known'))
  }

  async all(): Promise<WithdrawnFilings> {
    const found = await rows<{ accession: AccessionNumber; at: number }>(this.#pool, WITHDRAWN)
    return new Map(found.map(({ accession, at }) => [accession, at]))
  }

  async pendingOfSets(): Promise<{ accession: AccessionNumber; issuerCik: Cik }[]> {
    const found = await rows<{ accession: AccessionNumber; issuer: number }>(
      this.#pool,
      `SELECT accession, issuer_cik AS issuer ${WITHDRAWN_OF_SETS} ORDER BY accession`,
    )
    return found.map(({ accession, issuer }) => ({ accession, issuerCik: cikOf(issuer) }))
  }

  async markProjected(accessions: AccessionNumber[]): Promise<void> {
    await rows(this.#pool, 'UPDATE withdrawals SET pending = false WHERE accession = ANY($1)', [accessions])
  }
}
