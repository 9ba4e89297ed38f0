// From published at EDGAR to visible in /v1/feed: a burst of 200 filings a minute against a simulated EDGAR, polled every
// second. And the most requests in any second, as the simulator counts them. SECONDS=60. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { followedStack } from '../../support/edgar/checks/followed-stack.ts'
import { printBench, quantile } from '../support/measure.ts'

const SECONDS = Number(process.env.SECONDS ?? 60)
const PER_MINUTE = 200

const followed = await followedStack({ seed: 21 })
try {
  await followed.up()
  await sleep(3_000)
  const publishedAt = new Map<string, number>()
  const visibleAt = new Map<string, number>()
  let watching = true
  const watch = async () => {
    while (watching) {
      const { data } = (await (await fetch(`${followed.stack.address}/v1/feed?limit=100`)).json()) as {
        data: { transactions: { id: string }[] }
      }
      for (const { id } of data.transactions) {
        const accession = id.slice(0, 20)
        if (!visibleAt.has(accession)) visibleAt.set(accession, performance.now())
      }
      await sleep(50)
    }
  }
  const watcher = watch()
  const start = performance.now()
  for (let number = 1; number <= (PER_MINUTE * SECONDS) / 60; number += 1) {
    const wait = start + (number * 60_000) / PER_MINUTE - performance.now()
    if (wait > 0) await sleep(wait)
    const at = performance.now()
    for (const accession of followed.publish()) publishedAt.set(accession, at)
  }
  await followed.settled(30)
  await sleep(500)
  watching = false
  await watcher
  const delays = [...visibleAt].flatMap(([accession, at]) =>
    publishedAt.has(accession) ? at - publishedAt.get(accession)! : [],
  )
  printBench('follow', {
    published: publishedAt.size,
    listed: delays.length,
    perMinute: PER_MINUTE,
    pollSeconds: 1,
    publishedToVisibleMs: { p50: quantile(delays, 0.5), p95: quantile(delays, 0.95), p99: quantile(delays, 0.99) },
    mostRequestsInAnySecond: followed.edgar.mostInAnySecond(),
  })
} finally {
  await followed.close()
}
