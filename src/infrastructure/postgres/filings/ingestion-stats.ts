// Ingestion statistics: the backlog, and the lag behind EDGAR. The lag is measured on the newest live Forms 4 and 4/A
// only, since backfilled and late filings would distort it.
import type { FormCounts } from '../../../application/ports/filings.ts'
import { rows, type Pool } from '../pool.ts'

interface IngestionLag {
  /** Seconds from acceptance to visible in the feed; null before the first live filing. */
  acceptedToVisible: { p50: number; p95: number } | null
  /** Seconds from first seen to visible. */
  seenToVisible: { p50: number; p95: number } | null
  /** Acceptance of the newest live filing. */
  newestAcceptedAt: Date | null
}

interface Backlog {
  waitingFetches: number
  pending: number
  rejected: number
  gone: number
  days: { day: string; listed: number; known: number; forms: FormCounts | null }[]
}

const NEWEST = 500

export async function ingestionLag(pool: Pool): Promise<IngestionLag> {
  const [lag] = await rows<{ accepted: number[] | null; seen: number[] | null; newest: Date | null }>(
    pool,
    `SELECT
       percentile_cont(ARRAY[0.5, 0.95])
         WITHIN GROUP (ORDER BY extract(epoch FROM projected_at - accepted_at)) AS accepted,
       percentile_cont(ARRAY[0.5, 0.95])
         WITHIN GROUP (ORDER BY extract(epoch FROM projected_at - first_seen_at)) AS seen,
       max(accepted_at) AS newest
     FROM (
       SELECT filings.accepted_at, filings.first_seen_at, filings.projected_at
       FROM fetches JOIN filings USING (accession)
       WHERE found_by = 'live'
         AND fetches.form IN ('4', '4/A')
         AND filings.accepted_at IS NOT NULL
         AND projected_at IS NOT NULL
       ORDER BY found_at DESC
       LIMIT ${NEWEST}) AS live`,
  )
  const pair = (values: number[] | null | undefined) => (values ? { p50: values[0]!, p95: values[1]! } : null)
  return {
    acceptedToVisible: pair(lag?.accepted),
    seenToVisible: pair(lag?.seen),
    newestAcceptedAt: lag?.newest ?? null,
  }
}

export async function backlog(pool: Pool): Promise<Backlog> {
  const [counts] = await rows<Omit<Backlog, 'days'>>(
    pool,
    `SELECT
       (SELECT count(*) FROM fetches WHERE status = 'waiting') AS "waitingFetches",
       (SELECT count(*) FROM fetches WHERE status = 'gone') AS gone,
       (SELECT count(*) FROM filings WHERE pending) AS pending,
       (SELECT count(*) FROM filings WHERE status = 'rejected') AS rejected`,
  )
  const days = await rows<Backlog['days'][number]>(
    pool,
    'SELECT day::text AS day, listed, known, forms FROM index_days ORDER BY day DESC LIMIT 10',
  )
  return { ...counts!, days }
}
