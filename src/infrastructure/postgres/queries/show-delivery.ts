// The query of one delivery with its data and attempts.
import type { AttemptRecord, OperatorDelivery, DeliveryRecord } from '../../../application/queries/operator-queries.ts'
import { rows, type Pool } from '../pool.ts'
import { DELIVERY_COLUMNS } from './delivery-columns.ts'

type AttemptRow = Omit<AttemptRecord, 'at' | 'answer'> & { at: string; answer: string | null }

/**
 * Returns the delivery with its attempts, or null for an unknown id. One statement, so that an attempt settled
 * meanwhile shows in both or in neither.
 */
export async function showDelivery(pool: Pool, id: string): Promise<OperatorDelivery | null> {
  const [found] = await rows<DeliveryRecord & { data: string | null; made: AttemptRow[] }>(
    pool,
    `SELECT ${DELIVERY_COLUMNS}, data,
       (SELECT coalesce(
           json_agg(
             json_build_object(
               'number', number, 'at', at, 'milliseconds', milliseconds,
               'status', delivery_attempts.status, 'error', error, 'answer', encode(answer, 'base64'))
             ORDER BY number),
           '[]')
         FROM delivery_attempts
         WHERE delivery_id = deliveries.id) AS made
     FROM deliveries JOIN events ON events.id = event_id
     WHERE deliveries.id = $1`,
    [id],
  )
  if (!found) return null
  const { made, ...delivery } = found
  const attemptsMade = made.map(({ at, answer, ...attempt }) => ({
    ...attempt,
    at: new Date(at),
    answer: answer === null ? null : Buffer.from(answer, 'base64').toString('utf8'),
  }))
  return { ...delivery, attemptsMade }
}
