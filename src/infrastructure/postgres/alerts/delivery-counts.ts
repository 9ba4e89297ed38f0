// How the deliveries stand, for whoever watches over them.
import { rows, type Pool } from '../pool.ts'

export interface DeliveryCounts {
  waiting: number
  /** Of them those that are due and not yet on their way to a worker. */
  unpublished: number
  dead: number
  /** Seconds since the oldest of those that wait fell due; 0 where none is due. */
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
