// The key that encrypts secrets in PostgreSQL: SECRETS_KEY, or the file below DATA_DIR. It is used only if it decrypts
// the secrets that PostgreSQL has already.
import type { Config } from '../config.ts'
import { makeSecretsKey, readSecretsKey, secretsKeyPath } from '../infrastructure/embedded/secrets-key.ts'
import { oneAtATime } from '../infrastructure/postgres/migrate.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import {
  disableUnsignable,
  storeKeyCheck,
  encryptionKeyState,
} from '../infrastructure/postgres/alerts/secrets-check.ts'

export interface SecretsKey {
  key: Buffer
  /** Number of addresses that were disabled because the key of their webhook secrets is lost. */
  disabled: number
}

type Settings = Pick<Config, 'secretsKey' | 'secretsKeyLost' | 'dataDir'>

/**
 * Returns the key, creating its file for a database that has no secrets yet. Throws if the key can't decrypt the
 * secrets in the database, unless SECRETS_KEY_LOST gives them up.
 */
export async function useSecretsKey(config: Settings, pool: Pool): Promise<SecretsKey> {
  const present = presentKey(config)
  return oneAtATime(pool, async (connection) => {
    const state = await encryptionKeyState(connection, present)
    if (state === 'other' && !config.secretsKeyLost) throw new Error(refusal(config, present))
    const key = present ?? makeSecretsKey(config.dataDir)
    const disabled = state === 'other' ? await disableUnsignable(connection, key) : 0
    await storeKeyCheck(connection, key)
    return { key, disabled }
  })
}

/** Throws as `useSecretsKey` does, but changes nothing. Returns whether that would give up secrets. */
export async function checkSecretsKey(config: Settings, databaseUrl: string): Promise<boolean> {
  const present = presentKey(config)
  const pool = openPool({ url: databaseUrl, name: 'up', max: 1 })
  try {
    const isOther = (await encryptionKeyState(pool, present)) === 'other'
    if (isOther && !config.secretsKeyLost) throw new Error(refusal(config, present))
    return isOther
  } finally {
    await pool.end()
  }
}

const presentKey = ({ secretsKey, dataDir }: Settings): Buffer | null => secretsKey ?? readSecretsKey(dataDir)

function refusal({ secretsKey, dataDir }: Settings, key: Buffer | null): string {
  const path = secretsKeyPath(dataDir)
  const what =
    key === null
      ? `${path} is missing`
      : secretsKey === null
        ? `${path} holds another key`
        : 'SECRETS_KEY is another key'
  return (
    `${what}, and the webhook secrets in PostgreSQL are encrypted with the previous one: restore the file, or set ` +
    'SECRETS_KEY to it. If it is lost, make up SECRETS_KEY_LOST=1 continues with this or a new one and disables the ' +
    "webhooks that it can't sign"
  )
}

/** What an operator has to do after webhooks were disabled. */
export const LOST_KEY_LINE =
  'the webhooks that the lost key signed are disabled (make addresses lists them): make rotate-secret ID=... gives ' +
  'an API key a new secret; then save its addresses again'
