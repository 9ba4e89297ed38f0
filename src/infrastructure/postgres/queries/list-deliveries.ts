// The query of deliveries, newest first, by status, key and time.
import type { DeliveryFilter, DeliveryRecord } from '../../../application/queries/operator-queries.ts'
import { rows, type Pool } from '../pool.ts'
import { DELIVERY_COLUMNS } from './delivery-columns.ts'

export function listDeliveries(pool: Pool, { status, keyId, since, limit }: DeliveryFilter): Promise<DeliveryRecord[]> {
  return rows(
    pool,
    `SELECT ${DELIVERY_COLUMNS}
     FROM deliveries
     WHERE ($1::text IS NULL OR status = $1)
       AND ($2::text IS NULL OR key_id = $2)
       AND ($3::timestamptz IS NULL OR created_at >= $3)
     ORDER BY created_at DESC, id
     LIMIT $4`,
    [status, keyId, since, limit],
  )
}
