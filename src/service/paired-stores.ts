// Checks that ClickHouse was filled from this PostgreSQL. Otherwise answers would be about one set of filings, while
// keys, watchlists and new filings belong to another.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pairStores, type Pairing } from '../application/projection/paired-stores.ts'
import { redactUrl, type Config } from '../config.ts'
import { ClickHouseStoreIdentity } from '../infrastructure/clickhouse/stores/store-identity.ts'
import type { ClickHouse } from '../infrastructure/clickhouse/connection/client.ts'
import { dataPaths } from '../infrastructure/embedded/data-dir.ts'
import type { Pool } from '../infrastructure/postgres/pool.ts'
import { IdentifiedPostgres } from '../infrastructure/postgres/coordination/store-identity.ts'

/** Gives the stores an id if they have none yet. Throws a one-line error if they don't belong together. */
export async function requirePair(config: Config, pool: Pool, store: ClickHouse): Promise<void> {
  const pairing = await pairStores(new IdentifiedPostgres(pool), new ClickHouseStoreIdentity(store), randomUUID)
  if (pairing !== 'paired') throw new Error(refusal(pairing, config))
}

function refusal(pairing: Exclude<Pairing, 'paired'>, { dataDir, databaseUrl, clickhouseUrl }: Config): string {
  const record = `PostgreSQL (${redactUrl(databaseUrl) ?? dataPaths(dataDir).postgres})`
  const analytics = `ClickHouse (${redactUrl(clickhouseUrl) ?? join(dataDir, 'clickhouse')})`
  return pairing === 'emptied'
    ? `${record} is empty, while ${analytics} is full: the record of its filings is lost, or another one is set. ` +
        'Put that PostgreSQL back, or make restore FROM=<backup> and then make rebuild. To start empty, make ' +
        'rebuild, which empties ClickHouse'
    : `${analytics} was not filled from ${record}, or lacks newer filings: name the two that belong together, ` +
        'or make rebuild, which fills ClickHouse again from this PostgreSQL'
}
