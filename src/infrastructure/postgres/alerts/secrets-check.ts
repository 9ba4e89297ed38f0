// Checks whether the secrets in PostgreSQL were encrypted with this encryption key. The check runs before the key is
// used, since later a secret that was encrypted with another key can't be told from a damaged one.
import { DISABLE } from './deliveries-sql.ts'
import { rows, type Connection, type Pool } from '../pool.ts'
import { SecretBox } from './secret-box.ts'

/** `unused`: there is no secret to decrypt. */
type KeyState = 'unused' | 'opens' | 'other'

const CHECK = { keyId: 'secrets_key_check', text: 'opens' }

/** Returns the state of `key`, which is null if none is set. Changes nothing, and works before the tables exist. */
export async function encryptionKeyState(pool: Pool | Connection, key: Buffer | null): Promise<KeyState> {
  const [tables] = await rows<{ exist: boolean }>(pool, "SELECT to_regclass('api_keys') IS NOT NULL AS exist")
  const secrets = tables!.exist ? await encryptedSecrets(pool) : []
  if (secrets.length === 0) return 'unused'
  if (key === null) return 'other'
  const secretBox = new SecretBox(key)
  const [check] = await rows<{ sealed: Buffer }>(pool, 'SELECT sealed FROM secrets_key_check')
  if (check) return secretBox.opens(CHECK.keyId, check.sealed) ? 'opens' : 'other'
  // Without the check, single secrets may be encrypted with another key.
  return secrets.some(({ id, sealed }) => secretBox.opens(id, sealed)) ? 'opens' : 'other'
}

/** Stores a text encrypted with the key, by which later starts recognise it. */
export async function storeKeyCheck(connection: Connection, key: Buffer): Promise<void> {
  await rows(
    connection,
    `INSERT INTO secrets_key_check (sealed)
     VALUES ($1)
     ON CONFLICT (one) DO UPDATE
       SET sealed = excluded.sealed`,
    [new SecretBox(key).encrypt(CHECK.keyId, CHECK.text)],
  )
}

/**
 * Disables the addresses of API keys whose webhook secret `key` can't decrypt, which ends the deliveries that wait for
 * them. Returns the number of addresses.
 */
export async function disableUnsignable(connection: Connection, key: Buffer): Promise<number> {
  const secretBox = new SecretBox(key)
  const lost = (await encryptedSecrets(connection))
    .filter(({ id, sealed }) => !secretBox.opens(id, sealed))
    .map(({ id }) => id)
  const addresses = await rows<{ keyId: string; url: string }>(
    connection,
    `SELECT key_id AS "keyId", url
     FROM alert_addresses
     WHERE key_id = ANY($1)
     UNION
     SELECT key_id, url
     FROM deliveries
     WHERE key_id = ANY($1)
       AND status = 'waiting'`,
    [lost],
  )
  const reason = 'the key of its webhook secret is lost'
  await rows(connection, DISABLE, [JSON.stringify(addresses.map((address) => ({ ...address, reason })))])
  // Former secrets of these keys can't sign any more, and would count towards their limit.
  await rows(connection, 'DELETE FROM former_webhook_secrets WHERE key_id = ANY($1)', [lost])
  return addresses.length
}

function encryptedSecrets(pool: Pool | Connection): Promise<{ id: string; sealed: Buffer }[]> {
  return rows(pool, 'SELECT id, webhook_secret AS sealed FROM api_keys WHERE revoked_at IS NULL')
}
