// The state of the connection to EDGAR, for the operator's status: whether it is followed and when it last answered.
import { ANSWERED, FAULT } from '../../../application/ingestion/follow-live-feed.ts'
import { ADVISORY_LOCKS } from '../coordination/advisory-locks.ts'
import { rows, type Pool } from '../pool.ts'

export interface EdgarContact {
  /** Whether a process holds the EDGAR lock and so follows EDGAR. */
  followed: boolean
  /** When the current feed was last read. */
  answeredAt: Date | null
  /** Why the latest attempt failed; null after a success. */
  fault: string | null
}

export async function edgarContact(pool: Pool): Promise<EdgarContact> {
  const [contact] = await rows<EdgarContact>(
    pool,
    `SELECT
       EXISTS (
         SELECT FROM pg_locks
         WHERE locktype = 'advisory'
           AND granted
           AND classid = 0
           AND objid = $1
           AND objsubid = 1
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS followed,
       answered.moved_at AS "answeredAt",
       CASE WHEN answered.moved_at IS NULL OR fault.moved_at > answered.moved_at THEN fault.position END AS fault
     FROM (SELECT) AS one
       LEFT JOIN source_positions AS answered ON answered.source = $2
       LEFT JOIN source_positions AS fault ON fault.source = $3`,
    [ADVISORY_LOCKS.edgar, ANSWERED, FAULT],
  )
  return contact!
}

/** Returns the newest migration applied to PostgreSQL, and the server's version. */
export async function databaseVersions(pool: Pool): Promise<{ postgres: string; schema: string }> {
  const [versions] = await rows<{ postgres: string; schema: string }>(
    pool,
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS postgres, max(name) AS schema
     FROM migrations`,
  )
  return versions!
}
