// Questions to the simulated EDGAR without the service's client, and something for it to answer with.
import { assert } from 'chai'
import { inventedFiling, type InventedFiling } from '../invented/filings.ts'
import { inventedOther } from '../invented/others.ts'
import type { SimulatedEdgar } from '../simulator/simulated-edgar.ts'

/** A User-Agent as the SEC asks for. */
export const AGENT = { 'user-agent': 'Example Tests tests@example.com' }

export function ask(edgar: SimulatedEdgar, path: string, headers: Record<string, string> = AGENT): Promise<Response> {
  return fetch(edgar.url + path, { headers, redirect: 'manual' })
}

/** Fails on anything but 200. */
export async function textAt(edgar: SimulatedEdgar, path: string): Promise<string> {
  const response = await ask(edgar, path)
  assert.strictEqual(response.status, 200, path)
  return response.text()
}

export function feedPath(start = 0, owner = 'include'): string {
  return `/cgi-bin/browse-edgar?action=getcurrent&type=4&owner=${owner}&count=100&start=${start}&output=atom`
}

/** `cik` in any writing. */
export function documentPath(accession: string, cik: string | number): string {
  return `/Archives/edgar/data/${Number(cik)}/${accession}.txt`
}

/** `date` as `YYYYMMDD`. */
export function indexPath(kind: string, date: string): string {
  const quarter = Math.ceil(Number(date.slice(4, 6)) / 3)
  return `/Archives/edgar/daily-index/${date.slice(0, 4)}/QTR${quarter}/${kind}.${date}.idx`
}

/** Form 4s and as many of other forms, one each every 20 seconds up to the clock; gives the Form 4s, oldest first. */
export function publishInvented(edgar: SimulatedEdgar, count: number, seed = 7): InventedFiling[] {
  const until = edgar.clock.now()
  const invention = { seed, acceptedAt: (number: number) => until - (count - number) * 20_000 }
  return Array.from({ length: count }, (_, index) => {
    const filing = inventedFiling(index + 1, invention)
    edgar.publish(filing.text)
    edgar.publish(inventedOther(index + 1, invention).text)
    return filing
  })
}
