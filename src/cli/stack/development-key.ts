// One key to begin with, so that watchlists can be tried right after the first start.
import type { IssuedKey } from '../../application/commands/api-keys.ts'
import type { Config } from '../../config.ts'
import { openPool } from '../../infrastructure/postgres/pool.ts'
import { issuedLines, openApiKeys } from '../commands/keys.ts'
import { useSecretsKey } from '../../service/secrets-key.ts'

/** Null where there is, or ever was, a key, and on a database that is not the embedded one. */
export async function developmentKey(config: Config, databaseUrl: string): Promise<IssuedKey | null> {
  if (config.databaseUrl !== null) return null
  const pool = openPool({ url: databaseUrl, name: 'up', max: 1 })
  try {
    if ((await openApiKeys(pool, null).list()).length > 0) return null
    return await openApiKeys(pool, (await useSecretsKey(config, pool)).key).issue('development', null)
  } finally {
    await pool.end()
  }
}

export function developmentKeyLines(made: Pick<IssuedKey, 'id' | 'name' | 'key' | 'webhookSecret'>): string[] {
  return ['', 'An API key to begin with; both secrets are shown this once only:', ...issuedLines(made)]
}
