// The store of API keys. Each has the SHA-256 of its own secret, and the encrypted secret that signs its webhooks.
import type { KeyProof, KeyStore } from '../../../application/ports/alerts.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'
import type { SecretBox } from './secret-box.ts'

type NewKey = Parameters<KeyStore['add']>[0]

export class PostgresKeyStore implements KeyStore {
  readonly #pool: Pool
  readonly #secretBox: SecretBox

  constructor(pool: Pool, secretBox: SecretBox) {
    this.#pool = pool
    this.#secretBox = secretBox
  }

  async add({ id, name, secretHash, webhookSecret, expiresAt }: NewKey): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO api_keys (id, name, secret_hash, webhook_secret, expires_at)
       VALUES ($1, $2, $3, $4, $5)`,
      [id, name, secretHash, this.#secretBox.encrypt(id, webhookSecret), expiresAt],
    )
  }

  async proof(id: string): Promise<KeyProof | null> {
    const [proof] = await rows<KeyProof>(
      this.#pool,
      `SELECT secret_hash AS "secretHash", expires_at AS "expiresAt", revoked_at AS "revokedAt"
       FROM api_keys
       WHERE id = $1`,
      [id],
    )
    return proof ?? null
  }

  async revoke(id: string): Promise<boolean> {
    const revoked = await rows(
      this.#pool,
      'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id',
      [id],
    )
    return revoked.length > 0
  }

  rotateSecret(id: string, webhookSecret: string, previousUntil: Date): Promise<boolean> {
    return transaction(this.#pool, async (connection) => {
      const [key] = await rows<{ sealed: Buffer }>(
        connection,
        `SELECT webhook_secret AS sealed
         FROM api_keys
         WHERE id = $1
           AND revoked_at IS NULL
         FOR NO KEY UPDATE`,
        [id],
      )
      if (!key) return false
      await rows(connection, 'UPDATE api_keys SET webhook_secret = $2 WHERE id = $1', [
        id,
        this.#secretBox.encrypt(id, webhookSecret),
      ])
      await this.#keepFormer(connection, { id, sealed: key.sealed, until: previousUntil })
      return true
    })
  }

  // Locks rows in the order of their ids, so that two processes with the same keys can't deadlock.
  async used(uses: { id: string; at: Date }[]): Promise<void> {
    await rows(
      this.#pool,
      `WITH used AS MATERIALIZED (
         SELECT key.id, sent.at
         FROM api_keys key
           JOIN unnest($1::text[], $2::timestamptz[]) AS sent (id, at) USING (id)
         ORDER BY key.id
         FOR NO KEY UPDATE OF key)
       UPDATE api_keys
       SET last_used_at = greatest(last_used_at, used.at)
       FROM used
       WHERE api_keys.id = used.id`,
      [uses.map((use) => use.id), uses.map((use) => use.at)],
    )
  }

  /**
   * Keeps the former secret, which signs beside the new one until the date. A secret that can't be decrypted any more
   * can't sign either, and is dropped.
   */
  async #keepFormer(connection: Connection, former: { id: string; sealed: Buffer; until: Date }): Promise<void> {
    const isOpen = this.#secretBox.opens(former.id, former.sealed)
    // With another SECRETS_KEY the earlier secrets can't be decrypted either.
    await rows(
      connection,
      `DELETE FROM former_webhook_secrets
       WHERE key_id = $1
         AND (until <= now() OR NOT $2)`,
      [former.id, isOpen],
    )
    if (!isOpen) return
    await rows(connection, 'INSERT INTO former_webhook_secrets (key_id, secret, until) VALUES ($1, $2, $3)', [
      former.id,
      former.sealed,
      former.until,
    ])
  }
}
