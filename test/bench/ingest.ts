// From the document in hand until a running service shows it in the feed, and until its event is queued: filings of
// watched companies, recorded one at a time as `make ingest` does. FILINGS=300, and the volumes of the store. One JSON
// line.
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer } from '../../src/container/container.ts'
import { TYPES } from '../../src/container/tokens.ts'
import { openPool } from '../../src/infrastructure/postgres/pool.ts'
import { inventedListings } from '../support/edgar/invented/world.ts'
import { addKey } from '../support/service/alerts.ts'
import { databaseUrlOf } from '../support/stores/embedded.ts'
import { accessionOf, documentOf } from './support/live-filing.ts'
import { printBench, quantile, read, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'

const FILINGS = volume('FILINGS', 300)
const WARM_UP = 20
const POLL_MS = 2
/** Another key each time: a kept store has those of before. */
const KEY = `bench${Date.now()}`

const store = await productStore('base')
try {
  await store.up()
  const pool = openPool({ url: databaseUrlOf(store.dataDir), name: 'bench' })
  try {
    const record = createContainer({ pool }).get(TYPES.recordFilings)
    const companies = inventedListings()
    await addKey(pool, KEY)
    // Nothing is at this address, nor ever will be.
    await pool.query(
      `INSERT INTO watchlist (key_id, ticker, webhook_url)
      SELECT $1, ticker, 'https://bench.invalid/' FROM unnest($2::text[]) AS ticker`,
      [KEY, companies.map(({ ticker }) => ticker)],
    )
    const times = { visible: [] as number[], queued: [] as number[] }
    for (let number = 1; number <= FILINGS + WARM_UP; number += 1) {
      const accession = accessionOf(number)
      const bytes = Buffer.from(documentOf(accession, companies[number % companies.length]!))
      const begun = performance.now()
      const until = async (isDone: () => Promise<boolean>) => {
        while (!(await isDone())) await sleep(POLL_MS)
        return performance.now() - begun
      }
      await record([{ path: `${accession}.txt`, bytes }])
      const [visible, queued] = await Promise.all([until(() => isListed(accession)), until(() => isQueued(number))])
      if (number <= WARM_UP) continue
      times.visible.push(visible)
      times.queued.push(queued)
    }
    const figures = (each: number[]) => ({ p50: quantile(each, 0.5), p99: quantile(each, 0.99) })
    printBench('ingest', {
      ...{ rows: store.rows, filings: FILINGS },
      documentToFeedMs: figures(times.visible),
      documentToQueuedMs: figures(times.queued),
    })
    await pool.query('DELETE FROM watchlist WHERE key_id = $1', [KEY])

    /** Each filing has one transaction, and so one event of that type. */
    async function isQueued(count: number): Promise<boolean> {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM deliveries JOIN events ON events.id = event_id
        WHERE key_id = $1 AND type = 'transaction.created'`,
        [KEY],
      )
      return rows[0]!.n >= count
    }
  } finally {
    await pool.end()
  }
} finally {
  await store.close()
}

async function isListed(accession: string): Promise<boolean> {
  const { transactions } = await read<{ transactions: { id: string }[] }>(`${store.address}/v1/feed?limit=5`)
  return transactions.some(({ id }) => id.startsWith(accession))
}
