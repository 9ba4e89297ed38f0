// The query of addresses that are failing or disabled.
import type { AddressRecord } from '../../../application/queries/operator-queries.ts'
import { rows, type Pool } from '../pool.ts'
import { URL_SHOWN } from './delivery-columns.ts'

/** Those failing longest come first. */
export function troubledAddresses(pool: Pool): Promise<AddressRecord[]> {
  return rows(
    pool,
    `SELECT
       key_id AS "keyId",
       ${URL_SHOWN} AS url,
       failing_since AS "failingSince",
       disabled_at AS "disabledAt",
       disabled_reason AS "disabledReason",
       (SELECT count(*)
         FROM deliveries
         WHERE status = 'waiting'
           AND deliveries.key_id = endpoints.key_id
           AND deliveries.url = endpoints.url) AS waiting
     FROM endpoints
     WHERE failing_since IS NOT NULL
       OR disabled_at IS NOT NULL
     ORDER BY failing_since NULLS FIRST, key_id, url`,
  )
}
