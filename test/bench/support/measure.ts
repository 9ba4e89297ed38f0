// What the benches share: order statistics, a draws, volumes from the environment, and the one line they print.
import { arch, cpus, platform } from 'node:os'

/** `share` from 0 to 1, nearest rank. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN
}

export const median = (values: number[]) => quantile(values, 0.5)

export function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

/** Draws the first twice as often as the second, three times as often as the third, and so on. */
export function zipf<T>(values: T[]): () => T {
  let sum = 0
  const sums = values.map((_, place) => (sum += 1 / (place + 1)))
  return () => {
    const at = Math.random() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < at) low = middle + 1
      else high = middle
    }
    return values[low]!
  }
}

/** Reads a volume from the environment. */
export function volume(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise)
}

/** Does it for each value, for eight at a time. */
export async function eightAtOnce<T>(values: T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const left = values.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const value of left) await act(value)
    }),
  )
}

/** Returns the seconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}

/** Returns the `data` of an answer. */
export async function read<T>(url: string): Promise<T> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { data: T }).data
}

/** Reads a list, whose address has a query, from its newest page on, one page after the other. */
export async function* pagesOf<Page extends object>(url: string): AsyncGenerator<Page & { nextCursor?: string }> {
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Page & { nextCursor?: string } = await read(url + (cursor && `&cursor=${cursor}`))
    yield page
    cursor = page.nextCursor
  }
}

/** Reads the whole feed. */
export const feedPages = <Row extends object>(address: string, query = '') =>
  pagesOf<{ transactions: Row[] }>(`${address}/v1/feed?limit=100${query}`)

/** Returns the paths of all companies in the feed. */
export async function companiesOf(address: string): Promise<string[]> {
  const tickers = new Set<string>()
  for await (const { transactions } of feedPages<{ ticker: string }>(address)) {
    for (const { ticker } of transactions) if (ticker) tickers.add(ticker)
  }
  return [...tickers].map((ticker) => `/v1/companies/${ticker}`)
}

/** Node samples the event loop by a timer of this interval, and counts the interval as part of the delay. */
const EVENT_LOOP_SAMPLE_MS = 10

/** Returns how late timers of the service came since the call before, in milliseconds, as its metrics say. */
export async function eventLoopMs(address: string): Promise<{ max?: number; p99?: number }> {
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const milliseconds = (name: string) => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:{.*})? (\\S+)$`, 'm').exec(metrics) ?? []
    return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1_000 - EVENT_LOOP_SAMPLE_MS)
  }
  const [max, p99] = [milliseconds('max'), milliseconds('p99')]
  return { ...(max !== undefined && { max }), ...(p99 !== undefined && { p99 }) }
}

/** One JSON line: figures rounded to three places, with what they were measured on. */
export function printBench(name: string, figures: Record<string, unknown>): void {
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value)
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${platform()} ${arch()}, Node ${process.version}`
  process.stdout.write(`${JSON.stringify({ bench: name, ...figures, machine }, round)}\n`)
}
