// The connections to a ClickHouse server: their timeouts, and the database.
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { makeDatabase } from './cluster.ts'
import { translateError } from './errors.ts'

// Timeouts on the connections to a server: without a byte from it, and for API queries in total. The limits that the
// server itself applies to statements are shorter (settings.ts).
export const CALLERS_MS = 5_000
export const WORK_MS = 30_000
export const BULK_MS = 3_600_000
/** Statements in parallel on the connections of each kind. */
export const SLOTS = 16

/** Returns the options of a client that gives up after `silentMs` without a byte. */
export function connecting(url: string, silentMs: number) {
  return {
    url,
    application: 'insider-trading-data-service',
    // The client throws the same errors that it would write to the console.
    log: { level: ClickHouseLogLevel.OFF },
    request_timeout: silentMs,
    max_open_connections: SLOTS,
    // Shorter than the keep-alive of all server versions: a statement fails on a socket that the server closes.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
  }
}

/** Creates the database, on all replicas of a cluster. */
export async function prepareServer(url: string, database: string, cluster: string | undefined): Promise<void> {
  const client = createClient(connecting(url, cluster === undefined ? WORK_MS : BULK_MS))
  try {
    await makeDatabase(
      {
        rows: async (query) => (await client.query({ query, format: 'JSONEachRow' })).json(),
        command: async (query) => void (await client.command({ query })),
      },
      database,
      cluster,
    )
  } catch (error) {
    throw translateError(error)
  } finally {
    await client.close()
  }
}
