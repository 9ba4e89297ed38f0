// From the document in hand until a running service shows it in the feed, and until its event is queued: filings of
// watched companies. FILINGS=200, and the volumes of the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { printBench, quantile, read, volume } from './support/measure.ts'
import { withWatchedFilings } from './support/watched-filings.ts'

const FILINGS = volume('FILINGS', 200)
const WARM_UP = 20
const POLL_MS = 5

await withWatchedFilings(async ({ store, record, allQueued }) => {
  const times = { visible: [] as number[], queued: [] as number[] }
  for (let number = 1; number <= FILINGS + WARM_UP; number += 1) {
    const { accession, begun } = await record()
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
  const figures = (each: number[]) => ({ p50: quantile(each, 0.5), p99: quantile(each, 0.99) })
  printBench('ingest', {
    ...{ rows: store.rows, filings: FILINGS },
    documentToFeedMs: figures(times.visible),
    documentToQueuedMs: figures(times.queued),
  })
})
