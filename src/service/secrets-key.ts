// The key that secrets in PostgreSQL are encrypted with: SECRETS_KEY or the file below DATA_DIR, and only where it opens what
// PostgreSQL has.
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
  /** How many addresses were disabled, because the key that their webhooks were signed by is lost. */
  disabled: number
}

type Settings = Pick<Config, 'secretsKey' | 'secretsKeyLost' | 'dataDir'>

/** Makes the file where none is needed that is not there. Throws where secrets would not open, unless they are given up. */
export async function useSecretsKey(config: Settings, pool: Pool): Promise<SecretsKey> {
  const known = presentKey(config)
  return oneAtATime(pool, async (connection) => {
    const state = await encryptionKeyState(connection, known)
    if (state === 'other' && !config.secretsKeyLost) throw new Error(refusal(config, known))
    const key = known ?? makeSecretsKey(config.dataDir)
    const disabled = state === 'other' ? await disableUnsignable(connection, key) : 0
    await storeKeyCheck(connection, key)
    return { key, disabled }
  })
}

/** The same refusal, with nothing made or changed. True where secrets are given up by going on. */
export async function checkSecretsKey(config: Settings, databaseUrl: string): Promise<boolean> {
  const known = presentKey(config)
  const pool = openPool({ url: databaseUrl, name: 'up', max: 1 })
  try {
    const isOther = (await encryptionKeyState(pool, known)) === 'other'
    if (isOther && !config.secretsKeyLost) throw new Error(refusal(config, known))
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
    `${what}, and the webhook secrets in PostgreSQL are encrypted with the one there was: put back the file, or set SECRETS_KEY, ` +
    "as it was. If it is lost, make up SECRETS_KEY_LOST=1 goes on with this or a new one and disables the webhooks that it can't sign"
  )
}

/** What an operator does after webhooks were disabled. */
export const LOST_KEY_LINE =
  'the webhooks that the lost key signed are disabled (make addresses): make rotate-secret ID=... gives an API ' +
  'key a new secret, then its addresses are set again'
