// API keys: of each the SHA-256 of its secret, and encrypted the secret that its webhooks are signed with.
import type { KeyProof, KeyRecord, KeyStore } from '../../../application/ports/alerts.ts'
import { rows, transaction, type Pool } from '../pool.ts'
import { opens, type SecretBox } from './secret-box.ts'

export function openKeyStore(pool: Pool, secretBox: SecretBox): KeyStore {
  return {
    add: async ({ id, name, secretHash, webhookSecret, expiresAt }) => {
      await rows(
        pool,
        `INSERT INTO api_keys (id, name, secret_hash, webhook_secret, expires_at)
        VALUES ($1, $2, $3, $4, $5)`,
        [id, name, secretHash, secretBox.encrypt(id, webhookSecret), expiresAt],
      )
    },
    proof: async (id) =>
      (
        await rows<KeyProof>(
          pool,
          `SELECT secret_hash AS "secretHash", expires_at AS "expiresAt",
      revoked_at AS "revokedAt" FROM api_keys WHERE id = $1`,
          [id],
        )
      )[0] ?? null,
    list: () =>
      rows<KeyRecord>(
        pool,
        `SELECT id, name, created_at AS "createdAt", expires_at AS "expiresAt",
      revoked_at AS "revokedAt", last_used_at AS "lastUsedAt" FROM api_keys ORDER BY created_at DESC, id`,
      ),
    revoke: async (id) =>
      (
        await rows(pool, 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id', [
          id,
        ])
      ).length > 0,
    rotateSecret: (id, webhookSecret, previousUntil) => rotate(pool, secretBox, { id, webhookSecret, previousUntil }),
    // In the order of their ids: two processes with the same keys then wait instead of locking each other out.
    used: async (uses) => {
      await rows(
        pool,
        `WITH used AS MATERIALIZED (
          SELECT key.id, sent.at FROM api_keys key
            JOIN unnest($1::text[], $2::timestamptz[]) AS sent (id, at) USING (id)
          ORDER BY key.id FOR NO KEY UPDATE OF key)
        UPDATE api_keys SET last_used_at = greatest(last_used_at, used.at) FROM used WHERE api_keys.id = used.id`,
        [uses.map((use) => use.id), uses.map((use) => use.at)],
      )
    },
  }
}

interface Rotation {
  id: string
  webhookSecret: string
  previousUntil: Date
}

/** A secret that does not open any more can't sign either, so it is not kept beside the new one. One that still signs goes on. */
function rotate(pool: Pool, secretBox: SecretBox, { id, webhookSecret, previousUntil }: Rotation): Promise<boolean> {
  return transaction(pool, async (connection) => {
    const [key] = await rows<{ sealed: Buffer }>(
      connection,
      'SELECT webhook_secret AS sealed FROM api_keys WHERE id = $1 AND revoked_at IS NULL FOR NO KEY UPDATE',
      [id],
    )
    if (!key) return false
    await rows(connection, 'UPDATE api_keys SET webhook_secret = $2 WHERE id = $1', [
      id,
      secretBox.encrypt(id, webhookSecret),
    ])
    const isOpen = opens(secretBox, id, key.sealed)
    // With another SECRETS_KEY those before it don't open either.
    await rows(connection, 'DELETE FROM former_webhook_secrets WHERE key_id = $1 AND (until <= now() OR NOT $2)', [
      id,
      isOpen,
    ])
    if (isOpen) {
      await rows(connection, 'INSERT INTO former_webhook_secrets (key_id, secret, until) VALUES ($1, $2, $3)', [
        id,
        key.sealed,
        previousUntil,
      ])
    }
    return true
  })
}
