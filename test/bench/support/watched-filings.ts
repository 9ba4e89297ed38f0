// A running service of the product's own store with a watchlist of every company, and filings of these companies,
// recorded one at a time as `make ingest` does, at most one a second: twice as many as in EDGAR's busiest minutes.
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { addKey } from '../../support/service/alerts.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'
import { accessionOf, documentOf } from './live-filing.ts'
import { productStore, type ProductStore } from './product-store.ts'

export interface WatchedFilings {
  store: ProductStore
  pool: Pool
  companies: ReturnType<typeof inventedListings>
  /** The key that watches; its name begins the names of other keys of the bench. */
  key: string
  /** Records a new filing of one transaction, at least a second after the last one; `begun` is when its document was in hand. */
  record(): Promise<{ accession: string; begun: number }>
  /** Whether each filing recorded so far has its event queued for the watchlist. */
  allQueued(): Promise<boolean>
}

const INTERVAL_MS = 1_000

/** `afterwards` runs when the stack is down, with the store that the filings are in. */
export async function withWatchedFilings(
  run: (filings: WatchedFilings) => Promise<void>,
  afterwards?: (store: ProductStore) => Promise<void>,
): Promise<void> {
  const store = await productStore('base')
  try {
    await store.up()
    const pool = openPool({ url: databaseUrlOf(store.dataDir), name: 'bench' })
    try {
      const recordFilings = createContainer({ pool }).get(TYPES.recordFilings)
      const companies = inventedListings()
      // Another key each time: a kept store has those of before.
      const key = `bench${Date.now()}`
      await addKey(pool, key)
      // Nothing is at this address, nor ever will be.
      await pool.query(
        `INSERT INTO watchlist (key_id, ticker, webhook_url)
        SELECT $1, ticker, 'https://bench.invalid/' FROM unnest($2::text[]) AS ticker`,
        [key, companies.map(({ ticker }) => ticker)],
      )
      // A kept store has the filings of earlier benches, whose transactions must not be repeated.
      const { rows: before } = await pool.query<{ filings: number }>('SELECT count(*)::int AS filings FROM filings')
      const first = before[0]!.filings
      let count = 0
      let earliest = performance.now()
      await run({
        ...{ store, pool, companies, key },
        record: async () => {
          count += 1
          const number = first + count
          const accession = accessionOf(number)
          const bytes = Buffer.from(documentOf(accession, number, companies[number % companies.length]!))
          await sleep(Math.max(0, earliest - performance.now()))
          const begun = performance.now()
          earliest = begun + INTERVAL_MS
          await recordFilings([{ path: `${accession}.txt`, bytes }])
          return { accession, begun }
        },
        allQueued: async () => {
          const { rows } = await pool.query<{ n: number }>(
            `SELECT count(*)::int AS n FROM deliveries JOIN events ON events.id = event_id
            WHERE key_id = $1 AND type = 'transaction.created'`,
            [key],
          )
          return rows[0]!.n >= count
        },
      })
      await pool.query('DELETE FROM watchlist WHERE key_id = $1', [key])
    } finally {
      await pool.end()
    }
    if (afterwards) {
      await store.make('down')
      await afterwards(store)
    }
  } finally {
    await store.close()
  }
}
