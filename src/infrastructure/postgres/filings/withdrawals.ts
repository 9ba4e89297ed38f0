// Withdrawals: filings and notices that the SEC has deleted. A withdrawal is stored once it is received, whether its
// filing is recorded already, comes later or never comes.
import type { IncomingDeletion, RecordOutcome, Withdrawals } from '../../../application/ports/filings.ts'
import type { DataSetFiling } from '../../../application/ports/data-sets.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'
import type { WithdrawnFilings } from '../../../domain/trades/reconciliation/related-filing.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { toDataSetFiling, type StoredFiling } from './data-set-registry.ts'
import { rows, storableText, transaction, type Connection, type Pool } from '../pool.ts'

/** NOTIFY channel: something was recorded. Notifications may be lost; listeners poll as well. */
export const FILINGS_CHANNEL = 'filings'

/** Withdrawn filings that only a data set has, whose rows in ClickHouse do not yet say so. */
export const WITHDRAWN_OF_SETS = 'FROM withdrawals JOIN data_set_filings USING (accession) WHERE pending'

/** All withdrawals as one object: the receipt in seconds since 1970 by accession number; null for none. */
export const WITHDRAWN = `SELECT json_object_agg(accession, floor(extract(epoch FROM received_at))) FROM withdrawals`

/** All trades of their issuers are in memory. */
const PROJECTED_AT_ONCE = 50

const WITHDRAW = `WITH written AS (
    INSERT INTO withdrawals (accession, received_at, source, pending)
    SELECT accession, "firstSeenAt", source,
      EXISTS (SELECT FROM data_set_filings WHERE data_set_filings.accession = incoming.accession)
        AND NOT EXISTS (
          SELECT FROM filings
          WHERE filings.accession = incoming.accession AND status IN ('recorded', 'projected'))
    FROM jsonb_to_recordset($1::jsonb) AS incoming (accession text, "firstSeenAt" timestamptz, source text)
    ON CONFLICT (accession) DO NOTHING
    RETURNING accession),
  marked AS (
    UPDATE filings
    SET pending = true
    WHERE accession IN (SELECT accession FROM written)
      AND status IN ('recorded', 'projected')),
  queued AS (
    INSERT INTO notice_queue (issuer_cik, version)
    SELECT issuer_cik, nextval('projection_version')
    FROM (SELECT DISTINCT issuer_cik FROM notices WHERE accession IN (SELECT accession FROM written)) AS issuers
    ON CONFLICT (issuer_cik) DO UPDATE SET version = nextval('projection_version'))
  SELECT accession FROM written`

/** Converts the result of `WITHDRAWN`. */
export const withdrawnFilings = (received: Record<AccessionNumber, number> | null): WithdrawnFilings =>
  new Map(Object.entries(received ?? {}))

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
    const [found] = await rows<{ withdrawn: Record<AccessionNumber, number> | null }>(
      this.#pool,
      `SELECT (${WITHDRAWN}) AS withdrawn`,
    )
    return withdrawnFilings(found!.withdrawn)
  }

  async pendingOfSets(): Promise<DataSetFiling[]> {
    const found = await rows<StoredFiling>(
      this.#pool,
      `SELECT data_set_filings.* ${WITHDRAWN_OF_SETS} ORDER BY accession LIMIT ${PROJECTED_AT_ONCE}`,
    )
    return found.map(toDataSetFiling)
  }

  async markProjected(accessions: AccessionNumber[]): Promise<void> {
    await rows(this.#pool, 'UPDATE withdrawals SET pending = false WHERE accession = ANY($1)', [accessions])
  }
}
