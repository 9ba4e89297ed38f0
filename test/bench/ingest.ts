// From the document in hand until a running service shows it in the feed, and until its event is queued: filings of
// watched companies; beside a bare insert of the same rows into the same tables together with the transaction of the
// ledger. FILINGS=200, and the volumes of the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { bareInserts, bareTransactions } from './support/bare-filing.ts'
import { printBench, quantile, read, volume } from './support/measure.ts'
import { withWatchedFilings, type WatchedFilings } from './support/watched-filings.ts'

const FILINGS = volume('FILINGS', 200)
const WARM_UP = 20
const POLL_MS = 5
/** Filings whose rows are inserted bare, the last ones. */
const BARE = 50

const times = { visible: [] as number[], queued: [] as number[], transaction: [] as number[], insert: [] as number[] }
let versions: number[] = []

async function measure({ store, pool, record, allQueued }: WatchedFilings): Promise<void> {
  const accessions: string[] = []
  for (let number = 1; number <= FILINGS + WARM_UP; number += 1) {
    const { accession, begun } = await record()
    accessions.push(accession)
    const until = async (isDone: () => Promise<boolean>) => {
      while (!(await isDone())) await sleep(POLL_MS)
      return performance.now() - begun
    }
    const isListed = async () => {
      const { transactions } = await read<{ transactions: { id: string }[] }>(`${store.address}/v1/feed?limit=5`)
      return transactions.some(({ id }) => id.startsWith(accession))
    }
    const [visible, queued] = await Promise.all([until(isListed), until(allQueued)])
    if (number <= WARM_UP) continue
    times.visible.push(visible)
    times.queued.push(queued)
  }
  const bare = await bareTransactions(pool, accessions.slice(-BARE))
  times.transaction = bare.milliseconds
  versions = bare.versions
}

await withWatchedFilings(measure, async ({ dataDir, rows }) => {
  times.insert = await bareInserts(dataDir, versions)
  const figures = (each: number[]) => ({ p50: quantile(each, 0.5), p99: quantile(each, 0.99) })
  const [feed, transaction, insert] = [times.visible, times.transaction, times.insert].map(figures)
  printBench('ingest', {
    ...{ rows, filings: FILINGS },
    documentToFeedMs: feed,
    documentToQueuedMs: figures(times.queued),
    bareMs: { transaction, insert },
    feedToBare: feed!.p50 / (transaction!.p50 + insert!.p50),
    feedP99ToP50: feed!.p99 / feed!.p50,
  })
})
