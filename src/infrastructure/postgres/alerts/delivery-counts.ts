// Counts of deliveries and addresses, for metrics and status.
import { rows, type Pool } from '../pool.ts'

interface DeliveryCounts {
  waiting: number
  /** Those of them that are due and not yet published to the workers. */
  unpublished: number
  dead: number
  /** Seconds since the oldest waiting delivery fell due; 0 if none is due. */
  oldestDueSeconds: number
  failingAddresses: number
  disabledAddresses: number
}

export async function deliveryCounts(pool: Pool): Promise<DeliveryCounts> {
  const [counts] = await rows<DeliveryCounts>(
    pool,
    `SELECT deliveries.*, addresses.*,
       (SELECT count(*) FROM deliveries WHERE status = 'dead') AS dead
     FROM (
       SELECT
         count(*) AS waiting,
         count(*) FILTER (WHERE published_at IS NULL AND next_attempt_at <= now()) AS unpublished,
         greatest(0, coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0))::float8 AS "oldestDueSeconds"
       FROM deliveries
       WHERE status = 'waiting') AS deliveries,
     (
       SELECT
         count(*) FILTER (WHERE failing_since IS NOT NULL AND disabled_at IS NULL) AS "failingAddresses",
         count(*) FILTER (WHERE disabled_at IS NOT NULL) AS "disabledAddresses"
       FROM endpoints) AS addresses`,
  )
  return counts!
}
