// The query of all API keys, newest first. Reads neither hashes nor secrets.
import type { KeyRecord } from '../../../application/queries/operator-queries.ts'
import { rows, type Pool } from '../pool.ts'

export function listApiKeys(pool: Pool): Promise<KeyRecord[]> {
  return rows(
    pool,
    `SELECT
       id,
       name,
       created_at AS "createdAt",
       expires_at AS "expiresAt",
       revoked_at AS "revokedAt",
       last_used_at AS "lastUsedAt"
     FROM api_keys
     ORDER BY created_at DESC, id`,
  )
}
