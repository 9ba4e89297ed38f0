// The service's memory after 10,000 requests of all kinds, as its own process reports it. REQUESTS=10000. One JSON line.
import { readFileSync } from 'node:fs'
import { stackOfTest } from '../../support/make.ts'
import { printBench } from '../support/measure.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 10_000)
const CALLERS = 8

const stack = await stackOfTest()
try {
  const up = await stack.make('up')
  if (up.status !== 0) throw new Error(up.stderr)
  const from = process.env.FROM ?? 'test/fixtures/filings'
  const ingested = (await stack.make('ingest', { FROM: from })).json
  const { pid } = up.json as { pid: number }
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  const { data } = (await (await fetch(`${stack.address}/v1/feed?limit=100`)).json()) as {
    data: { transactions: { ticker: string }[] }
  }
  const tickers = [...new Set(data.transactions.map((row) => row.ticker))]
  const paths = (number: number) =>
    [
      '/v1/feed?limit=100',
      '/v1/feed?filter=buys',
      '/v1/feed?filter=high&limit=7',
      `/v1/companies/${tickers[number % tickers.length]}`,
      `/v1/insiders/${1_999_101 + (number % 5)}`,
      '/v1/signals',
      '/v1/feed/stats',
      `/v1/companies/NONE${number % 1000}`,
      '/v1/feed?limit=0',
      '/openapi.json',
    ][number % 10]!
  const atStart = rss()
  let sent = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (sent < REQUESTS) {
        const response = await fetch(stack.address + paths(sent++), { headers: { 'content-type': `x/y${sent}` } })
        await response.arrayBuffer()
        if (response.status >= 500) throw new Error(`${response.url} answered ${response.status}`)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  printBench('memory', {
    requests: REQUESTS,
    transactions: ingested?.transactions,
    rssMiB: { start: atStart, end: rss() },
    requestsPerSecond: REQUESTS / seconds,
  })
} finally {
  await stack.remove()
}
