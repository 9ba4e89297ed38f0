// Stores that several processes of the service share, and the settings that lead such processes to them.
import { randomBytes } from 'node:crypto'
import type { IssuedKey } from '../../../src/application/commands/api-keys.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { startClickHouse, type ClickHouseServer } from './clickhouse-server.ts'
import { startProxy, through, type Proxy } from './proxy.ts'
import { queryPostgres } from './query-postgres.ts'
import { stores } from './stores.ts'

export interface SharedStores {
  clickHouse: ClickHouseServer
  /** Of the process's environment; the stores through the proxies. */
  variables: Record<string, string>
  proxies: { clickhouse: Proxy; postgres: Proxy; redis: Proxy }
  /** Asks PostgreSQL, past its proxy. */
  query<T>(text: string): Promise<T[]>
  /** Where the service has migrated. */
  issueKey(name: string): Promise<IssuedKey>
  close(): Promise<void>
}

export async function sharedStores(): Promise<SharedStores> {
  const [{ databaseUrl, redisUrl }, clickHouse] = await Promise.all([stores(), startClickHouse()])
  const [clickhouse, postgres, redis] = await Promise.all([
    startProxy(clickHouse.port),
    startProxy(databaseUrl),
    startProxy(redisUrl),
  ])
  const secretsKey = randomBytes(32)
  return {
    clickHouse,
    proxies: { clickhouse, postgres, redis },
    variables: {
      CLICKHOUSE_URL: through(clickHouse.url, clickhouse),
      DATABASE_URL: through(databaseUrl, postgres),
      REDIS_URL: through(redisUrl, redis),
      SECRETS_KEY: secretsKey.toString('hex'),
      WEBHOOK_ALLOW_HTTP: '1',
      WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    },
    query: (text) => queryPostgres(databaseUrl, text),
    issueKey: async (name) => {
      const pool = openPool({ url: databaseUrl, name: 'test', max: 1 })
      return createContainer({ pool, secretsKey })
        .get(TYPES.apiKeys)
        .issue(name, null)
        .finally(() => pool.end())
    },
    close: async () => {
      await Promise.all([clickhouse, postgres, redis].map((proxy) => proxy.close()))
      await clickHouse.close()
    },
  }
}
