// Invented closing prices, and returns computed from them by plain loops over calendar days.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Closes by ticker and day, `2026-03-31`. */
export type Prices = Record<string, Record<string, number>>

const dayAfter = (day: string, count = 1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

const NEW_YORK = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
})

/** Returns the day whose close is the first after an instant. */
function closeAfter(instant: string): string {
  const [day, time] = NEW_YORK.format(new Date(instant)).split(' ') as [string, string]
  return time < '16:00:00' ? day : dayAfter(day)
}

export interface Window {
  from: string
  to: string
  change: number
}

/** Returns the window of so many closes after a filing; null where it is not known at `asOf`. */
export function windowAfter(
  prices: Prices,
  ticker: string,
  filed: string,
  closes: number,
  asOf?: string,
): Window | null {
  const known = prices[ticker] ?? {}
  const start = closeAfter(filed)
  const most = { 5: 14, 21: 38, 126: 190 }[closes]!
  for (let wait = 0; wait <= 7; wait += 1) {
    const from = dayAfter(start, wait)
    if (known[from] === undefined) continue
    let left = closes
    for (let later = 1; later <= most; later += 1) {
      const to = dayAfter(from, later)
      if (known[to] === undefined) continue
      left -= 1
      if (left > 0) continue
      if (asOf !== undefined && to >= closeAfter(asOf)) return null
      return { from, to, change: known[to] / known[from] - 1 }
    }
    return null
  }
  return null
}

export const toPlaces = (fraction: number): number => Math.floor(fraction * 10_000 + 0.5) / 10_000

/** Returns weekdays from one day to another, both included. */
export function weekdays(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = dayAfter(day)) {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (weekday !== 0 && weekday !== 6) days.push(day)
  }
  return days
}

/** Returns numbers from 0 to 1, the same for the same seed. */
export function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

export const csvOf = (prices: Prices): string =>
  [
    'ticker,date,close',
    ...Object.entries(prices).flatMap(([ticker, days]) =>
      Object.entries(days).map(([day, close]) => `${ticker},${day},${close}`),
    ),
  ].join('\n')

/** Writes a file into a folder of its own, and returns its path. */
export function fileOf(name: string, content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'test-prices-')), name)
  writeFileSync(path, content)
  return path
}
