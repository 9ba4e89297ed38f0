// The API key that a first start issues and prints, so that watchlists can be tried right away.
import type { IssuedKey } from '../../application/commands/api-keys.ts'
import type { Config } from '../../config.ts'
import { openPool } from '../../infrastructure/postgres/pool.ts'
import { PostgresOperatorQueries } from '../../infrastructure/postgres/queries/operator-queries.ts'
import { issuedLines, openApiKeys } from '../commands/keys.ts'
import { useSecretsKey } from '../../service/secrets-key.ts'

export const DEVELOPMENT_KEY = 'development'

export type DevelopmentKey = Pick<IssuedKey, 'id' | 'name' | 'key' | 'webhookSecret'>

/** Returns null if there is, or ever was, a key, or if the database is not the embedded one. */
export async function issueDevelopmentKey(config: Config, databaseUrl: string): Promise<DevelopmentKey | null> {
  if (config.databaseUrl !== null) return null
  const pool = openPool({ url: databaseUrl, name: 'up', max: 1 })
  try {
    if ((await new PostgresOperatorQueries(pool).apiKeys()).length > 0) return null
    return await openApiKeys(pool, (await useSecretsKey(config, pool)).key).issue(DEVELOPMENT_KEY, null)
  } finally {
    await pool.end()
  }
}

/** Returns what `make up` shows of a key that it issued: fields of the JSON result, lines, and the secrets in both. */
export function describeDevelopmentKey(made: DevelopmentKey | null): {
  fields: { developmentKey?: Pick<DevelopmentKey, 'id' | 'key' | 'webhookSecret'> }
  lines: string[]
  secrets: string[]
} {
  if (made === null) return { fields: {}, lines: [], secrets: [] }
  const { id, key, webhookSecret } = made
  return {
    fields: { developmentKey: { id, key, webhookSecret } },
    lines: ['', 'An API key for development; both secrets are shown only this once:', ...issuedLines(made)],
    secrets: [key, webhookSecret],
  }
}
